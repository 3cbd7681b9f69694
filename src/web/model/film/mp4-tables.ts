// Counts in tables of MP4 that a reader makes lists of: a few bytes may say four thousand million, which no browser has
// the memory for. Tables are found by their names, wherever they lie: what a reader takes for one does not depend on
// how it walks the boxes round it. Pure (ISO/IEC 14496-12, 8.6 and 8.8).

/** Samples of a track, its chunks, samples of a fragment: 19 hours of 60 pictures a second. */
const MAX_COUNT = 4 * 1024 * 1024
/** Samples of a chunk where each has a size of its own: all are counted for each of them. Three minutes of sound. */
const MAX_OF_CHUNK = 8192
const HEADER = 8

/** The tables, by their names. */
const NAMES = {
  stts: fourOf('stts'),
  ctts: fourOf('ctts'),
  stsc: fourOf('stsc'),
  stsz: fourOf('stsz'),
  stz2: fourOf('stz2'),
  trun: fourOf('trun'),
} as const

/** Throws where a box `moov` (what is in it) counts what no film has. */
export function checkMovie(content: Uint8Array): void {
  const view = viewOf(content)
  let at = 0
  while (at + HEADER <= content.length) {
    // One of its boxes has all of a track.
    const end = Math.min(content.length, boxEnd(view, at))
    checkTrack(view, at, end)
    at = end
  }
}

/** Throws where a box `moof` counts what no fragment has. */
export function checkFragment(box: Uint8Array): void {
  const view = viewOf(box)
  let samples = 0
  for (const at of found(view, 0, box.length, NAMES.trun)) samples += numberAt(view, at + 4)
  if (samples > MAX_COUNT) throw tooMany()
}

function checkTrack(view: DataView, start: number, end: number): void {
  let [shifted, timed] = [0, 0]
  for (const at of found(view, start, end, NAMES.ctts)) shifted += countOf(view, at, end)
  for (const at of found(view, start, end, NAMES.stts)) timed += countOf(view, at, end)
  // Without shifts no list is made of times; uncompressed sound has each of its samples there.
  if (shifted > MAX_COUNT || (shifted > 0 && timed > MAX_COUNT)) throw tooMany()
  const mostOfChunk = hasSizes(view, start, end) ? MAX_OF_CHUNK : Number.POSITIVE_INFINITY
  for (const at of found(view, start, end, NAMES.stsc))
    for (const entry of entries(view, at, end, 12))
      if (numberAt(view, entry) > MAX_COUNT || numberAt(view, entry + 4) > mostOfChunk) throw tooMany()
}

/** Whether samples have sizes of their own, or all the same. */
function hasSizes(view: DataView, start: number, end: number): boolean {
  for (const at of found(view, start, end, NAMES.stsz)) if (numberAt(view, at + 4) === 0) return true
  return !found(view, start, end, NAMES.stz2).next().done
}

/** How many samples all entries of a table stand for. */
function countOf(view: DataView, at: number, end: number): number {
  let count = 0
  for (const entry of entries(view, at, end, 8)) count += numberAt(view, entry)
  return count
}

/** Places of the entries of a table, as many as it says and as there is room for. */
function* entries(view: DataView, at: number, end: number, length: number): Generator<number> {
  const first = at + 8
  const most = Math.min(numberAt(view, at + 4), Math.max(0, Math.floor((end - first) / length)))
  for (let entry = 0; entry < most; entry += 1) yield first + entry * length
}

/** Where the contents of boxes of a name begin. */
function* found(view: DataView, start: number, end: number, name: number): Generator<number> {
  const first = name >>> 24
  for (let at = start + 4; at + 4 <= end; at += 1)
    if (view.getUint8(at) === first && view.getUint32(at) === name) yield at + 4
}

function boxEnd(view: DataView, at: number): number {
  const size = view.getUint32(at)
  const long = size === 1 && at + 16 <= view.byteLength ? Number(view.getBigUint64(at + 8)) : size
  // What is no box ends the walk of readers: the rest is one, here.
  return long < HEADER ? view.byteLength : at + long
}

/** 0 where it is cut. */
function numberAt(view: DataView, at: number): number {
  return at + 4 <= view.byteLength ? view.getUint32(at) : 0
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function fourOf(name: string): number {
  return [...name].reduce((number, letter) => number * 256 + letter.charCodeAt(0), 0)
}

function tooMany(): Error {
  return new Error('The film says that it has more samples than any film.')
}
