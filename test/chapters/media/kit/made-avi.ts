// AVI files made by hand, as muxers other than ffmpeg make them.

/** A chunk with its head, padded to an even length. */
export function chunk(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

/** A list of chunks. */
export function list(type: string, ...chunks: readonly Uint8Array[]): Buffer {
  return chunk('LIST', Buffer.concat([Buffer.from(type, 'latin1'), ...chunks]))
}

/** Numbers of four bytes. */
export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * 4)
  return bytes
}

/** A stream of pictures, `rate`/`scale` of them in a second; `more`: chunks behind its format. */
export function videoStream(rate: number, scale: number, code = 'XVID', ...more: readonly Uint8Array[]): Buffer {
  const head = Buffer.concat([
    Buffer.from('vids'),
    Buffer.from(code),
    numbers(0, 0, 0, scale, rate, 0, 100, 0, 0, 0),
    numbers(0, 0),
  ])
  const format = Buffer.concat([numbers(40, 320, 180, 0x18_00_01), Buffer.from(code), numbers(0, 0, 0, 0, 0)])
  return list('strl', chunk('strh', head), chunk('strf', format), ...more)
}

/** One of MP3 at 128 kbit/s, `unitBytes` 1, or 0 for a chunk a frame. */
export function soundStream(unitBytes: number): Buffer {
  const [scale, rate] = unitBytes === 0 ? [1152, 44_100] : [1, 16_000]
  const head = Buffer.concat([
    Buffer.from('auds'),
    numbers(0, 0, 0, 0, scale, rate, 0, 100, 0, 0, unitBytes),
    numbers(0, 0),
  ])
  const format = Buffer.alloc(30)
  format.writeUInt16LE(0x55, 0)
  format.writeUInt16LE(2, 2)
  format.writeUInt32LE(44_100, 4)
  format.writeUInt32LE(16_000, 8)
  return list('strl', chunk('strh', head), chunk('strf', format))
}

/** A film of chunks, with its old index; `from`: what its places count from. */
export function madeAvi(
  streams: readonly Uint8Array[],
  chunks: readonly { readonly type: string; readonly body: Uint8Array; readonly isKey: boolean }[],
  from: 'list' | 'file' | 'none',
): { readonly bytes: Buffer; readonly places: readonly number[] } {
  const head = Buffer.concat([
    Buffer.from('RIFF\0\0\0\0AVI ', 'latin1'),
    list('hdrl', chunk('avih', Buffer.alloc(56)), ...streams),
  ])
  const bodies = chunks.map(({ type, body }) => chunk(type, body))
  const first = head.length + 12
  const places: number[] = []
  let at = first
  for (const body of bodies) {
    places.push(at)
    at += body.length
  }
  const entries = chunks.map(({ type, body, isKey }, number) =>
    Buffer.concat([
      Buffer.from(type),
      numbers(isKey ? 0x10 : 0, (places[number] ?? 0) - (from === 'list' ? first - 4 : 0), body.length),
    ]),
  )
  const index = from === 'none' ? [] : [chunk('idx1', Buffer.concat(entries))]
  return { bytes: Buffer.concat([head, list('movi', ...bodies), ...index]), places }
}
