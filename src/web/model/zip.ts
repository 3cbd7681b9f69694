// An archive of small files as every system opens it: ZIP, without compression, names in UTF-8 (PKWARE APPNOTE 4.3).
// And the names that files of downloads have in it. Pure.

/** A file of the archive. */
export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
}

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const VERSION = 20
/** Names are UTF-8. */
const UTF8_NAMES = 0x800
/** 1980-01-01, the first day that the format knows. */
const FIRST_DAY = 0x21
/** Entries that the format counts without its extension for large archives. */
const MAX_ENTRIES = 65_535
const MAX_NAME_BYTES = 180

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(content: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of content) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}

/** Fields of two (`[value, 2]`) and four bytes. */
function packed(...fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(fields.reduce((sum, [, bytes]) => sum + bytes, 0))
  const view = new DataView(out.buffer)
  let at = 0
  for (const [value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return out
}

/** The parts of an archive, in their order. Throws RangeError when there are too many files. */
export function zipParts(entries: readonly ZipEntry[]): Uint8Array<ArrayBuffer>[] {
  if (entries.length > MAX_ENTRIES) throw new RangeError(`an archive has at most ${MAX_ENTRIES} files`)
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let [at, directoryBytes] = [0, 0]
  for (const { name, content } of entries) {
    const nameBytes = new TextEncoder().encode(name)
    const size = content.length
    // Version, flags, stored, time and day, checksum, both sizes, length of the name, no extra field.
    const common = packed(
      ...([
        [VERSION, 2],
        [UTF8_NAMES, 2],
        [0, 2],
        [0, 2],
        [FIRST_DAY, 2],
      ] as const),
      ...([
        [crc32(content), 4],
        [size, 4],
        [size, 4],
        [nameBytes.length, 2],
        [0, 2],
      ] as const),
    )
    const local = packed([LOCAL, 4])
    const central = [
      packed([CENTRAL, 4], [VERSION, 2]),
      common,
      // No comment, disk 0, no attributes.
      packed([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
      nameBytes,
    ]
    parts.push(local, common, nameBytes, content)
    directory.push(...central)
    at += local.length + common.length + nameBytes.length + size
    directoryBytes += central.reduce((sum, part) => sum + part.length, 0)
  }
  const count = entries.length
  const end = packed([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [directoryBytes, 4], [at, 4], [0, 2])
  return [...parts, ...directory, end]
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
