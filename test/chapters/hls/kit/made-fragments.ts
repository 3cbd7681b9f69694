// Fragments of MP4 made by hand, as no muxer makes them.

import { box, moov, NO_SAMPLES, words } from '../../media/kit/made-mp4.ts'

/** A run of samples without fields of their own; `place`: from the start of its fragment. */
export interface MadeRun {
  readonly samples: number
  readonly size: number
  readonly place: number
}

/** A part of a fragment that is of one track. */
export function traf(track: number, ticks: number, run: MadeRun): Buffer {
  const head = box('tfhd', words(0x2_00_18, track, 10, run.size))
  return box('traf', head, box('tfdt', words(0, ticks)), box('trun', words(1, run.samples, run.place)))
}

/** A fragment without its data. */
export function moof(...trafs: readonly Buffer[]): Buffer {
  return box('moof', box('mfhd', words(0, 1)), ...trafs)
}

/** A film of one picture track in fragments; where its fragments begin. */
export function fragmentedFilm(...parts: readonly Buffer[]): { readonly bytes: Buffer; readonly start: number } {
  const extended = box('mvex', box('trex', words(0, 1, 1, 10, 0, 0)))
  const movie = moov([{ id: 1, handler: 'vide', tables: NO_SAMPLES }], 0, extended)
  const head = Buffer.concat([box('ftyp', Buffer.from('isom'), words(0)), movie])
  return { bytes: Buffer.concat([head, ...parts]), start: head.length }
}
