// Subtitles for the browser, which knows WebVTT alone: texts and times of SubRip, WebVTT, ASS and SSA. Pure.

import { assCues } from '../../../wire/subtitles/ass.ts'
import { type Cue, fewAtOnce } from '../../../wire/subtitles/cue.ts'
import { timedText } from '../../../wire/subtitles/timed-text.ts'

/** File names that can be shown as subtitles. */
export const SUBTITLE_NAME = /\.(vtt|srt|ass|ssa)$/i

/** Bytes of a file that is read: what is longer holds no subtitles. */
export const MAX_SUBTITLE_BYTES = 8 * 1024 * 1024

/** Lines looked at. */
const MAX_LINES = 400_000

function* linesOf(text: string): Generator<string> {
  let from = 0
  for (let count = 0; from <= text.length && count < MAX_LINES; count++) {
    const next = text.indexOf('\n', from)
    const end = next === -1 ? text.length : next
    yield text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end)
    from = end + 1
  }
}

/** Cues of a text, by their start; its own first words tell which kind it is, for names lie. Empty: it is none. */
export function cuesOf(text: string): Cue[] {
  // Old Macs end lines so.
  const plain = text.includes('\n') ? text : text.replaceAll('\r', '\n')
  const head = plain.slice(0, 4096)
  if (/^\s*\[script info\]/im.test(head) || /^Dialogue:/im.test(head)) return fewAtOnce(assCues(linesOf(plain)))
  return fewAtOnce(timedText(linesOf(plain), /^\s*WEBVTT\b/.test(head)))
}
