// An archive of torrent files, ZIP without compression, and the names that they have in it. Pure.

import { zipSync } from 'fflate'

/** A file of the archive. */
export interface ArchivedFile {
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** Entries that the format counts without its extension for large archives. */
const MAX_FILES = 65_535
const MAX_NAME_BYTES = 180

/** The archive. Throws RangeError when there are too many files. */
export function archiveOf(files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  if (files.length > MAX_FILES) throw new RangeError(`an archive has at most ${MAX_FILES} files`)
  return zipSync(Object.fromEntries(files.map(({ name, content }) => [name, content])), { level: 0 })
}

/** A name of strangers as every file system takes it: no folders, no turns of direction, not too long. */
function plainName(name: string): string {
  const plain = name.replaceAll(/[/\\:*?"<>|\p{Cc}\p{Cf}]/gu, '_').trim()
  let [kept, bytes] = ['', 0]
  for (const letter of plain) {
    bytes += new TextEncoder().encode(letter).length
    if (bytes > MAX_NAME_BYTES) break
    kept += letter
  }
  // Devices of Windows, in whatever folder and with whatever ending.
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(kept) ? `_${kept}` : kept
}

/** Names of torrent files, each once: of those with the same name all but the first have their info hash behind it. */
export function torrentNames(downloads: readonly { infohash: string; name: string }[]): readonly string[] {
  const taken = new Set<string>()
  return downloads.map(({ infohash, name }) => {
    const plain = plainName(name) || infohash
    const keyOf = (stem: string) => stem.normalize('NFC').toLowerCase()
    const stem = [plain, `${plain} ${infohash}`].find(each => !taken.has(keyOf(each))) ?? infohash
    taken.add(keyOf(stem))
    return `${stem}.torrent`
  })
}
