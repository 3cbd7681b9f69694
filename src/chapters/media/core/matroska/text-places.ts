// Cues of Matroska (RFC 9559, 5.1.5) that tell where each text of a track lies: mkvmerge and ffmpeg write one for every
// text, with its place in the cluster.

import type { FieldBytes } from '../field-bytes.ts'
import { MOST_SECONDS } from '../film-parts.ts'
import type { CueUnits } from './cues.ts'
import { childrenOf, uintOf } from './elements.ts'

const POINT = 0xbb
const TIME = 0xb3
const POSITIONS = 0xb7
const TRACK = 0xf7
const CLUSTER = 0xf1
const IN_CLUSTER = 0xf0
/** Films whose signs move frame by frame have some ten thousand; each takes memory of the thread. */
const MAX_PLACES = 50_000

/** Where a text lies. */
export interface TextPlace {
  readonly time: number
  /** First byte of its cluster. */
  readonly cluster: number
  /** Bytes from the body of the cluster on. */
  readonly within: number
}

/**
 * The places of all texts of `track`, by their time; null: it has none, more than are kept, or not each has its place.
 * Throws DecodeError.
 */
export function textPlaces(cues: FieldBytes, track: number, { segment, tick, size }: CueUnits): TextPlace[] | null {
  const places: TextPlace[] = []
  for (const point of childrenOf(cues)) {
    if (point.id !== POINT) continue
    let time = Number.NaN
    const found: Omit<TextPlace, 'time'>[] = []
    for (const child of childrenOf(point.body)) {
      if (child.id === TIME) time = uintOf(child.body) * tick
      else if (child.id === POSITIONS) found.push(...placeOf(child.body, track))
      if (places.length + found.length > MAX_PLACES) return null
    }
    for (const { cluster, within } of found) {
      if (within < 0) return null
      const place = { time, cluster: segment + cluster, within }
      if (time <= MOST_SECONDS && place.cluster < size && within < size) places.push(place)
    }
  }
  return places.length === 0 ? null : places.toSorted((a, b) => a.time - b.time)
}

function placeOf(body: FieldBytes, track: number): readonly Omit<TextPlace, 'time'>[] {
  let [of, cluster, within] = [0, -1, -1]
  for (const child of childrenOf(body)) {
    if (child.id === TRACK) of = uintOf(child.body)
    else if (child.id === CLUSTER) cluster = uintOf(child.body)
    else if (child.id === IN_CLUSTER) within = uintOf(child.body)
  }
  return of === track && cluster >= 0 ? [{ cluster, within }] : []
}
