// Segments of films in downloads: what is missing is asked for and waited for, two are made at a time, whoever must
// wait too long is refused, and of a thousand clients that leave nothing is left.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { SegmentOutcome } from '../../../../../src/chapters/hls/convert/thread-messages.ts'
import { HlsFilms } from '../../../../../src/chapters/hls/service/hls-films.ts'
import { SegmentLine } from '../../../../../src/chapters/hls/service/segment-line.ts'
import type { ByteRange } from '../../../../../src/chapters/media/core/byte-source.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import type { SubtitleOrder } from '../../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { FilmDisk } from '../../../../../src/chapters/media/service/film-bytes.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { fuzzSource } from '../../../../kit/sim/fuzz.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import type { Span } from '../../../../../src/wire/subtitles/spans.ts'
import { MemoryFilm } from '../../../media/kit/memory-film.ts'
import { HeldMaker } from '../../kit/held-maker.ts'
import { madeFacts, madeTexts } from '../../kit/made-facts.ts'

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
  let orders: SubtitleOrder[]
  /** What looks at texts cover, one after the other; then all. */
  let found: Span[][]
  /** And where they say that something lacks. */
  let holes: ByteRange[]

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
    orders = []
    found = []
    holes = []
    line = new SegmentLine(makers, clock)
    hls = new HlsFilms({
      media: {
        facts: async (_infohash, _index, waitMs) => {
          asks += 1
          waits.push(waitMs)
          const more = facts === null || wanted ? { start: 0, end: 9 } : null
          return { name: 'film', size: SIZE, facts, wanted: more, missing: [] }
        },
        texts: async (_infohash, _index, order) => {
          orders.push(order)
          const covered = found.shift() ?? [order]
          return {
            cues: [{ startMs: 5500, endMs: 6000, text: 'Hello' }],
            covered,
            missing: holes.shift() ?? null,
            fetched: 0,
          }
        },
      },
      disk: new FilmDisk(clock, arena),
      line,
      streamable: (_infohash, index) => others[Number(index)] ?? memory,
    })
  })

  test('texts of a segment are read when what it is made of is there; it ends with its client', async () => {
    facts = madeFacts({ tracks: [...madeFacts().tracks, madeTexts] })
    const { signal } = stays()
    memory.holes = [{ start: 450_000, end: 460_000 }]
    const asked = hls.texts(film, 4, 1, { signal })
    await clock.advance(1)
    assert.deepEqual([orders.length, memory.waited, hls.jobs], [0, [450_000], 1])
    memory.arrive({ start: 0, end: SIZE })
    assert.match(Buffer.from(await asked).toString(), /MPEGTS:1800000\n\n00:00:05\.500 --> 00:00:06\.000\nHello\n$/)
    assert.deepEqual(orders, [{ track: 4, fromSec: 0, toSec: 10.001 }], 'with those that began before')
    for (const [track, segment] of [
      [4, 99],
      [2, 0],
    ] as const)
      await assert.rejects(hls.texts(film, track, segment, { signal }), { code: 'NotFound' })
    memory.holes = [{ start: 0, end: SIZE }]
    const leaving = new AbortController()
    const left = hls.texts(film, 4, 0, leaving)
    await clock.advance(1)
    leaving.abort()
    await assert.rejects(left, { code: 'Aborted' })
    assertQuiet()
  })

  test('texts of a segment are all there or asked for later, never an empty segment for what lacks', async () => {
    facts = madeFacts({ tracks: [...madeFacts().tracks, madeTexts] })
    found = [[], []]
    await assert.rejects(hls.texts(film, 4, 1, stays()), { code: 'NotReady' })
    assert.deepEqual(
      orders.map(({ fromSec }) => fromSec),
      [0, 4.999],
      'those of the segment are looked for by themselves',
    )
    found = [[{ fromSec: 4.999, toSec: 7 }]]
    const text = Buffer.from(await hls.texts(film, 4, 1, stays())).toString()
    assert.equal(text.match(/Hello/g)?.length, 1, 'what was found twice is there once')
    assert.deepEqual(orders.at(-1), { track: 4, fromSec: 7, toSec: 10.001 })
    found = Array.from({ length: 20 }, (_, at) => [{ fromSec: 4.999, toSec: 5 + at / 100 }])
    orders = []
    await assert.rejects(hls.texts(film, 4, 1, stays()), { code: 'NotReady' })
    assert.equal(orders.length, 8, 'a film that brings little each time ends')
    // What began before is not waited for.
    found = [[{ fromSec: 4.999, toSec: 10.001 }]]
    holes = [{ start: 0, end: 1000 }]
    memory.holes = []
    assert.match(Buffer.from(await hls.texts(film, 4, 1, stays())).toString(), /Hello/)
    found = [[], []]
    const before = { start: 0, end: 1000 }
    holes = [before, { start: 900_000, end: 900_100 }]
    memory.holes = [before, { start: 900_000, end: 900_100 }]
    const asked = hls.texts(film, 4, 1, stays())
    await clock.advance(1)
    assert.deepEqual(memory.waited, [900_000], 'texts that lie behind all pictures are asked of the swarm')
    memory.arrive({ start: 0, end: SIZE })
    assert.match(Buffer.from(await asked).toString(), /Hello/)
    assertQuiet()
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
    facts = { ...madeFacts(), duration: null }
    await assert.rejects(hls.plan(film, stays()), { code: 'NotReady' })
    assert.deepEqual(waits, [0, 20_000])
    facts = madeFacts()
    for (let time = 0; time < 2; time += 1) await hls.plan(film, stays())
    assert.deepEqual(waits, [0, 20_000, 0], 'and then it is known')
    assertQuiet()
  })

  test('cuts of sixteen films are kept, those of the others asked for again', async () => {
    others = Array.from({ length: 17 }, (_, index) => new MemoryFilm(new Uint8Array(SIZE), index))
    const plan = (index: number): Promise<unknown> => hls.plan({ ...film, fileIndex: String(index) }, stays())
    for (let index = 0; index < 17; index += 1) await plan(index)
    await plan(16)
    assert.equal(asks, 17)
    await plan(0)
    assert.equal(asks, 18)
  })

  test('the number of a file has one text, which links know', async () => {
    for (const fileIndex of ['00', '01', '007'])
      await assert.rejects(hls.plan({ ...film, fileIndex }, stays()), { code: 'FileNotFound' })
    assert.equal(asks, 0)
  })

  test('whoever asks for a playlist has conversions made ready, one at a time', async () => {
    await hls.plan(film, stays())
    assert.deepEqual([makers[0].warmed, makers[1].warmed], [0, 0], 'nothing is converted')
    await hls.plan({ ...film, sound: 3 }, stays())
    assert.deepEqual([makers[0].warmed, makers[1].warmed], [0, 1])
    await hls.segment({ ...film, sound: 3 }, '0.ts', stays())
    assert.deepEqual([makers[0].begun, makers[1].begun], [0, 1], 'by whoever is ready')
  })

  test('a film stays with whoever has its index', async () => {
    others = [0, 1].map(index => new MemoryFilm(new Uint8Array(SIZE), index))
    const ask = (index: number, name: string): Promise<unknown> =>
      hls.segment({ ...film, fileIndex: String(index) }, name, stays())
    const made: SegmentOutcome = { kind: 'made', bytes: Uint8Array.of(1) }
    for (const maker of makers) maker.outcome = () => new Promise(resolve => clock.after(10, () => resolve(made)))
    const both = Promise.all([ask(0, '0.ts'), ask(1, '0.ts')])
    await clock.advance(10)
    await both
    const tags = new Map<HeldMaker, Set<string>>()
    for (const maker of makers)
      maker.outcome = async ({ tag }) => {
        tags.set(maker, (tags.get(maker) ?? new Set()).add(tag))
        return made
      }
    for (const index of [0, 1, 1, 0, 0, 1]) await ask(index, '1.ts')
    assert.deepEqual(
      [...tags.values()].map(({ size }) => size),
      [1, 1],
    )
  })

  test('of what an index says a part is waited for, and not the whole film', async () => {
    const mib = 1024 * 1024
    memory = new MemoryFilm(new Uint8Array(100 * mib))
    memory.holes = [{ start: 60 * mib, end: 70 * mib }]
    facts = madeFacts({ keys: { track: 1, times: [0], bytes: [0], gap: 0 } })
    assert.equal((await hls.segment(film, '0.ts', stays())).length, 1)
    assert.deepEqual(memory.waited, [])
  })

  test('what does not come in is not waited for without end; what comes by and by is', async () => {
    memory.holes = [{ start: 1000, end: 2000 }]
    const asked = hls.segment(film, '0.ts', stays())
    await clock.advance(119_000)
    memory.arrive({ start: 1000, end: 1500 })
    await clock.advance(119_000)
    assert.equal(hls.jobs, 1)
    const refused = assert.rejects(asked, { code: 'NotReady', message: /Nothing of this part/ })
    await clock.advance(1000)
    await refused
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

  test('twenty at a time, each leaving somewhere on its way: nothing of them is left', async () => {
    const source = fuzzSource(7)
    let most = 0
    for (const maker of makers)
      maker.outcome = () =>
        new Promise(resolve => clock.after(source.below(40), () => resolve({ kind: 'made', bytes: Uint8Array.of(1) })))
    const ends = { made: 0, left: 0, refused: 0 }
    others = Array.from({ length: 4 }, (_, index) => new MemoryFilm(new Uint8Array(SIZE), index))
    for (let round = 0; round < 40; round += 1) {
      const asked = Array.from({ length: 20 }, async (_, at) => {
        const client = new AbortController()
        const leaves = clock.after(source.below(200), () => client.abort())
        try {
          await hls.segment({ ...film, fileIndex: String(at % 4) }, `${source.below(3)}.ts`, { signal: client.signal })
          ends.made += 1
        } catch (error) {
          assert.ok(error instanceof AppError, String(error))
          ends[error.code === 'Aborted' ? 'left' : 'refused'] += 1
        }
        leaves.cancel()
      })
      for (let ms = 0; ms < 250; ms += 1) {
        await clock.advance(1)
        most = Math.max(most, line.length)
        assert.ok(makers[0].active + makers[1].active <= 2)
      }
      await Promise.all(asked)
    }
    await clock.advance(40)
    assert.ok(most >= 15, `${most} waited for a turn`)
    assert.ok(ends.made > 200 && ends.left > 200, JSON.stringify(ends))
    for (const other of others) assert.equal(other.open, 0)
    assertQuiet()
  })

  test('a film that cannot be read is told so, and the segment left alone for a minute', async () => {
    const refused = (name: string, message: RegExp): Promise<void> =>
      assert.rejects(hls.segment(film, name, stays()), { code: 'MediaUnreadable', message })
    const begun = (): number => makers[0].begun + makers[1].begun
    for (const maker of makers) maker.outcome = async () => ({ kind: 'unreadable', why: 'its clock stands still' })
    for (let time = 0; time < 3; time += 1) await refused('0.ts', /its clock stands still/)
    assert.equal(begun(), 1)
    for (const maker of makers) maker.outcome = async () => ({ kind: 'missing', range: { start: 0, end: 1 } })
    await refused('1.ts', /again and again/)
    await clock.advance(60_000)
    for (const maker of makers) maker.outcome = async () => ({ kind: 'made', bytes: Uint8Array.of(1) })
    for (const name of ['0.ts', '1.ts']) assert.equal((await hls.segment(film, name, stays())).length, 1)
    assertQuiet()
  })

  test('where the machine was too slow, players are asked to try again: 503, for 20 s, and for a minute at the third', async () => {
    for (const maker of makers) maker.outcome = async () => ({ kind: 'late', why: 'it takes too long' })
    const begun = (): number => makers[0].begun + makers[1].begun
    const refused = (name: string): Promise<void> =>
      assert.rejects(hls.segment(film, name, stays()), { code: 'NotReady', message: /too busy/ })
    for (const name of ['0.ts', '0.ts', '1.ts']) await refused(name)
    assert.equal(begun(), 2)
    await clock.advance(20_000)
    await refused('0.ts')
    assert.equal(begun(), 3)
    for (const maker of makers) maker.outcome = async () => ({ kind: 'made', bytes: Uint8Array.of(1) })
    await refused('2.ts')
    await clock.advance(60_000)
    for (const name of ['0.ts', '2.ts']) assert.equal((await hls.segment(film, name, stays())).length, 1)
    assertQuiet()
  })

  test('a film that has cost too much three times is left alone as a whole', async () => {
    const why = 'it takes too long'
    for (const maker of makers) maker.outcome = async () => ({ kind: 'unreadable', why, isCostly: true })
    const ask = (name: string, fileIndex = '0'): Promise<unknown> =>
      hls.segment({ ...film, fileIndex }, name, stays()).catch((error: unknown) => error)
    for (const name of ['0.ts', '0.ts', '1.ts', '2.ts']) await ask(name)
    assert.equal(makers[0].begun + makers[1].begun, 3)
    for (const maker of makers) maker.outcome = async () => ({ kind: 'made', bytes: Uint8Array.of(1) })
    await assert.rejects(hls.segment({ ...film, sound: 0 }, '2.ts', stays()), { message: /takes too long/ })
    others = [memory, new MemoryFilm(new Uint8Array(SIZE), 1)]
    assert.ok((await ask('0.ts', '1')) instanceof Uint8Array, 'another film is made')
    await clock.advance(60_000)
    assert.ok((await ask('0.ts')) instanceof Uint8Array)
    assertQuiet()
  })
})
