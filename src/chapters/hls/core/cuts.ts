// Where a film is cut into segments: at key frames of its index, at least four seconds apart.

import type { FilmFacts, KeyTable } from '../../media/core/film-facts.ts'
import { AVI_LEAD_S } from './samples.ts'

/** Shorter segments cost more requests than they save waiting. */
const MIN_SEGMENT_S = 4
/** The most that a film has: longer ones have longer ones. Nine hours of the shortest. */
const MAX_SEGMENTS = 8192

/** How long before a key frame sound may begin that is heard with it: in blocks of a second, or before its time, s. */
const SOUND_REACH_S = 1.25

/** One segment. Times in seconds of the film, bytes of its file. */
export interface Cut {
  /** Its key frame is shown then. */
  readonly start: number
  /** The key frame of the next one; of the last one Infinity. */
  readonly end: number
  /** Seconds that it plays. */
  readonly duration: number
  /** Where its key frame is read from; see KeyTable. */
  readonly startByte: number
  /** The same of the next one; of the last one the length of the file. */
  readonly endByte: number
  /** The same of a key frame a while before its own: sound that belongs to it may lie from there on. */
  readonly backByte: number
}

interface ChosenKey {
  readonly time: number
  readonly byte: number
  readonly backByte: number
}

/** Key frames that are `apart` seconds from each other, the last one, of AVI, not too near to the end `last`. */
function chosenKeys({ times, bytes }: KeyTable, apart: number, last: number): ChosenKey[] {
  const chosen: ChosenKey[] = []
  let back = 0
  for (const [at, time] of times.entries()) {
    while ((times[back + 1] ?? time) <= time - SOUND_REACH_S) back += 1
    const before = chosen.at(-1)
    if (before !== undefined && (time - before.time < apart || time > last)) continue
    const byte = bytes[at] ?? 0
    chosen.push({ time, byte, backByte: bytes[Math.min(back, at)] ?? byte })
  }
  return chosen
}

/** The cuts of a film with an index; `size`: bytes of its file. */
export function cutsOf({ container, keys, duration }: FilmFacts, size: number): Cut[] {
  const lead = container === 'avi' ? AVI_LEAD_S : 0
  const last = lead === 0 ? Number.POSITIVE_INFINITY : (duration ?? 0) - 2 * lead
  let chosen: ChosenKey[] = []
  for (let apart = MIN_SEGMENT_S; keys !== null; apart *= 2) {
    chosen = chosenKeys(keys, apart, last)
    if (chosen.length <= MAX_SEGMENTS) break
  }
  return chosen.map(({ time, byte, backByte }, at) => {
    const next = chosen[at + 1]
    const start = at === 0 ? time : time + lead
    const end = next === undefined ? null : next.time + lead
    return {
      start,
      end: end ?? Number.POSITIVE_INFINITY,
      duration: Math.max(0, (end ?? duration ?? start) - start),
      startByte: byte,
      endByte: next === undefined ? size : Math.max(byte, next.byte),
      backByte: Math.min(byte, backByte),
    }
  })
}
