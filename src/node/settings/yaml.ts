// What the configuration file is read and written with. A start without such a file does not load it
// (src/build/first-use.json).

export { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml'
