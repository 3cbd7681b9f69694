// Segments of films in downloads: what is missing is asked for and waited for, two are made at a time, whoever must
// wait too long is refused, and of a thousand clients that leave nothing is left.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { SegmentOutcome } from '../../../../../src/chapters/hls/convert/thread-messages.ts'
import { HlsFilms } from '../../../../../src/chapters/hls/service/hls-films.ts'
import { SegmentLine } from '../../../../../src/chapters/hls/service/segment-line.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { FilmDisk } from '../../../../../src/chapters/media/service/film-bytes.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { MemoryFilm } from '../../../media/kit/memory-film.ts'
import { HeldMaker } from '../../kit/held-maker.ts'
import { madeFacts } from '../../kit/made-facts.ts'

const SIZE = 1_000_000
const film = { infohash: '', fileIndex: '0', sound: null }
const stays = (): { signal: AbortSignal } => ({ signal: new AbortController().signal })
const never = (): Promise<SegmentOutcome> => new Promise(() => undefined)
const one = (): HeldMaker => new HeldMaker()

describe('segments of films in downloads', () => {
  let clock: VirtualClock
  let makers: readonly [HeldMaker, HeldMaker]
  let memory: MemoryFilm
  let arena: SharedArena
  let facts: FilmFacts | null
  /** Further films, by the number of their file. */
  let others: MemoryFilm[]
  let asks: number
  let waits: number[]
  let wanted: boolean
  let hls: HlsFilms
  let line: SegmentLine

  beforeEach(() => {
    clock = new VirtualClock()
    makers = [one(), one()]
    memory = new MemoryFilm(new Uint8Array(SIZE))
    arena = new SharedArena({ id: 'range', slotBytes: 4096, bytes: 64 * 4096 })
    facts = madeFacts()
    asks = 0
    waits = []
    wanted = false
    others = []
    line = new SegmentLine(makers, clock)
    hls = new HlsFilms({
      media: {
        facts: async (_infohash, _index, waitMs) => {
          asks += 1
          waits.push(waitMs)
          const more = facts === null || wanted ? { start: 0, end: 9 } : null
          return { name: 'film', size: SIZE, facts, wanted: more, missing: [] }
        },
      },
      disk: new FilmDisk(clock, arena),
      line,
      streamable: (_infohash, index) => others[Number(index)] ?? memory,
    })
  })

  /** Nothing of a job goes on. */
  function assertQuiet(): void {
    assert.deepEqual([hls.jobs, line.making, line.length, memory.open], [0, 0, 0, 0])
    assert.deepEqual(
      makers.map(({ active }) => active),
      [0, 0],
    )
    assert.equal(clock.pending, 0, 'no timer goes on')
    assert.equal(arena.freeCount, arena.slotCount, 'all memory is given back')
  }

  test('facts are asked for once; each segment has its part of the film', async () => {
    const orders: unknown[] = []
    for (const maker of makers)
      maker.outcome = async ({ tag, size, order }) => {
        orders.push([tag, size, order.start, order.end, order.startByte, order.endByte, order.isFirst, order.sound])
        return { kind: 'made', bytes: Uint8Array.of(7) }
      }
    assert.deepEqual([...(await hls.segment(film, '1.ts', stays()))], [7])
    await hls.segment(film, '0.ts', stays())
    assert.deepEqual(orders, [
      [memory.tag, SIZE, 5, 10, 400_000, 700_000, false, 2],
      [memory.tag, SIZE, 0, 5, 900, 400_000, true, 2],
    ])
    assert.equal((await hls.plan(film, stays())).cuts.length, 3)
    assert.equal(asks, 1)
    assert.deepEqual(memory.opened, [{ background: false }, { background: false }], 'a player waits for them')
    assertQuiet()
  })

  test('what there is none of, or cannot be cut, or has no index yet', async () => {
    for (const name of ['3.ts', 'x.ts', '0', '00.ts', '-1.ts', '1.m4s', 'init.mp4', '1.ts.ts', ''])
      await assert.rejects(hls.segment(film, name, stays()), { code: 'NotFound' }, name)
    await assert.rejects(hls.plan({ ...film, sound: 9 }, stays()), { code: 'MediaUnreadable', message: /of number 9/ })
    facts = null
    memory = new MemoryFilm(new Uint8Array(SIZE), 1)
    await assert.rejects(hls.plan(film, stays()), { code: 'NotReady' })
    assertQuiet()
  })

  test('what segments do not need is not waited for; what they need is, and is no fault of the film', async () => {
    wanted = true
    await hls.plan(film, stays())
    assert.deepEqual(waits, [0])
    facts = { ...madeFacts(), duration: null }
    await assert.rejects(hls.plan(film, stays()), { code: 'NotReady' })
    assert.deepEqual(waits, [0, 0, 20_000])
    assertQuiet()
  })

  test('bytes of the segment are waited for before a thread is taken, and what it lacks then', async () => {
    memory.holes = [
      { start: 400_010, end: 400_020 },
      { start: 800_000, end: 800_010 },
    ]
    const wanted = { start: 799_990, end: 800_005 }
    const [first] = makers
    for (const maker of makers)
      maker.outcome = async () =>
        memory.holes.length > 0 ? { kind: 'missing', range: wanted } : { kind: 'made', bytes: Uint8Array.of(1) }
    const made = hls.segment(film, '1.ts', stays())
    await clock.advance(10_000)
    assert.deepEqual([memory.waited, makers[0].begun + makers[1].begun], [[400_010], 0])
    memory.arrive({ start: 400_010, end: 400_020 })
    await clock.advance(10_000)
    assert.deepEqual([memory.waited, first.active], [[400_010, 800_000], 0], 'no thread waits for the swarm')
    memory.arrive({ start: 800_000, end: 800_010 })
    assert.equal((await made).length, 1)
    assertQuiet()
  })

  test('two are made at a time; the third has its turn when one of them leaves', async () => {
    for (const maker of makers) maker.outcome = never
    const clients = [new AbortController(), new AbortController()]
    const held = clients.map(async ({ signal }) =>
      hls.segment(film, '0.ts', { signal }).catch((error: unknown) => error),
    )
    await clock.advance(0)
    const third = hls.segment(film, '2.ts', stays())
    await clock.advance(1000)
    assert.deepEqual([line.making, line.length, hls.jobs], [2, 1, 3])
    for (const maker of makers) maker.outcome = async () => ({ kind: 'made', bytes: Uint8Array.of(3) })
    clients[1]?.abort()
    assert.deepEqual([...(await third)], [3])
    clients[0]?.abort()
    await Promise.all(held)
    assertQuiet()
  })

  test('whoever is not served in two seconds is refused with 503', async () => {
    for (const maker of makers) maker.outcome = never
    const clients = Array.from({ length: 2 }, () => new AbortController())
    const held = clients.map(async ({ signal }) =>
      hls.segment(film, '0.ts', { signal }).catch((error: unknown) => error),
    )
    await clock.advance(0)
    const third = assert.rejects(hls.segment(film, '1.ts', stays()), { code: 'TooManyRequests' })
    await clock.advance(2000)
    await third
    for (const client of clients) client.abort()
    await Promise.all(held)
    assertQuiet()
  })

  test('a thousand clients, each leaving somewhere on its way: nothing of them is left', async () => {
    const outcomes = [never, async (): Promise<SegmentOutcome> => ({ kind: 'made', bytes: Uint8Array.of(1) })]
    let refused = 0
    for (let round = 0; round < 1000; round += 1) {
      for (const maker of makers) maker.outcome = outcomes[round % 2] ?? never
      memory.holes = round % 3 === 0 ? [{ start: 500_000, end: 500_001 }] : []
      const client = new AbortController()
      if (round % 7 === 0) client.abort()
      const asked = hls.segment(film, `${round % 3}.ts`, { signal: client.signal }).catch((error: unknown) => {
        assert.ok(error instanceof AppError && ['Aborted', 'TooManyRequests'].includes(error.code), String(error))
        refused += 1
      })
      if (round % 5 === 0) await clock.advance(1)
      client.abort()
      await asked
    }
    assert.ok(refused > 500, `${refused}`)
    assertQuiet()
  })

  test('more than 12 of a film, and 32 in all, are refused, and all end with the node', async () => {
    others = Array.from({ length: 4 }, (_, index) => new MemoryFilm(new Uint8Array(SIZE), index))
    for (const other of others) other.holes = [{ start: 1000, end: 1001 }]
    const ask = (index: number): Promise<unknown> => hls.segment({ ...film, fileIndex: String(index) }, '0.ts', stays())
    const asked = Array.from({ length: 32 }, (_, at) => ask(Math.floor(at / 12)).catch((error: unknown) => error))
    await clock.advance(0)
    assert.equal(hls.jobs, 32)
    await assert.rejects(ask(0), { code: 'TooManyRequests', message: /^12 segments of it/ })
    await assert.rejects(ask(3), { code: 'TooManyRequests', message: /^32 segments/ })
    await hls.stop()
    for (const error of await Promise.all(asked)) assert.ok(error instanceof AppError && error.code === 'Aborted')
    await assert.rejects(ask(0), { code: 'NotReady' })
    assert.ok(makers.every(({ stopped }) => stopped))
    assert.deepEqual(
      others.map(({ open }) => open),
      [0, 0, 0, 0],
    )
    assertQuiet()
  })

  test('a film that cannot be read is told so', async () => {
    for (const maker of makers) maker.outcome = async () => ({ kind: 'unreadable', why: 'its clock stands still' })
    await assert.rejects(hls.segment(film, '0.ts', stays()), {
      code: 'MediaUnreadable',
      message: /its clock stands still/,
    })
    for (const maker of makers) maker.outcome = async () => ({ kind: 'missing', range: { start: 0, end: 1 } })
    await assert.rejects(hls.segment(film, '0.ts', stays()), { code: 'MediaUnreadable', message: /again and again/ })
    assertQuiet()
  })
})
