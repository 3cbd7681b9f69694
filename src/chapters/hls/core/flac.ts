// What the head of FLAC says (RFC 9639, 8.2), as Matroska and MP4 keep it, and how long a frame is heard (9.1.1).

import { DecodeError } from '../../../base/errors.ts'

const MARK = [0x66, 0x4c, 0x61, 0x43]
const BLOCK_HEAD_BYTES = 4
const INFO_BYTES = 34

/** A sound in FLAC. */
export interface FlacSetup {
  /** Hz. */
  readonly rate: number
  readonly channels: number
  /** Samples of a frame of each channel, at most. */
  readonly maxFrame: number
  /** STREAMINFO behind its head, as the only metadata. */
  readonly head: Uint8Array
}

/** Reads it, with its mark or without. Throws DecodeError. */
export function readFlacSetup(config: Uint8Array): FlacSetup {
  const hasMark = MARK.every((byte, at) => config[at] === byte)
  const start = hasMark ? MARK.length : 0
  const info = config.subarray(start + BLOCK_HEAD_BYTES, start + BLOCK_HEAD_BYTES + INFO_BYTES)
  if (info.length < INFO_BYTES || ((config[start] ?? 0) & 0x7f) !== 0) throw new DecodeError('its sound has no head')
  const [high = 0, middle = 0, low = 0] = info.subarray(10)
  const rate = high * 4096 + middle * 16 + (low >> 4)
  const maxFrame = (info[2] ?? 0) * 256 + (info[3] ?? 0)
  if (rate === 0 || maxFrame < 16) throw new DecodeError('the head of its sound makes no sense')
  const head = Uint8Array.from([0x80, 0, 0, INFO_BYTES, ...info])
  return { rate, channels: ((low >> 1) & 7) + 1, maxFrame, head }
}

/** Samples of a frame, of each channel. Throws DecodeError. */
export function flacFrameSamples(frame: Uint8Array): number {
  if (frame.length < 6 || frame[0] !== 0xff || ((frame[1] ?? 0) & 0xfe) !== 0xf8)
    throw new DecodeError('its sound is not FLAC as it says')
  const code = (frame[2] ?? 0) >> 4
  if (code === 0) throw new DecodeError('a frame of its sound does not say its length')
  if (code === 1) return 192
  if (code <= 5) return 576 << (code - 2)
  if (code >= 8) return 256 << (code - 8)
  // Behind the number of the frame, which is as long as a character of UTF-8.
  const at = 4 + numberBytes(frame[4] ?? 0)
  const [first = 0, second = 0] = frame.subarray(at)
  return code === 6 ? first + 1 : first * 256 + second + 1
}

function numberBytes(first: number): number {
  if (first < 0x80) return 1
  return Math.min(7, Math.max(2, Math.clz32(~first & 0xff) - 24))
}
