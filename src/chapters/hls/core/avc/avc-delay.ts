// How long pictures of H.264 are decoded before they are shown: the same over the whole film.

import { DecodeError } from '../../../../base/errors.ts'
import type { VideoSamples } from '../samples.ts'
import { TICKS, USUAL_FRAME_S, USUAL_REORDER } from '../timeline.ts'
import { type AvcTiming, readAvcTiming } from './sequence.ts'

/**
 * So many are a whole number of microseconds: libavformat compares the first decode time with itself, rounded
 * otherwise.
 */
const WHOLE_TICKS = 9

/** Ticks. `sequence`: its first sequence parameter set. */
export function avcDelay(video: Pick<VideoSamples, 'frameSeconds'>, sequence: Uint8Array | undefined): number {
  const timing = sequence === undefined ? null : timingOf(sequence)
  const frame = video.frameSeconds ?? timing?.frameSeconds ?? USUAL_FRAME_S
  const ticks = (timing?.reorder ?? USUAL_REORDER) * frame * TICKS
  return Math.ceil(ticks / WHOLE_TICKS) * WHOLE_TICKS
}

/** Null: it cannot be read, which is the player's business. */
function timingOf(sequence: Uint8Array): AvcTiming | null {
  try {
    return readAvcTiming(sequence)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
