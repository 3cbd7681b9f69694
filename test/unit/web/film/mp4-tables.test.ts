// Counts that an MP4 may say of itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFragment, checkMovie } from '../../../../src/web/model/film/mp4-tables.ts'

const MANY = /more samples than any film/
const HUGE = 0x7f_ff_ff_ff

const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
  return bytes
}
const box = (name: string, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([numbers(content.length + 8), Buffer.from(name), content])
}
const table = (name: string, ...entries: readonly (readonly number[])[]): Buffer =>
  box(name, numbers(0, entries.length, ...entries.flat()))
const track = (...tables: readonly Uint8Array[]): Buffer =>
  box('trak', box('mdia', box('minf', box('stbl', ...tables))))

test('what films say is taken: two hours, and uncompressed sound', () => {
  const picture = track(
    table('stts', [172_800, 1001]),
    table('ctts', ...Array.from({ length: 1000 }, () => [172, 1001])),
    table('stsc', [1, 30, 1], [5760, 12, 1]),
  )
  const sound = track(
    table('stts', [345_600_000, 1]),
    table('stsc', [1, 345_600_000, 1]),
    box('stsz', numbers(0, 4, 345_600_000)),
  )
  checkMovie(Buffer.concat([box('mvhd', Buffer.alloc(100)), picture, sound]))
  checkFragment(box('moof', box('traf', box('trun', numbers(0, 3000)))))
})

test('more than any film is refused: shifts, times beside shifts, chunks, samples of a fragment', () => {
  const refused = [
    track(table('ctts', [HUGE, 0])),
    track(table('stts', [HUGE, 1]), table('ctts', [1, 0])),
    track(table('stts', ...Array.from({ length: 5 }, () => [1_000_000, 1])), table('ctts', [1, 0])),
    track(table('stsc', [1, 1, 1], [HUGE, 1, 1])),
    track(table('stsc', [1, HUGE, 1]), box('stsz', numbers(0, 0, 2, 100, 100))),
    track(table('stsc', [1, HUGE, 1]), box('stz2', numbers(0, 8, 4, 0))),
    // Where a reader may find it all the same.
    track(box('stsd', box('avc1', table('stts', [HUGE, 1]), table('ctts', [1, 0])))),
  ]
  for (const each of refused) assert.throws(() => checkMovie(Buffer.concat([box('mvhd'), each])), MANY)
  assert.throws(() => checkFragment(box('moof', box('traf', box('trun', numbers(0, HUGE))))), MANY)
  const some = box('trun', numbers(0, 2_000_000))
  assert.throws(() => checkFragment(box('moof', box('traf', some, some, some))), MANY)
})

test('what is cut, empty or no box at all is left to the reader', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('stts'), numbers(0, 0, 0), numbers(1), box('stts')]) {
    checkMovie(bytes)
    checkFragment(bytes)
  }
  const cut = track(table('ctts', [5, 0], [7, 0]))
  for (let length = 0; length < cut.length; length += 1) checkMovie(cut.subarray(0, length))
  // Sizes beyond the end, and of 64 bits.
  checkMovie(Buffer.concat([numbers(HUGE), Buffer.from('trak')]))
  checkMovie(Buffer.concat([numbers(1), Buffer.from('trak'), numbers(HUGE, HUGE)]))
})
