// A fragment of MP4 (ISO 14496-12, 8.8): samples of a picture and a sound with the times at which they are decoded and
// shown.

import { box, fullBox, u32, u64 } from './made-boxes.ts'

/** A sample. Ticks of its track's clock. */
export interface FragmentSample {
  readonly decoded: number
  readonly shown: number
  readonly duration: number
  readonly isKey: boolean
  readonly bytes: Uint8Array
}

/** The samples of one track, in the order of decoding. */
export interface FragmentTrack {
  readonly id: number
  readonly samples: readonly FragmentSample[]
}

/** Bytes of the head of a box. */
const HEAD_BYTES = 8
/** Which fields samples have: place of the data, duration, size, flags, and how long after decoding they are shown. */
const RUN_FIELDS = 0xf01
const KEY = 0x02_00_00_00
const NO_KEY = 0x01_01_00_00
/** Places count from the fragment. */
const BASE_IS_HERE = 0x2_00_00

/** A fragment; `number`: from 1 on. Tracks without samples are left out. */
export function fragment(number: number, tracks: readonly FragmentTrack[]): Uint8Array {
  const full = tracks.filter(({ samples }) => samples.length > 0)
  // Its own length does not depend on the places in it.
  const length = headOf(number, full, 0).length
  const head = headOf(number, full, length + HEAD_BYTES)
  const parts = full.flatMap(({ samples }) => samples.map(({ bytes }) => bytes))
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const out = new Uint8Array(head.length + HEAD_BYTES + size)
  out.set(head)
  out.set([...u32(HEAD_BYTES + size), 0x6d, 0x64, 0x61, 0x74], head.length)
  let at = head.length + HEAD_BYTES
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

function headOf(number: number, tracks: readonly FragmentTrack[], data: number): Uint8Array {
  let place = data
  const made = tracks.map(({ id, samples }) => {
    const rows = samples.flatMap(({ decoded, shown, duration, isKey, bytes }) =>
      [duration, bytes.length, isKey ? KEY : NO_KEY, shown - decoded].flatMap(u32),
    )
    const run = fullBox('trun', 1, RUN_FIELDS, u32(samples.length), u32(place), rows)
    place += samples.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const start = fullBox('tfdt', 1, 0, u64(samples[0]?.decoded ?? 0))
    return box('traf', fullBox('tfhd', 0, BASE_IS_HERE, u32(id)), start, run)
  })
  return box('moof', fullBox('mfhd', 0, 0, u32(number)), ...made)
}
