// Where the machine code of this program lies (src/native), found from this module: it lies as deep as the program that
// is made of all modules, so that the same way leads there from both.

import { fileURLToPath } from 'node:url'

/** Where `make build` puts it. It is optional. */
export const nativePart = fileURLToPath(new URL('../native/tributary.node', import.meta.url))
