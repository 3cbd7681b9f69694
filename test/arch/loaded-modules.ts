// What a start loads: modules and packages that come with an entry, by static imports alone.

import { sourceFiles } from './source-tree.ts'

const byPath = new Map(sourceFiles('src').map(file => [file.path, file]))

/** Everything that comes with `path`: files of ours and packages. */
export function loadedWith(path: string, found = new Set<string>()): Set<string> {
  for (const name of byPath.get(path)?.loads ?? []) {
    if (found.has(name)) continue
    found.add(name)
    loadedWith(name, found)
  }
  return found
}

/** What a start reads before the first answer: the node, and the faces of the chapters. */
export function loadedAtStart(): Set<string> {
  const loaded = loadedWith('src/node/main.ts')
  for (const path of byPath.keys()) if (/^src\/chapters\/[a-z]+\/chapter\.ts$/.test(path)) loadedWith(path, loaded)
  return loaded
}
