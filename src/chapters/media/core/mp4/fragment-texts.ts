// Texts of a part of an MP4 film in fragments: those of the part are found by the index of its key frames, or from the
// first one on, and of each its head is read, and the texts.

import { DecodeError } from '../../../../base/errors.ts'
import type { Span } from '../../../../wire/subtitles/spans.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { KeyTable } from '../film-facts.ts'
import { MAX_PART_BYTES } from '../limits.ts'
import type { GatheredCues } from '../subtitles/gathered-cues.ts'
import { type KeySpan, keySpans } from '../subtitles/key-spans.ts'
import { Steps } from '../subtitles/part-steps.ts'
import type { SpotBytes } from '../subtitles/spot-bytes.ts'
import { boxesIn, boxIn, type FileBox, fileBoxAt } from './boxes.ts'
import { firstTicks, type SampleDefaults, samplesOfPart, type TrackPart } from './fragment-runs.ts'
import type { MovieTrack } from './movie.ts'
import type { TextSamples } from './text-samples.ts'

/** What is known of a film in fragments. */
export interface FragmentedTexts {
  readonly track: MovieTrack
  readonly defaults: SampleDefaults
  /** The track that says when a fragment begins. */
  readonly main: MovieTrack
  /** Where the first fragment begins. */
  readonly first: number
  /** Times and first bytes of fragments, which rise. */
  readonly keys: Pick<KeyTable, 'times' | 'bytes'>
  /** Its index is not there yet. */
  readonly mayHaveKeys: boolean
}

/** Reads them. Throws NoTexts where the part is too far from the start to be found. */
export class FragmentTexts {
  readonly #film: FragmentedTexts
  readonly #order: Span
  readonly #spots: SpotBytes
  readonly #found: GatheredCues
  readonly #samples: TextSamples
  readonly #steps = new Steps()
  /** The last fragment whose head was read begins then, s. */
  #beginSec = 0

  constructor(film: FragmentedTexts, order: Span, spots: SpotBytes, found: GatheredCues, samples: TextSamples) {
    this.#film = film
    this.#order = order
    this.#spots = spots
    this.#found = found
    this.#samples = samples
  }

  /** All of the part. */
  walk(): void {
    const { keys, first } = this.#film
    for (const part of keySpans(keys, { first, size: this.#spots.size }, this.#order)) if (!this.#walkOne(part)) return
  }

  /** The fragments from a byte up to another; false: no more may be read. */
  #walkOne({ start, end, span }: KeySpan): boolean {
    this.#beginSec = span.fromSec
    const outcome = this.#found.attempt(() => {
      for (let at = start; at < end && this.#reached(span) < this.#order.toSec; ) {
        this.#steps.take()
        const box = fileBoxAt(this.#spots, at)
        if (box === null) return
        if (box.type === 'moof') this.#fragment(box)
        at = box.end
      }
    })
    const reached = this.#reached(span)
    return this.#found.walked(span, outcome, reached, this.#isLost(reached))
  }

  /** To ask again would read the same once more. */
  #isLost(reached: number): boolean {
    const { keys, mayHaveKeys } = this.#film
    return keys.times.length === 0 && !mayHaveKeys && reached <= this.#order.fromSec && !this.#spots.isLate
  }

  /** All that begins before this has been looked at. */
  #reached({ fromSec, toSec }: Span): number {
    return Math.max(fromSec, Math.min(this.#beginSec, toSec))
  }

  /** Takes its texts. */
  #fragment({ start, body, end }: FileBox): void {
    if (end - body > MAX_PART_BYTES || end > this.#spots.size) throw new DecodeError('a fragment is too long')
    const { main, track } = this.#film
    const parts: TrackPart[] = []
    for (const { type, body: traf } of boxesIn(new FieldBytes(this.#spots.read(body, end)))) {
      this.#steps.take()
      const head = type === 'traf' ? boxIn(traf, 'tfhd') : null
      if (head === null) continue
      const id = head.u32(4)
      if (id === main.id) this.#beginSec = Math.max(this.#beginSec, firstTicks(traf) / main.timescale + main.shift)
      if (id === track.id) parts.push({ traf, head, moof: start })
    }
    for (const part of parts) this.#texts(part)
  }

  #texts(part: TrackPart): void {
    const { track, defaults } = this.#film
    for (const { ticks, later, duration, start, end } of samplesOfPart(part, defaults)) {
      this.#steps.take()
      const fromSec = (ticks + later) / track.timescale + track.shift
      const toSec = fromSec + duration / track.timescale
      if (fromSec < this.#order.toSec && toSec > this.#order.fromSec) this.#samples.take({ fromSec, toSec, start, end })
    }
  }
}
