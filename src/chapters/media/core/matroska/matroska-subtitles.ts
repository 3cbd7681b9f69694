// Texts of a part of a Matroska film. Where the index tells the place of each, those places alone are read; else the
// clusters of the part are walked through by the heads of their blocks. Without an index they are found by their own
// heads, from the first one on.

import { DecodeError } from '../../../../base/errors.ts'
import type { Span } from '../../../../wire/subtitles/spans.ts'
import { type ByteSource, NotHere } from '../byte-source.ts'
import { HEAD_BUDGET_BYTES, MATROSKA_BUDGET_BYTES } from '../limits.ts'
import { MeteredSource } from '../metered-source.ts'
import { cueOfBlock, unpacked } from '../subtitles/block-cues.ts'
import { GatheredCues } from '../subtitles/gathered-cues.ts'
import { type KeySpan, keySpans } from '../subtitles/key-spans.ts'
import { Steps } from '../subtitles/part-steps.ts'
import { SpotBytes } from '../subtitles/spot-bytes.ts'
import type { SubtitleOrder, SubtitlePart } from '../subtitles/subtitle-part.ts'
import { type Element, elementAt, ID } from './elements.ts'
import { clusterTicks, type TextBlock, textAt, textsIn } from './text-blocks.ts'
import { readTextHead, type TextHead } from './text-head.ts'
import type { TextPlace } from './text-places.ts'

/** Reads them, until `isOver` says that it is enough. Throws NoTexts, DecodeError and what reading the head throws. */
export function matroskaSubtitles(source: ByteSource, order: SubtitleOrder, isOver: () => boolean): SubtitlePart {
  const metered = new MeteredSource(source, HEAD_BUDGET_BYTES + MATROSKA_BUDGET_BYTES)
  const head = readTextHead(metered, order.track)
  const spots = new SpotBytes(source, isOver, head.places === null ? 'heads' : 'spots')
  const reading = new PartReading(spots, order, head)
  if (head.places === null) reading.walk()
  else reading.visit(head.places)
  return reading.part(metered.fetched)
}

/** One part as it is read. */
class PartReading {
  readonly #order: SubtitleOrder
  readonly #head: TextHead
  readonly #spots: SpotBytes
  readonly #found = new GatheredCues()
  readonly #steps = new Steps()
  /** The last text that was seen, s: those of a track lie in the order of their times. */
  #seenSec = 0

  constructor(spots: SpotBytes, order: SubtitleOrder, head: TextHead) {
    this.#order = order
    this.#head = head
    this.#spots = spots
  }

  /** What was found; `before`: bytes that were read of the head. */
  part(before: number): SubtitlePart {
    return this.#found.part(this.#order, before + this.#spots.fetched)
  }

  /** Reads the texts of the part at their places. */
  visit(places: readonly TextPlace[]): void {
    const { toSec } = this.#order
    const asked = places.filter(({ time }) => isIn(this.#order, time))
    this.#found.cover(this.#order.fromSec, toSec)
    for (const { place, next } of withNext(asked, toSec)) {
      const outcome = this.#found.attempt(() => this.#visitOne(place))
      if (outcome === 'missing') this.#found.leaveOut(place.time, next)
      if (outcome === 'over') return this.#found.leaveOut(place.time, toSec)
    }
  }

  /** Walks through the clusters of the part. */
  walk(): void {
    const { keys, end: first } = this.#head
    for (const part of keySpans(keys, { first, size: this.#spots.size }, this.#order)) if (!this.#walkOne(part)) return
  }

  /** The clusters from a byte up to another; false: no more may be read. */
  #walkOne({ start, end, span }: KeySpan): boolean {
    let reached = span.fromSec
    const outcome = this.#found.attempt(() => {
      for (let at = start; at < end && reached < this.#order.toSec; ) {
        this.#steps.take()
        const element = elementAt(this.#spots, at)
        if (element === null || (element.id !== ID.cluster && element.end === null)) return
        if (element.id === ID.cluster) {
          const ticks = clusterTicks(this.#spots, element)
          reached = Math.max(reached, Math.min(ticks * this.#head.tick, span.toSec))
          at = this.#isBefore(element.end, end, reached) ? (element.end ?? end) : this.#textsOf(element, ticks)
        } else at = element.end ?? end
      }
    })
    if (outcome === 'over') reached = Math.max(reached, Math.min(this.#seenSec, span.toSec))
    return this.#found.walked(span, outcome, reached, this.#isLost(reached))
  }

  /** The part is not reached from the start of the film, and never will be: to ask again reads the same once more. */
  #isLost(reached: number): boolean {
    return this.#head.keys.times.length === 0 && reached <= this.#order.fromSec && !this.#spots.isLate
  }

  /** Whether a cluster that ends at a byte is over before the part begins: the next one is not later than that. */
  #isBefore(next: number | null, end: number, reached: number): boolean {
    if (next === null || next >= end || reached >= this.#order.fromSec) return false
    try {
      const element = elementAt(this.#spots, next)
      return element?.id === ID.cluster && clusterTicks(this.#spots, element) * this.#head.tick <= this.#order.fromSec
    } catch (error) {
      if (error instanceof NotHere || error instanceof DecodeError) return false
      throw error
    }
  }

  /** The first byte behind the cluster. */
  #textsOf(cluster: Element, ticks: number): number {
    const texts = textsIn(this.#spots, cluster, ticks, this.#head.track.number, this.#steps)
    for (;;) {
      const { done, value } = texts.next()
      if (done === true) return value
      this.#seenSec = Math.max(this.#seenSec, value.ticks * this.#head.tick)
      // Those of a long cluster beside the part do not count.
      if (isIn(this.#order, value.ticks * this.#head.tick)) this.#take(value)
    }
  }

  #visitOne({ cluster, within }: TextPlace): void {
    this.#steps.take()
    const head = elementAt(this.#spots, cluster)
    if (head?.id !== ID.cluster) throw new DecodeError('there is no cluster where its index says')
    const ticks = clusterTicks(this.#spots, head)
    const element = elementAt(this.#spots, head.body + within)
    if (element === null || (head.end !== null && head.body + within >= head.end))
      throw new DecodeError('there is no text where its index says')
    const text = textAt(this.#spots, element, ticks, this.#head.track.number, this.#steps)
    if (text !== null) this.#take(text)
  }

  /** One that cannot be unpacked is left out. */
  #take({ ticks, length, bytes }: TextBlock): void {
    const { track, tick } = this.#head
    const ms = tick * 1000
    try {
      const text = unpacked(bytes, track.packings)
      this.#found.take(cueOfBlock(track.kind, ticks * ms, length === null ? null : length * ms, text))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  }
}

/** Whether a text that begins then is one of the part. */
function isIn({ fromSec, toSec }: Span, sec: number): boolean {
  return sec >= fromSec && sec < toSec
}

/** Each place with the time of the first that is later than it. */
function withNext(places: readonly TextPlace[], end: number): { readonly place: TextPlace; readonly next: number }[] {
  let [next, time] = [end, end]
  return places
    .toReversed()
    .map(place => {
      if (place.time < time) [next, time] = [time, place.time]
      return { place, next }
    })
    .toReversed()
}
