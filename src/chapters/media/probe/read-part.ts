// Texts of a part of a film from a source of bytes: the work of the thread, callable without one.

import type { ByteSource } from '../core/byte-source.ts'
import { readSubtitles } from '../core/subtitles/read-subtitles.ts'
import { NoTexts, type SubtitleOrder, type SubtitlePart } from '../core/subtitles/subtitle-part.ts'
import { type NotRead, notRead } from './read-facts.ts'

/** What became of it. */
export type TextsOutcome =
  | { readonly kind: 'texts'; readonly part: SubtitlePart }
  /** There are none by this number; `why`: a sentence without its beginning. */
  | { readonly kind: 'none'; readonly why: string }
  | NotRead

/** Reads them, until `isOver` says that what was found is enough. Throws only for bugs. */
export function readPart(source: ByteSource, order: SubtitleOrder, isOver: () => boolean): TextsOutcome {
  try {
    return { kind: 'texts', part: readSubtitles(source, order, isOver) }
  } catch (error) {
    return error instanceof NoTexts ? { kind: 'none', why: error.message } : notRead(error)
  }
}
