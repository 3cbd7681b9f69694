// A FLAC file of ten seconds, made byte by byte: its seek table lies behind padding, so that the head can be there
// without it.

/** Where its parts are. */
export interface MadeFlac {
  readonly bytes: Uint8Array
  /** The seek table with its head. */
  readonly table: { readonly start: number; readonly end: number }
}

const SAMPLE_RATE = 48_000
const SECONDS = 10
const POINTS = 10

/** Makes one; `padding`: bytes between its head and its seek table. */
export function makeFlac(padding = 40_000): MadeFlac {
  const info = Buffer.alloc(34)
  // Rate in 20 bits, channels less one in 3, bits a sample less one in 5, samples in 36.
  info.writeBigUInt64BE((BigInt(SAMPLE_RATE) << 44n) | (1n << 41n) | (15n << 36n) | BigInt(SAMPLE_RATE * SECONDS), 10)
  const table = Buffer.alloc(18 * POINTS)
  for (let point = 0; point < POINTS; point += 1) {
    table.writeBigUInt64BE(BigInt(point * SAMPLE_RATE), point * 18)
    table.writeBigUInt64BE(BigInt(point * 1000), point * 18 + 8)
  }
  const head = Buffer.concat([Buffer.from('fLaC'), block(0, info), block(1, Buffer.alloc(padding))])
  const end = block(0x83, table)
  const bytes = new Uint8Array(Buffer.concat([head, end, Buffer.alloc(SECONDS * 1000, 0x55)]))
  return { bytes, table: { start: head.length, end: head.length + end.length } }
}

function block(kind: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  head[0] = kind
  return Buffer.concat([head, body])
}
