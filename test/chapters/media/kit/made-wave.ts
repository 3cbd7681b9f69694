// WAVE files made byte by byte.

/** What one is made of. */
export interface MadeWaveOptions {
  readonly kind?: 'RIFF' | 'RF64' | 'RIFX'
  /** Chunks before the sound. */
  readonly before?: readonly Buffer[]
  /** What the chunk of the sound says of its length; default: the truth. */
  readonly length?: number
  /** Format tag; default: PCM. */
  readonly tag?: number
}

const RATE = 8000
const CHANNELS = 2

/** A chunk, without the byte that odd ones end with. */
export function chunk(type: string, body: Buffer, length = body.length, isLittle = true): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  if (isLittle) head.writeUInt32LE(length, 4)
  else head.writeUInt32BE(length, 4)
  return Buffer.concat([head, body])
}

/** One of `seconds` of 16 bits at 8 kHz in two channels, with a chunk behind it. */
export function makeWave(
  seconds: number,
  { kind = 'RIFF', before = [], length, tag = 1 }: MadeWaveOptions = {},
): Buffer {
  const isLittle = kind !== 'RIFX'
  const format = Buffer.alloc(16)
  const fields = new DataView(format.buffer, format.byteOffset, format.length)
  fields.setUint16(0, tag, isLittle)
  fields.setUint16(2, CHANNELS, isLittle)
  fields.setUint32(4, RATE, isLittle)
  fields.setUint32(8, RATE * CHANNELS * 2, isLittle)
  fields.setUint16(12, CHANNELS * 2, isLittle)
  const sound = Buffer.alloc(seconds * RATE * CHANNELS * 2)
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    ...before,
    chunk('fmt ', format, format.length, isLittle),
    chunk('data', sound, length ?? sound.length, isLittle),
    chunk('LIST', Buffer.alloc(1000), 1000, isLittle),
  ])
  return chunk(kind, body, body.length, isLittle)
}
