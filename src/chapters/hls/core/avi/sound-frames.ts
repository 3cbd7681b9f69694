// Frames in a stream of sound without borders, as AVI has it: by their heads, one after the other. A head counts only
// when another one like it, or the end, lies where its frame ends.

import { DecodeError } from '../../../../base/errors.ts'
import { MAX_SAMPLES } from '../samples.ts'

/** A frame: its place in the bytes, and its length. */
export interface SoundFrame {
  readonly at: number
  readonly length: number
}

/** Bits/s in thousands of MPEG audio: MPEG-1 layer 3, layer 2, and both of MPEG-2. */
const LAYER3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const LAYER2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
const LOW = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const MPEG_RATES = [44_100, 48_000, 32_000]
/** The same of AC-3. */
const AC3 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]

/** Bytes of the frame whose head lies at a place; 0 = there is none. */
type FrameLength = (bytes: Uint8Array, at: number) => number

const LENGTHS: ReadonlyMap<string, FrameLength> = new Map([
  ['mp3', (bytes: Uint8Array, at: number) => mpegLength(bytes, at, 1)],
  ['mp2', (bytes: Uint8Array, at: number) => mpegLength(bytes, at, 2)],
  ['ac3', ac3Length],
])

/**
 * The whole frames in `bytes`; null: sound of this codec has no frames of its own. Throws DecodeError when there are
 * more than a segment may have.
 */
export function soundFrames(codec: string, bytes: Uint8Array): SoundFrame[] | null {
  const lengthAt = LENGTHS.get(codec)
  if (lengthAt === undefined) return null
  const frames: SoundFrame[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at)
    const end = at + length
    const isFrame = length > 0 && (end === bytes.length || (end < bytes.length && lengthAt(bytes, end) > 0))
    if (isFrame && frames.push({ at, length }) > MAX_SAMPLES) throw new DecodeError('a part of its sound is too long')
    at = isFrame ? end : at + 1
  }
  return frames
}

/** `layer`: as its bits say it: 1 = the third, 2 = the second. */
function mpegLength(bytes: Uint8Array, at: number, layer: 1 | 2): number {
  // Most bytes are none.
  if (bytes[at] !== 0xff) return 0
  const [second = 0, third = 0] = [bytes[at + 1], bytes[at + 2]]
  const version = (second >> 3) & 3
  const rate = MPEG_RATES[(third >> 2) & 3] ?? 0
  if ((second & 0xe0) !== 0xe0 || version === 1 || ((second >> 1) & 3) !== layer || rate === 0) return 0
  const isOld = version === 3
  const bits = ((isOld ? (layer === 1 ? LAYER3 : LAYER2) : LOW)[third >> 4] ?? 0) * 1000
  const hertz = isOld ? rate : rate / (version === 2 ? 2 : 4)
  const samples = layer === 1 && !isOld ? 576 : 1152
  return bits === 0 ? 0 : Math.floor((samples / 8) * (bits / hertz)) + ((third >> 1) & 1)
}

function ac3Length(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x0b || bytes[at + 1] !== 0x77) return 0
  const fifth = bytes[at + 4] ?? 0
  const bits = AC3[(fifth & 63) >> 1]
  if (bits === undefined) return 0
  const rate = fifth >> 6
  if (rate === 0) return bits * 4
  if (rate === 2) return bits * 6
  return rate === 1 ? 2 * (Math.floor((bits * 96_000) / 44_100) + (fifth & 1)) : 0
}
