// What a frame of MP3 says of itself (ISO 11172-3, 2.4.1.3): how long it is heard.

import { DecodeError } from '../../../base/errors.ts'

/** Hz of MPEG-1; of MPEG-2 half, of MPEG-2.5 a quarter. */
const RATES = [44_100, 48_000, 32_000]

/** What frames of one track have in common. */
export interface Mp3Setup {
  readonly frameSeconds: number
  /** Of MPEG-2 or 2.5, which have half the samples in a frame. */
  readonly isLow: boolean
}

/** Reads it of a frame; null: a usual one. Throws DecodeError when it is none. */
export function mp3Setup(frame: Uint8Array | null): Mp3Setup {
  if (frame === null) return { frameSeconds: 1152 / 48_000, isLow: false }
  const [first = 0, second = 0, third = 0] = frame
  const rate = RATES[(third >> 2) & 3]
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3]
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || layer !== 1 || rate === undefined)
    throw new DecodeError('its sound is not MP3 as it says')
  if (version === 3) return { frameSeconds: 1152 / rate, isLow: false }
  return { frameSeconds: 576 / (rate / (version === 2 ? 2 : 4)), isLow: true }
}
