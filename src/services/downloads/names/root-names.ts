// What the files of a download are called at the top of its folder, as its row says it: that of the torrent, or what it
// was renamed to.

import type { StoredDownload } from '../../../ports/records.ts'
import type { FileNames } from '../../../wire/metainfo/renamed-files.ts'
import { safeName } from '../../../wire/metainfo/safe-path.ts'

type NamedRow = Pick<StoredDownload, 'name' | 'renames'>

/** The name of its folder, or of its file where it has none. Null: the row does not say it. */
export function rootName({ name, renames }: NamedRow): string | null {
  return renamedRoot(renames?.now) ?? safeName(Buffer.from(name))
}

/** The same, with those it is on its way to or from; each once. */
export function rootNames(row: NamedRow): (string | null)[] {
  const { renames } = row
  // What is not UTF-8 in a name is `_` on the disk.
  const own = safeName(Buffer.from(row.name.replaceAll('\ufffd', '_')))
  if (renames === undefined || renames === null) return [own]
  const sets = [renames.now, renames.to, renames.from].filter(names => names !== null)
  return [...new Set(sets.map(names => renamedRoot(names) ?? own))]
}

function renamedRoot(names: FileNames | undefined): string | null {
  return names?.find(([path]) => !path.includes('/'))?.[1] ?? null
}
