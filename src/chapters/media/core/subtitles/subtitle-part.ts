// A part of a film's subtitles: which is asked for, what was found of it, and what finding it may take.

import type { Cue } from '../../../../wire/subtitles/cue.ts'
import type { Span } from '../../../../wire/subtitles/spans.ts'
import type { ByteRange } from '../byte-source.ts'

/** What is asked for: texts of a track that are shown in a part of the film. */
export interface SubtitleOrder extends Span {
  /** Its number in the file. */
  readonly track: number
}

/** What was found. */
export interface SubtitlePart {
  /** By their start; those of parts that are not covered may be among them. */
  readonly cues: readonly Cue[]
  /** The parts of what was asked for of which all texts are here; the rest was not there yet, or was too much. */
  readonly covered: readonly Span[]
  /** Where the first of those that were not there lie; null: all were. */
  readonly missing: ByteRange | null
  /** Bytes that were read for it. */
  readonly fetched: number
}

/** The film has no texts by this number, or they cannot be found; the message: why, without the start of a sentence. */
export class NoTexts extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'NoTexts'
  }
}

/** Read of a film for one part, beside its head and index. */
export const PART_BUDGET_BYTES = 32 * 1024 * 1024
/** And how often: each read is a message to the node and back. */
export const MAX_PART_READS = 8192
/** Elements that are looked at; films with five tracks of sound have some 300 a second. */
export const MAX_PART_STEPS = 150_000
/** Texts of one part; a film has some 1,000 an hour. WebVTT of more would hold up the node for too long. */
export const MAX_PART_CUES = 2000
/** Characters of all of them. */
export const MAX_PART_CHARS = 128 * 1024
/** One text with its codes, packed or not; what is longer is none for people. */
export const MAX_TEXT_BYTES = 64 * 1024
