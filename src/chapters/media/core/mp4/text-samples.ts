// Samples of texts in MP4 and QuickTime: timed texts (3GPP TS 26.245, `tx3g`, and QuickTime's `text`) and WebVTT (ISO
// 14496-30, `wvtt`).

import { DecodeError } from '../../../../base/errors.ts'
import { type Cue, cueOf } from '../../../../wire/subtitles/cue.ts'
import type { Span } from '../../../../wire/subtitles/spans.ts'
import { untagged } from '../../../../wire/subtitles/timed-text.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { GatheredCues } from '../subtitles/gathered-cues.ts'
import type { SpotBytes } from '../subtitles/spot-bytes.ts'
import { MAX_TEXT_BYTES } from '../subtitles/subtitle-part.ts'
import { boxesIn, boxIn } from './boxes.ts'

/** Texts of UTF-16 begin with one of these. */
const MARKS: Readonly<Record<number, string>> = { 0xfe_ff: 'utf-16be', 0xff_fe: 'utf-16le' }

/** A text of nothing: a length of 0, or an empty box. */
const EMPTY_BYTES = { plain: 2, vtt: 8 } as const

const utf8 = new TextDecoder('utf-8')

/** A text, and where it lies. */
export interface PlacedText extends Span {
  readonly start: number
  readonly end: number
}

/** The texts of one track as they are read. */
export class TextSamples {
  readonly #spots: SpotBytes
  readonly #found: GatheredCues
  readonly #isVtt: boolean

  /** `codec`: as sample-entry.ts tells it. */
  constructor(spots: SpotBytes, found: GatheredCues, codec: string) {
    this.#spots = spots
    this.#found = found
    this.#isVtt = codec === 'vtt'
  }

  /** Reads one; what makes no sense, or is no text for people, is left out. Throws what reading throws. */
  take(text: PlacedText): void {
    const { start, end } = text
    const isEmpty = end - start <= EMPTY_BYTES[this.#isVtt ? 'vtt' : 'plain']
    if (isEmpty || end - start > MAX_TEXT_BYTES || start < 0 || end > this.#spots.size) return
    const bytes = new FieldBytes(this.#spots.read(start, end))
    try {
      for (const cue of this.#isVtt ? vttCues(bytes, text) : [plainCue(bytes, text)]) this.#found.take(cue)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  }
}

/** A length of 16 bits, and so many bytes of text; none is a pause. */
function plainCue(bytes: FieldBytes, time: Span): Cue | null {
  if (bytes.length < 2) return null
  const text = bytes.part(2, Math.min(bytes.length, 2 + bytes.u16(0)))
  const mark = text.length < 2 ? undefined : MARKS[text.u16(0)]
  return cueAt(time, (mark === undefined ? utf8 : new TextDecoder(mark)).decode(text.bytes))
}

/** Boxes, one for each text that is shown then. */
function* vttCues(bytes: FieldBytes, time: Span): Generator<Cue | null> {
  for (const { type, body } of boxesIn(bytes)) {
    const payload = type === 'vttc' ? boxIn(body, 'payl') : null
    if (payload !== null) yield cueAt(time, untagged(utf8.decode(payload.bytes.subarray(0, 8000)), true))
  }
}

function cueAt({ fromSec, toSec }: Span, text: string): Cue | null {
  return cueOf(Math.max(0, Math.round(fromSec * 1000)), Math.round(toSec * 1000), text)
}
