// How many bytes a second of ADTS takes (ISO 13818-7, 6.2): counted over the frames of a piece.

import type { FieldBytes } from './field-bytes.ts'

const SAMPLES = 1024
const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]

/** Bytes a second over the whole frames that begin `bytes`; null = there are none. */
export function adtsBytesPerSecond(bytes: FieldBytes): number | null {
  let [at, frames, rate] = [0, 0, 0]
  while (at + 7 <= bytes.length && (bytes.u16(at) & 0xff_f6) === 0xff_f0) {
    const length = (bytes.u24(at + 3) >> 5) & 0x1f_ff
    if (length < 7 || at + length > bytes.length) break
    rate = RATES[(bytes.u8(at + 2) >> 2) & 15] ?? 0
    at += length
    frames += 1
  }
  return frames === 0 || rate === 0 ? null : at / ((frames * SAMPLES) / rate)
}
