// Tables and fragments of MP4 that lie: what is walked through, fetched and kept is bounded; what is right is found.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readMovieHead } from '../../../../../src/chapters/hls/core/mp4/movie-head.ts'
import { mp4Samples } from '../../../../../src/chapters/hls/core/mp4/mp4-samples.ts'
import { SampleTable } from '../../../../../src/chapters/hls/core/mp4/sample-table.ts'
import type { ByteSource } from '../../../../../src/chapters/media/core/byte-source.ts'
import { FieldBytes } from '../../../../../src/chapters/media/core/field-bytes.ts'
import type { MovieTrack } from '../../../../../src/chapters/media/core/mp4/movie.ts'
import { box, words } from '../../../media/kit/made-mp4.ts'
import { fragmentedFilm, moof, traf } from '../../kit/made-fragments.ts'
import { madeOrder } from '../../kit/made-order.ts'

const MIB = 1024 * 1024

/** A film that counts its reads; behind `bytes` there are zeros up to `size`. */
class CountedFilm implements ByteSource {
  readonly size: number
  readonly #bytes: Buffer
  reads = 0
  fetched = 0

  constructor(bytes: Buffer, size = bytes.length) {
    this.#bytes = bytes
    this.size = size
  }

  read(start: number, end: number): Uint8Array {
    assert.ok(end - start <= 33 * MIB, `${end - start} bytes at a time`)
    this.reads += 1
    this.fetched += end - start
    const out = new Uint8Array(end - start)
    out.set(this.#bytes.subarray(start, end))
    return out
  }
}

/** Cuts the first segment out of a film in fragments, whose fragments begin at `start`. */
function cut(film: CountedFilm, start: number): unknown {
  const order = madeOrder({
    container: 'mp4',
    sound: null,
    isFirst: true,
    start: 0,
    end: 4,
    startByte: start,
    endByte: film.size,
    backByte: start,
  })
  return mp4Samples(film, readMovieHead(film), order)
}

describe('fragments that lie', () => {
  test('a sample of gigabytes, and thousands that lie over each other, are not read', () => {
    const one = fragmentedFilm(moof(traf(1, 0, { samples: 1, size: 3 * 1024 * MIB, place: 0 })))
    const large = new CountedFilm(one.bytes, 4 * 1024 * MIB)
    assert.throws(() => cut(large, one.start), { name: 'DecodeError' })
    assert.ok(large.fetched < MIB, `${large.fetched} bytes`)
    const parts = Array.from({ length: 2000 }, (_, at) => traf(1, at, { samples: 1, size: 10 * MIB, place: 0 }))
    const many = fragmentedFilm(moof(...parts))
    const film = new CountedFilm(many.bytes, 16 * MIB)
    assert.throws(() => cut(film, many.start), { name: 'DecodeError' })
    assert.ok(film.fetched < MIB, `${film.fetched} bytes`)
  })

  test('boxes without number cost a few reads', () => {
    const free = Buffer.alloc(8 * MIB)
    for (let at = 0; at < free.length; at += 8) {
      free.writeUInt32BE(8, at)
      free.write('free', at + 4, 'latin1')
    }
    const { bytes, start } = fragmentedFilm(moof(traf(1, 0, { samples: 1, size: 4, place: 0 })), free)
    const film = new CountedFilm(bytes)
    assert.throws(() => cut(film, start), /too many boxes/)
    assert.ok(film.reads < 50, `${film.reads} reads`)
  })

  test('fragments of other tracks are not walked through to the end of the film', () => {
    const other = moof(traf(7, 0, { samples: 1, size: 4, place: 0 }))
    const data = box('mdat')
    const parts = Array.from({ length: 12_000 }, (_, at) => (at % 2 === 0 ? other : data))
    const { bytes, start } = fragmentedFilm(...parts)
    assert.throws(() => cut(new CountedFilm(bytes), start), /too many boxes/)
  })

  test('samples of all parts of a fragment are counted together', () => {
    const parts = Array.from({ length: 40 }, () => traf(1, 0, { samples: 90_000, size: 0, place: 0 }))
    const { bytes, start } = fragmentedFilm(moof(...parts))
    assert.throws(() => cut(new CountedFilm(bytes), start), /too many samples/)
  })
})

describe('tables', () => {
  /** A track of samples of 10 bytes, one after the other from byte 1000 on. */
  function trackOf(count: number, times: Buffer, ...more: Buffer[]): MovieTrack {
    const tables = Buffer.concat([
      times,
      box('stsc', words(0, 1, 1, count, 1)),
      box('stsz', words(0, 10, count)),
      box('stco', words(0, 1, 1000)),
      ...more,
    ])
    return {
      id: 1,
      handler: 'soun',
      isEnabled: true,
      language: 'und',
      name: '',
      entry: null,
      timescale: 1000,
      duration: 0,
      usualTicks: 0,
      shift: 0,
      tables: new FieldBytes(tables),
      isHere: true,
      chapterTracks: [],
    }
  }

  test('the first frame from a time on, in runs of any length', () => {
    // At 0, 10, 20, then two at 30, then 130, 230.
    const times = box('stts', words(0, 5, 3, 10, 0, 7, 1, 0, 1, 100, 2, 100))
    const table = new SampleTable(trackOf(7, times))
    const places = (start: number, end: number): number[] => table.sounds(start, end).map(one => one.start)
    assert.deepEqual(places(0, 0.01), [1000])
    assert.deepEqual(places(0.01, 0.031), [1010, 1020, 1030, 1040])
    assert.deepEqual(places(0.015, 0.03), [1020])
    assert.deepEqual(places(0.031, 0.231), [1050, 1060])
    assert.deepEqual(places(0.3, 9), [])
    assert.deepEqual(places(5, 9), [])
  })

  test('millions of rows are gone through once, and not for each guess', () => {
    const rows = 1_000_000
    const times = Buffer.alloc(8 + 8 + rows * 8)
    times.writeUInt32BE(times.length, 0)
    times.write('stts', 4, 'latin1')
    times.writeUInt32BE(rows, 12)
    for (let row = 0; row < rows; row += 1) {
      times.writeUInt32BE(1, 16 + row * 8)
      times.writeUInt32BE(1, 20 + row * 8)
    }
    const table = new SampleTable(trackOf(rows, times))
    const before = process.cpuUsage()
    assert.equal(table.sounds(990, 991).length, 1000)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 1_500_000, `${user} µs`)
  })

  test('four billion key frames are refused', () => {
    const count = 2 ** 32 - 1
    const table = new SampleTable(trackOf(count, box('stts', words(0, 1, count, 0))))
    assert.throws(() => table.pictures(5, 9), /too many key frames/)
  })
})
