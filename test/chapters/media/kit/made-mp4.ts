// Films in boxes of MP4, made byte by byte: what no muxer at hand writes. Their samples are zero bytes.

/** What a track is made of. */
export interface MadeTrack {
  readonly id: number
  readonly handler: 'vide' | 'text'
  readonly tables: readonly Buffer[]
  /** Its mdhd box; default: 1000 ticks a second, ten seconds. */
  readonly clock?: Buffer
  /** Number of the track that holds its chapters; default: none. */
  readonly chapters?: number
}

/** Numbers of 32 bits. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
  return bytes
}

/** A box with these parts one after the other. */
export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([words(body.length + 8), Buffer.from(type, 'latin1'), body])
}

/** Tables of samples of which each lies in a chunk of its own, at `places`. */
export function chunksAt(places: readonly number[], bytes: number, ticks: number): Buffer[] {
  return [
    box('stts', words(0, 1, places.length, ticks)),
    box('stsc', words(0, 1, 1, 1, 1)),
    box('stsz', words(0, bytes, places.length)),
    box('stco', words(0, places.length, ...places)),
  ]
}

/** Tables of no samples at all, as movies in fragments have them. */
export const NO_SAMPLES = [
  box('stts', words(0, 0)),
  box('stsc', words(0, 0)),
  box('stsz', words(0, 0, 0)),
  box('stco', words(0, 0)),
]

function trak({ id, handler, tables, clock, chapters }: MadeTrack): Buffer {
  const entry = handler === 'vide' ? box('mp4v', words(0, 1), Buffer.alloc(70)) : box('text', words(0, 1))
  const media = box(
    'mdia',
    clock ?? box('mdhd', words(0, 0, 0, 1000, 10_000, 0x55c4_0000)),
    box('hdlr', words(0, 0), Buffer.from(handler, 'latin1'), Buffer.alloc(13)),
    box('minf', box('stbl', box('stsd', words(0, 1), entry), ...tables)),
  )
  const names = chapters === undefined ? [] : [box('tref', box('chap', words(chapters)))]
  return box('trak', box('tkhd', words(3, 0, 0, id), Buffer.alloc(68)), ...names, media)
}

/** A movie box; `duration`: of mvhd, in thousandths of a second; `more`: boxes at its end. */
export function moov(tracks: readonly MadeTrack[], duration: number, ...more: readonly Buffer[]): Buffer {
  return box('moov', box('mvhd', words(0, 0, 0, 1000, duration)), ...tracks.map(trak), ...more)
}

/** A file of `size` bytes: the movie box at its start, then boxes, then mdat to the end; `texts`: by their places. */
export function film(movie: Buffer, size: number, texts: ReadonlyMap<number, string> = new Map()): Buffer {
  const head = Buffer.concat([box('ftyp', Buffer.from('isom'), words(0)), movie])
  const file = Buffer.concat([
    head,
    words(size - head.length),
    Buffer.from('mdat'),
    Buffer.alloc(size - head.length - 8),
  ])
  for (const [at, text] of texts) {
    file.writeUInt16BE(Buffer.byteLength(text), at)
    file.write(text, at + 2)
  }
  return file
}
