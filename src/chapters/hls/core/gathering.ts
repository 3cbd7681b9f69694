// Takes what belongs to a segment out of the samples of a film, as they come in the order of the file: pictures from
// its key frame up to that of the next one, and the sound that begins in between, which may lie behind.

import { DecodeError } from '../../../base/errors.ts'
import {
  MAX_SAMPLES,
  MAX_SEGMENT_BYTES,
  SAME_TIME_S,
  type SegmentOrder,
  soundEnd,
  soundStart,
  videoStart,
} from './samples.ts'

/** How far behind the end sound of a segment may lie, s of pictures. */
const BEHIND_S = 2

/** A sample that was found; `item`: its bytes, or where they lie. */
export interface Found<Item> {
  readonly track: number
  /** When it is shown or heard, s. */
  readonly time: number
  readonly isKey: boolean
  readonly item: Item
}

/** What was taken: no more than segments may have, since what comes is kept. */
export class Gathering<Item> {
  readonly video: Found<Item>[] = []
  readonly sound: Found<Item>[] = []
  /** The last frame of sound before those, where it is converted. */
  before: Found<Item> | null = null
  readonly #order: SegmentOrder
  readonly #weigh: (item: Item) => number
  #bytes = 0
  #videoOver = false
  /** The next key frame has been taken, for the pictures that are shown before it. */
  #leading = false
  #soundOver: boolean

  /** `weigh`: bytes of an item. */
  constructor(order: SegmentOrder, weigh: (item: Item) => number) {
    this.#order = order
    this.#weigh = weigh
    this.#soundOver = order.sound === null
  }

  /** False: all is there. Throws DecodeError. */
  take(found: Found<Item>): boolean {
    if (found.track === this.#order.video) this.#takeVideo(found)
    else if (found.track === this.#order.sound) this.#takeSound(found)
    return !this.#videoOver || !this.#soundOver
  }

  #takeVideo(found: Found<Item>): void {
    const { time, isKey } = found
    const order = this.#order
    if (this.#videoOver) {
      // The sound has ended, or has a hole.
      if (time > order.end + BEHIND_S) this.#soundOver = true
      return
    }
    const isNext = isKey && time >= order.end - SAME_TIME_S
    if (this.#leading ? isNext || time >= order.end - SAME_TIME_S : isNext && order.withLeading !== true) {
      this.#videoOver = true
      return
    }
    this.#leading ||= isNext
    if (this.video.length > 0 || (isKey && time >= videoStart(order) - SAME_TIME_S)) this.#keep(this.video, found)
  }

  #takeSound(found: Found<Item>): void {
    const { time } = found
    const order = this.#order
    if (time >= soundEnd(order)) this.#soundOver = true
    else if (time >= soundStart(order)) this.#keep(this.sound, found)
    else if (order.soundMargin > 0 && !order.isFirst) this.before = found
  }

  #keep(kept: Found<Item>[], found: Found<Item>): void {
    this.#bytes += this.#weigh(found.item)
    if (kept.length >= MAX_SAMPLES || this.#bytes > 2 * MAX_SEGMENT_BYTES)
      throw new DecodeError('a part of it is too long')
    kept.push(found)
  }
}

/** Sound that begins later than this after its segment does lies before it in the file, or is not there, s. */
export const LATE_SOUND_S = 0.06
/** No frame of sound lasts longer than this, s. */
const LONGEST_FRAME_S = 5

/** How much of the start of a segment's sound is there. */
export function startOfSound(order: SegmentOrder, first: number | null): 'whole' | 'enough' | 'missing' {
  if (first === null) return order.isFirst ? 'whole' : 'missing'
  if (order.isFirst || first <= soundStart(order) + LATE_SOUND_S) return 'whole'
  return first <= order.start + LATE_SOUND_S ? 'enough' : 'missing'
}

/**
 * With the frame before the first one where that begins late: PCM lies in blocks of a second in some films, and such a
 * frame is heard in the segment too.
 */
export function withBefore<Item>(
  order: SegmentOrder,
  sound: readonly Found<Item>[],
  before: Found<Item> | null,
): readonly Found<Item>[] {
  const start = soundStart(order)
  const isLate = (sound[0]?.time ?? Number.POSITIVE_INFINITY) > start + LATE_SOUND_S
  return before !== null && isLate && before.time > start - LONGEST_FRAME_S ? [before, ...sound] : sound
}
