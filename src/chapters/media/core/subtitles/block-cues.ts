// Texts of subtitles as containers hold them, each by itself: without times of their own, and packed once more in some
// films. Only the text goes on.

import { inflateSync } from 'node:zlib'
import { DecodeError } from '../../../../base/errors.ts'
import { assText } from '../../../../wire/subtitles/ass.ts'
import { type Cue, cueOf } from '../../../../wire/subtitles/cue.ts'
import { untagged } from '../../../../wire/subtitles/timed-text.ts'
import { MAX_TEXT_BYTES } from './subtitle-part.ts'

/** How texts are written: SubRip, ASS and SSA, WebVTT, and WebVTT as WebM had it first. */
export type TextKind = 'srt' | 'ass' | 'vtt' | 'webm-vtt'

/** What was done to the bytes of each text. */
export type TextPacking = { readonly kind: 'zlib' } | { readonly kind: 'stripped'; readonly prefix: Uint8Array }

/** A text without a length is shown so long, ms. */
const USUAL_MS = 5000
/** Characters of a text with its codes; 1,000 without them are shown. */
const MAX_CODED_CHARS = 8000
/** ReadOrder, Layer, Style, Name, three margins and Effect come before the text. */
const ASS_FIELDS = 8

const utf8 = new TextDecoder('utf-8')

/** The bytes as they were before they were packed, the last way first. Throws DecodeError. */
export function unpacked(bytes: Uint8Array, packings: readonly TextPacking[]): Uint8Array {
  let found = bytes
  for (const packing of packings)
    found = packing.kind === 'zlib' ? inflated(found) : Buffer.concat([packing.prefix, found])
  if (found.length > MAX_TEXT_BYTES) throw new DecodeError('a text is too long')
  return found
}

/** Never more than a text may have, whatever was packed. */
function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_TEXT_BYTES })
  } catch (error) {
    throw new DecodeError(`a text cannot be unpacked: ${error instanceof Error ? error.message : ''}`)
  }
}

/** A text of UTF-8 with its time; null: it shows nothing. `lengthMs` null: it does not say how long. */
export function cueOfBlock(kind: TextKind, startMs: number, lengthMs: number | null, bytes: Uint8Array): Cue | null {
  const text = utf8.decode(bytes.subarray(0, 4 * MAX_CODED_CHARS)).slice(0, MAX_CODED_CHARS)
  return cueOf(Math.round(startMs), Math.round(startMs + (lengthMs ?? USUAL_MS)), plainOf(kind, text))
}

function plainOf(kind: TextKind, text: string): string {
  if (kind === 'srt') return untagged(text, false)
  if (kind === 'vtt') return untagged(text, true)
  if (kind === 'ass') return assText(behind(text, ',', ASS_FIELDS))
  // Its id and its settings are lines before it.
  return untagged(behind(text, '\n', 2), true)
}

/** What follows the mark number `count`; '' where there are fewer. */
function behind(text: string, mark: string, count: number): string {
  let at = 0
  for (let left = count; left > 0; left -= 1) {
    const found = text.indexOf(mark, at)
    if (found < 0) return ''
    at = found + 1
  }
  return text.slice(at)
}
