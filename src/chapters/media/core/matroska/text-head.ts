// The head of a Matroska film, as far as its texts need it: the track, the clock, and what the index tells of places.

import { DecodeError } from '../../../../base/errors.ts'
import { OverBudget } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { keyTrackOf } from '../film-parts.ts'
import { risingKeys } from '../key-table.ts'
import { MAX_CUES_BYTES, MAX_PART_BYTES } from '../limits.ts'
import type { MeteredSource } from '../metered-source.ts'
import { type CueUnits, readCues } from './cues.ts'
import { childrenOf, ID, uintOf } from './elements.ts'
import { type Part, SegmentParts } from './segment.ts'
import { type TextPlace, textPlaces } from './text-places.ts'
import { type TextTrack, textTrack } from './text-track.ts'
import { readTracks } from './tracks.ts'

/** What the index tells. */
interface TextIndex {
  /** Of each text; null: not of each. */
  readonly places: readonly TextPlace[] | null
  /** Where parts of the film begin, each up to the next: seconds, and first bytes of clusters. */
  readonly keys: { readonly times: readonly number[]; readonly bytes: readonly number[] }
}

/** A film's head. */
export interface TextHead extends TextIndex {
  readonly track: TextTrack
  /** Seconds of one tick. */
  readonly tick: number
  /** First byte behind what was seen before the clusters. */
  readonly end: number
}

const NO_INDEX: TextIndex = { places: null, keys: { times: [], bytes: [] } }

/** Reads it. Throws NoTexts, DecodeError and what reading throws. */
export function readTextHead(source: MeteredSource, number: number): TextHead {
  const parts = new SegmentParts(source)
  const tick = tickOf(bodyOf(source, parts.find(ID.info), MAX_PART_BYTES))
  const found = parts.find(ID.tracks)
  if (found === null) throw new DecodeError('it has no tracks')
  const tracks = bodyOf(source, found, MAX_PART_BYTES)
  const track = textTrack(tracks, number)
  const end = parts.passed.at(-1)?.end ?? parts.body
  return { track, tick, end, ...indexOf(source, parts, tracks, { number, tick }) }
}

/** Without a length a tick is a millisecond, by the format. */
function tickOf(info: FieldBytes): number {
  let scale = 1_000_000
  for (const child of childrenOf(info)) if (child.id === ID.timestampScale) scale = uintOf(child.body)
  if (scale === 0) throw new DecodeError('its clock stands still')
  return scale / 1e9
}

/** One that makes no sense is none. Throws NotHere: there may be one. */
function indexOf(
  source: MeteredSource,
  parts: SegmentParts,
  tracks: FieldBytes,
  { number, tick }: { readonly number: number; readonly tick: number },
): TextIndex {
  try {
    const found = parts.find(ID.cues)
    if (found !== null) source.allow(Math.min(MAX_CUES_BYTES, found.end - found.body))
    const cues = bodyOf(source, found, MAX_CUES_BYTES)
    const units = { segment: parts.body, tick, size: source.size }
    const places = textPlaces(cues, number, units)
    return places === null ? { places, keys: keysOf(cues, tracks, units) } : { places, keys: NO_INDEX.keys }
  } catch (error) {
    if (error instanceof DecodeError || error instanceof OverBudget) return NO_INDEX
    throw error
  }
}

function keysOf(cues: FieldBytes, tracks: FieldBytes, units: CueUnits): TextIndex['keys'] {
  const track = keyTrackOf(readTracks(tracks))
  const table = track === null ? null : readCues(cues, track.id, units)
  return table === null ? NO_INDEX.keys : risingKeys(table)
}

/** Empty where there is none. */
function bodyOf(source: MeteredSource, part: Part | null, most: number): FieldBytes {
  if (part === null) return new FieldBytes(new Uint8Array(0))
  if (part.end - part.body > most) throw new DecodeError('a part of its head is too long')
  return new FieldBytes(source.read(part.body, part.end))
}
