// Films whose picture has to be converted are tried before they are played: on their middle where it is there, else on
// their start, which is not waited for longer than facts are; then their segments go the long way.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { SegmentJob } from '../../../../../src/chapters/hls/convert/thread-messages.ts'
import { ConversionLine } from '../../../../../src/chapters/hls/service/conversion-line.ts'
import { ConvertedSegments } from '../../../../../src/chapters/hls/service/converted-segments.ts'
import { HlsFilms } from '../../../../../src/chapters/hls/service/hls-films.ts'
import { SegmentLine } from '../../../../../src/chapters/hls/service/segment-line.ts'
import { FilmDisk } from '../../../../../src/chapters/media/service/film-bytes.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { MemoryFilm } from '../../../media/kit/memory-film.ts'
import { HeldConverter } from '../../kit/held-converter.ts'
import { HeldMaker } from '../../kit/held-maker.ts'
import { madeFacts } from '../../kit/made-facts.ts'

const SIZE = 1_000_000
const film = { infohash: '', fileIndex: '0', sound: null }
const stays = (): { signal: AbortSignal } => ({ signal: new AbortController().signal })

describe('films that are tried', () => {
  let clock: VirtualClock
  let memory: MemoryFilm
  let converter: HeldConverter
  let jobs: SegmentJob[]
  let hls: HlsFilms

  beforeEach(() => {
    clock = new VirtualClock()
    memory = new MemoryFilm(new Uint8Array(SIZE))
    converter = new HeldConverter()
    jobs = []
    const maker = new HeldMaker()
    maker.outcome = async job => {
      jobs.push(job)
      return { kind: 'made', bytes: Uint8Array.of(jobs.length) }
    }
    const [video, ...sounds] = madeFacts().tracks
    assert.ok(video !== undefined)
    const facts = madeFacts({ tracks: [{ ...video, codec: 'mpeg4' }, ...sounds] })
    hls = new HlsFilms({
      media: {
        facts: async () => ({ name: 'film', size: SIZE, facts, wanted: null, missing: [] }),
        texts: () => assert.fail('nobody asks for texts'),
      },
      disk: new FilmDisk(clock, new SharedArena({ id: 'range', slotBytes: 4096, bytes: 64 * 4096 })),
      line: new SegmentLine([maker], clock),
      converted: new ConvertedSegments({ clock, converter, line: new ConversionLine(clock) }),
      streamable: () => memory,
    })
  })

  test('on their middle, once; then segments are cut, converted and packed', async () => {
    const planned = hls.plan(film, stays())
    await clock.advance(1000)
    assert.deepEqual(
      jobs.map(({ order, cut }) => [order.number, cut]),
      [[1, { picture: 'mpeg4', sound: null }]],
    )
    converter.running[0]?.end()
    assert.deepEqual((await planned).byProgram, { picture: 'mpeg4', sound: null })
    await hls.plan(film, stays())
    assert.equal(converter.asked.length, 1)
    const made = hls.segment(film, '2.ts', stays())
    await clock.advance(0)
    converter.running[0]?.end()
    assert.deepEqual([...(await made)], [3])
    assert.deepEqual(
      jobs.map(({ cut, converted }) => [cut?.picture, converted?.bytes.length]),
      [
        ['mpeg4', undefined],
        ['mpeg4', undefined],
        [undefined, 1],
      ],
    )
    assert.deepEqual([hls.jobs, memory.open, clock.pending], [0, 0, 0])
  })

  test('one that is too slow is refused, also by the name of a segment', async () => {
    const asked = Promise.allSettled([hls.plan(film, stays()), hls.segment(film, '0.ts', stays())])
    await clock.advance(1900)
    for (const one of [...converter.running]) one.end()
    for (const one of await asked)
      assert.equal(one.status === 'rejected' && (one.reason as { code: string }).code, 'ConversionTooSlow')
    assert.equal(converter.asked.length, 1, 'tried once for both')
    assert.deepEqual([hls.jobs, memory.open, clock.pending], [0, 0, 0])
  })

  test('on their start where the middle is not there; what does not come is told after a while', async () => {
    memory.holes = [{ start: 400_000, end: 700_000 }]
    const first = hls.plan(film, stays())
    await clock.advance(0)
    assert.deepEqual(
      jobs.map(({ order }) => order.number),
      [0],
    )
    converter.running[0]?.end()
    await first
    memory = new MemoryFilm(new Uint8Array(SIZE), 1)
    memory.holes = [{ start: 0, end: SIZE }]
    const never = hls.plan(film, stays())
    const settled = never.catch(() => undefined)
    await clock.advance(20_000)
    await settled
    await assert.rejects(never, { code: 'NotReady', message: /not there yet/ })
    assert.deepEqual([hls.jobs, memory.open, clock.pending], [0, 0, 0])
  })

  test('what a disk holds does not hold the end of the node', async () => {
    converter.stop = () => new Promise(() => undefined)
    let stopped = false
    const ended = hls.stop(700).then(() => (stopped = true))
    await clock.advance(699)
    assert.equal(stopped, false)
    await clock.advance(1)
    await ended
    assert.equal(stopped, true)
  })
})
