// Which container a file is, and its facts where they are read here: Matroska, MP4, AVI, FLAC and WAVE. Of the others
// it is said which they are, for src/chapters/media/probe.

import { DecodeError } from '../../../base/errors.ts'
import { readAvi } from './avi/avi-film.ts'
import { isAvi } from './avi/avi-head.ts'
import { FieldBytes } from './field-bytes.ts'
import type { Container, FilmReading } from './film-facts.ts'
import { isFlac, readFlac } from './flac-film.ts'
import { MATROSKA_BUDGET_BYTES } from './limits.ts'
import { isMatroska, readMatroska } from './matroska/matroska-film.ts'
import type { MeteredSource } from './metered-source.ts'
import { isMp4, readMp4 } from './mp4/mp4-film.ts'
import { TAG_HEAD_BYTES, tagLength } from './tags.ts'
import { isTransportStream } from './ts/packets.ts'
import { isWave, readWave } from './wave-film.ts'

/** Bytes that tell containers apart. */
const SNIFFED_BYTES = 2048

/** A container that another reader has to read. */
export interface OtherContainer {
  readonly container: Exclude<Container, 'mp4' | 'matroska' | 'webm' | 'flac' | 'wave' | 'avi'>
  /** First byte behind tags. */
  readonly start: number
}

/**
 * The facts, or who has to read them. `source`: with HEAD_BUDGET_BYTES, of which nothing is fetched. Throws
 * DecodeError: it cannot be read; and what reading throws.
 */
export function readFilm(source: MeteredSource): FilmReading | OtherContainer {
  const head = new FieldBytes(source.read(0, SNIFFED_BYTES))
  if (isMatroska(head)) {
    source.allow(MATROSKA_BUDGET_BYTES)
    return readMatroska(source)
  }
  if (isAvi(head)) return readAvi(source)
  if (isTransportStream(head)) return { container: 'mpegts', start: 0 }
  const start = tagLength(head)
  const sound = start === 0 ? head : behindTag(source, start)
  if (isFlac(sound, 0)) return readFlac(source, start)
  if (isWave(sound)) return readWave(source, start)
  const container = soundOf(sound, start > 0)
  if (container !== null) return { container, start }
  if (isMp4(head)) return readMp4(source)
  if (/^\uFEFF?#EXTM3U/.test(head.text(0, Math.min(head.length, 16))))
    throw new DecodeError('it is a playlist, whose addresses are not followed')
  throw new DecodeError('it is none of the containers that this node knows')
}

function behindTag(source: MeteredSource, start: number): FieldBytes {
  if (start >= source.size) throw new DecodeError('it holds nothing but a tag')
  return new FieldBytes(source.read(start, start + TAG_HEAD_BYTES + 2))
}

/** Null: none of these. A tag is taken for one of MP3 when what follows is not known at once: there may be padding. */
function soundOf(head: FieldBytes, tagged: boolean): OtherContainer['container'] | null {
  if (head.length < 12) return null
  if (head.latin(0, 4) === 'OggS') return 'ogg'
  const frame = head.u16(0)
  if ((frame & 0xff_f6) === 0xff_f0) return 'adts'
  const layer = (frame >> 1) & 3
  // Not the first layer (3): nobody has it, and texts in UTF-16 would begin with a frame of it.
  const isMp3 = (frame & 0xff_e0) === 0xff_e0 && (layer === 1 || layer === 2)
  return isMp3 || tagged ? 'mp3' : null
}
