// Cues of Matroska (RFC 9559, 5.1.5): the table of key frames. Muxers put cues of several tracks into one list, and the
// first of it may be of the sound: only those of one track are taken.

import type { FieldBytes } from '../field-bytes.ts'
import type { KeyTable } from '../film-facts.ts'
import { KeyGathering } from '../key-table.ts'
import { childrenOf, uintOf } from './elements.ts'

const POINT = 0xbb
const TIME = 0xb3
const POSITIONS = 0xb7
const TRACK = 0xf7
const CLUSTER = 0xf1

/** How numbers of the file are to be understood. */
export interface CueUnits {
  /** First byte of the segment's body: positions count from there. */
  readonly segment: number
  /** Seconds of one tick of the file. */
  readonly tick: number
  /** The file's length, bytes. */
  readonly size: number
}

/** The cues of `track` in the body of a Cues element; null when it has none. Throws DecodeError. */
export function readCues(body: FieldBytes, track: number, units: CueUnits): KeyTable | null {
  const keys = new KeyGathering(track, units.size)
  for (const point of childrenOf(body)) {
    if (point.id !== POINT) continue
    let time = Number.NaN
    const places: number[] = []
    for (const child of childrenOf(point.body)) {
      if (child.id === TIME) time = uintOf(child.body) * units.tick
      else if (child.id === POSITIONS) places.push(...placeOf(child.body, track))
    }
    const [place] = places
    if (place !== undefined) keys.add(time, units.segment + place)
  }
  return keys.table()
}

/** The place of the cluster, when it is one of the track's frames. */
function placeOf(body: FieldBytes, track: number): readonly number[] {
  let [of, cluster] = [0, -1]
  for (const child of childrenOf(body)) {
    if (child.id === TRACK) of = uintOf(child.body)
    else if (child.id === CLUSTER) cluster = uintOf(child.body)
  }
  return of === track && cluster >= 0 ? [cluster] : []
}
