// Packets of elementary streams (PES, ISO 13818-1, 2.4.3.6): pictures and sound with the times at which they are
// decoded and shown.

/** Which stream a packet is of. */
export const STREAM = { video: 0xe0, sound: 0xc0 } as const

const HEAD_BYTES = 9
const TIME_BYTES = 5
/** Longer ones, which only pictures may be, say no length. */
const MAX_LENGTH = 0xff_ff
const WRAP = 2 ** 33
/** Shorter ones are filled up: the last of a stream is spread over up to 16 packets, each of which holds a byte. */
const MIN_BYTES = 32

/** One of `parts` that follow each other. Ticks of 90 kHz; `decoded` null = when it is shown. */
export function elementaryPacket(
  stream: number,
  shown: number,
  decoded: number | null,
  parts: readonly Uint8Array[],
): Uint8Array {
  const times = decoded === null || decoded === shown ? TIME_BYTES : 2 * TIME_BYTES
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const filling = Math.max(0, MIN_BYTES - HEAD_BYTES - times - size)
  const length = 3 + times + filling + size
  const bytes = new Uint8Array(HEAD_BYTES + times + filling + size)
  bytes.set([0, 0, 1, stream])
  if (length <= MAX_LENGTH && stream !== STREAM.video) bytes.set([length >> 8, length & 0xff], 4)
  bytes.set([0x84, times === TIME_BYTES ? 0x80 : 0xc0, times + filling], 6)
  writeTime(bytes, HEAD_BYTES, times === TIME_BYTES ? 2 : 3, shown)
  if (times > TIME_BYTES) writeTime(bytes, HEAD_BYTES + TIME_BYTES, 1, decoded ?? shown)
  let at = HEAD_BYTES + times + filling
  bytes.fill(0xff, HEAD_BYTES + times, at)
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function writeTime(bytes: Uint8Array, at: number, prefix: number, ticks: number): void {
  // Before the start of the clock is at its end.
  const time = ((ticks % WRAP) + WRAP) % WRAP
  const [high, middle, low] = [Math.floor(time / 2 ** 30), Math.floor(time / 2 ** 15) & 0x7f_ff, time % 2 ** 15]
  bytes.set(
    [(prefix << 4) | (high << 1) | 1, middle >> 7, ((middle & 0x7f) << 1) | 1, low >> 7, ((low & 0x7f) << 1) | 1],
    at,
  )
}
