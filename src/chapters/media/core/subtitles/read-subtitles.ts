// Texts of a part of any film that has some: Matroska, WebM, MP4.

import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { isMatroska } from '../matroska/matroska-film.ts'
import { matroskaSubtitles } from '../matroska/matroska-subtitles.ts'
import { isMp4 } from '../mp4/mp4-film.ts'
import { mp4Subtitles } from '../mp4/mp4-subtitles.ts'
import { NoTexts, type SubtitleOrder, type SubtitlePart } from './subtitle-part.ts'

/** Bytes that tell containers apart. */
const SNIFFED_BYTES = 16

/**
 * Reads them; `isOver` says when it has taken long enough, and what was found is enough. Throws NoTexts, DecodeError:
 * it cannot be read; and what reading the head throws.
 */
export function readSubtitles(source: ByteSource, order: SubtitleOrder, isOver: () => boolean): SubtitlePart {
  const head = new FieldBytes(source.read(0, Math.min(source.size, SNIFFED_BYTES)))
  if (isMatroska(head)) return matroskaSubtitles(source, order, isOver)
  if (isMp4(head)) return mp4Subtitles(source, order, isOver)
  throw new NoTexts('texts are read of Matroska and MP4 alone')
}
