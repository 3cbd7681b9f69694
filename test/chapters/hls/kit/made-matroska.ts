// Matroska files made by hand, as muxers other than ffmpeg make them.

const ID = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  entry: 0xae,
  number: 0xd7,
  type: 0x83,
  codecId: 0x86,
  config: 0x63a2,
  cluster: 0x1f43b675,
  time: 0xe7,
  simple: 0xa3,
  group: 0xa0,
  block: 0xa1,
  reference: 0xfb,
} as const

/** A number as its bytes, without zeros before it. */
function bytesOf(value: number): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** An element. `size` 'unknown': it ends where another begins. */
export function element(id: number, body: Uint8Array, size: 'known' | 'unknown' = 'known'): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(size === 'known' ? BigInt(body.length) : 2n ** 56n - 1n)
  length[0] = 1
  return Buffer.concat([bytesOf(id), length, body])
}

/** One with elements in it. */
export function parent(id: number, ...children: readonly Uint8Array[]): Buffer {
  return element(id, Buffer.concat(children))
}

/** The body of a block. `lacing`: bits of its flags; `rest`: frames, with what lacing puts before them. */
export function blockBody(track: number, moved: number, flags: number, rest: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head[0] = 0x80 | track
  head.writeInt16BE(moved, 1)
  head[3] = flags
  return Buffer.concat([head, rest])
}

/** A block of one frame. */
export function simpleBlock(track: number, moved: number, isKey: boolean, frame: Uint8Array): Buffer {
  return element(ID.simple, blockBody(track, moved, isKey ? 0x80 : 0, frame))
}

/** A block in a group; `isKey`: it refers to no other. */
export function blockGroup(body: Uint8Array, isKey: boolean): Buffer {
  return parent(ID.group, element(ID.block, body), ...(isKey ? [] : [element(ID.reference, bytesOf(0xff))]))
}

/** A cluster that begins at `ticks`. */
export function cluster(ticks: number, size: 'known' | 'unknown', ...blocks: readonly Uint8Array[]): Buffer {
  return element(ID.cluster, Buffer.concat([element(ID.time, bytesOf(ticks)), ...blocks]), size)
}

/** A track entry; `more`: elements beside number, type, codec and configuration. */
export function entry(
  number: number,
  type: number,
  codecId: string,
  config: Uint8Array,
  ...more: Uint8Array[]
): Buffer {
  const known = [element(ID.number, bytesOf(number)), element(ID.type, bytesOf(type))]
  return parent(ID.entry, ...known, element(ID.codecId, Buffer.from(codecId)), element(ID.config, config), ...more)
}

/** A film, and where each of its clusters begins. */
export function madeMatroska(
  entries: readonly Uint8Array[],
  clusters: readonly Uint8Array[],
): { readonly bytes: Buffer; readonly places: readonly number[] } {
  const info = parent(ID.info, element(ID.scale, bytesOf(1_000_000)))
  const head = Buffer.concat([
    parent(ID.ebml),
    bytesOf(ID.segment),
    Buffer.from('01ffffffffffffff', 'hex'),
    info,
    parent(ID.tracks, ...entries),
  ])
  const places: number[] = []
  let at = head.length
  for (const one of clusters) {
    places.push(at)
    at += one.length
  }
  return { bytes: Buffer.concat([head, ...clusters]), places }
}
