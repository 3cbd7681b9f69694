// Facts of films in downloads: kept ones cost nothing, missing ones are asked for and waited for on a clock of the
// test, and whoever leaves, stalls or cannot be read gives its place up.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import type { FilmStore } from '../../../../../src/chapters/media/ports/film-store.ts'
import { FilmDisk } from '../../../../../src/chapters/media/service/film-bytes.ts'
import type { MediaAnswer } from '../../../../../src/chapters/media/service/media-api.ts'
import { MediaFacts } from '../../../../../src/chapters/media/service/media-facts.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import type { StoreVolume } from '../../../../../src/ports/volumes.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { makeFlac } from '../../kit/made-flac.ts'
import { chunksAt, film as made, moov } from '../../kit/made-mp4.ts'
import { MemoryFilm } from '../../kit/memory-film.ts'
import { MemoryReader } from '../../kit/memory-reader.ts'

const MINUTE = 60_000

class MemoryStore implements FilmStore {
  readonly facts = new Map<string, FilmFacts>()

  async get(tag: string): Promise<FilmFacts | null> {
    return this.facts.get(tag) ?? null
  }

  async put(tag: string, facts: FilmFacts): Promise<void> {
    this.facts.set(tag, facts)
  }
}

describe('facts of films in downloads', () => {
  let clock: VirtualClock
  let reader: MemoryReader
  let store: MemoryStore
  let arena: SharedArena
  let films: MemoryFilm[]
  let media: MediaFacts

  const ask = (index: number, waitMs: number, signal = new AbortController().signal): Promise<MediaAnswer> =>
    media.facts('', String(index), waitMs, { signal })
  /** Asks, and lets the clock go on until there is an answer. */
  const answered = async (index: number, waitMs: number): Promise<MediaAnswer> => {
    const answer = ask(index, waitMs)
    let settled = false
    const over = (): void => void (settled = true)
    answer.then(over, over)
    await clock.until('it is answered', () => settled)
    return answer
  }
  const filmAt = (index: number): MemoryFilm => {
    const film = films[index]
    assert.ok(film !== undefined)
    return film
  }

  beforeEach(() => {
    clock = new VirtualClock()
    reader = new MemoryReader()
    store = new MemoryStore()
    arena = new SharedArena({ id: 'range', slotBytes: 4096, bytes: 64 * 4096 })
    films = Array.from({ length: 40 }, (_, index) => new MemoryFilm(makeFlac().bytes, index))
    media = new MediaFacts({
      clock,
      disk: new FilmDisk(clock, arena),
      reader,
      store,
      streamable: (_infohash, index) => filmAt(Number(index)),
    })
  })

  /** Nothing of a film goes on. */
  function assertQuiet(): void {
    assert.deepEqual([media.films, films.filter(({ open }) => open > 0).length], [0, 0])
    assert.equal(arena.freeCount, arena.slotCount, 'all memory is given back')
    assert.equal(clock.pending, 0, 'no timer goes on')
  }

  test('a film that is there is told at once, and the second time nothing of it is read', async () => {
    const first = await answered(0, 0)
    assert.deepEqual([first.wanted, first.facts?.duration, first.facts?.keys?.times.length], [null, 10, 10])
    const { read } = filmAt(0)
    assert.deepEqual(await answered(0, 0), first)
    assert.deepEqual([filmAt(0).read, reader.looks], [read, 1])
    assertQuiet()
  })

  test('facts of 16,384 key frames are kept too', async () => {
    const big = { ...(await answered(0, 0)).facts } as FilmFacts
    const times = Array.from({ length: 16_384 }, (_, at) => at)
    store.facts.set(filmAt(1).tag, { ...big, keys: { track: 1, times, bytes: times, gap: 0 } })
    assert.equal((await answered(1, 0)).facts?.keys?.times.length, 16_384)
    assert.equal(reader.looks, 1)
  })

  test('of one that lacks its index what is known is told, with the gap and not all that is wanted', async () => {
    const { table } = makeFlac()
    const film = filmAt(0)
    film.holes = [{ start: table.start + 50, end: table.start + 90 }]
    const answer = await answered(0, 0)
    assert.deepEqual([answer.facts?.duration, answer.facts?.keys], [10, null])
    assert.deepEqual(answer.missing, film.holes)
    assert.ok(answer.wanted !== null && answer.wanted.start <= table.start && answer.wanted.end >= table.end)
    assert.deepEqual(film.waited, [table.start + 50], 'it was asked for')
    assert.equal(store.facts.size, 0, 'what is not whole is not kept')
    assertQuiet()
  })

  test('what comes in while it is waited for is read; the wait ends by its limit, and begins again', async () => {
    const { table } = makeFlac()
    const film = filmAt(0)
    film.holes = [
      { start: table.start, end: table.start + 20 },
      { start: table.start + 100, end: table.start + 120 },
    ]
    const first = ask(0, MINUTE)
    await clock.advance(10_000)
    film.arrive({ start: 0, end: table.start + 20 })
    await clock.advance(MINUTE)
    assert.deepEqual((await first).missing, [{ start: table.start + 100, end: table.start + 120 }])
    const second = ask(0, MINUTE)
    await clock.advance(30_000)
    film.arrive({ start: 0, end: film.size })
    await clock.advance(1)
    const { facts, wanted } = await second
    assert.deepEqual([wanted, facts?.keys?.times.length], [null, 10])
    assertQuiet()
  })

  test('those who ask for one film share its reading; who leaves does not end it, the last one does', async () => {
    const film = filmAt(0)
    film.holes = [{ start: 0, end: film.size }]
    const [leaving, last] = [new AbortController(), new AbortController()]
    const asks = [ask(0, MINUTE, leaving.signal), ask(0, MINUTE), ask(0, MINUTE, last.signal)]
    await clock.advance(1000)
    assert.deepEqual([media.films, film.open, reader.looks], [1, 1, 1])
    leaving.abort()
    await assert.rejects(asks[0] ?? Promise.resolve(), { code: 'Aborted' })
    assert.deepEqual([media.films, film.open], [1, 1])
    await clock.advance(MINUTE)
    assert.equal((await asks[1])?.facts, null)
    assert.equal((await asks[2])?.facts, null)
    assertQuiet()
  })

  test('32 films at a time, and a place is free as soon as its client has left, in the line too', async () => {
    let release: () => void = () => undefined
    reader.hold = () => new Promise(resolve => (release = resolve))
    const leaving = Array.from({ length: 32 }, () => new AbortController())
    const asks = leaving.map(({ signal }, index) => ask(index, 0, signal))
    for (const one of asks) one.catch(() => undefined)
    await clock.advance(1)
    await assert.rejects(ask(32, 0), { code: 'TooManyRequests' })
    leaving[20]?.abort()
    await assert.rejects(asks[20] ?? Promise.resolve(), { code: 'Aborted' })
    const admitted = ask(32, 0)
    await clock.advance(1)
    assert.equal(media.films, 32)
    reader.hold = () => Promise.resolve()
    release()
    await clock.advance(1)
    assert.equal((await admitted).facts?.duration, 10)
    assert.equal(reader.looks, 32, 'the film whose client left was never read')
    await Promise.allSettled(asks)
    assertQuiet()
  })

  test('who waits too long for a turn hears that it is too busy; whose film is being read waits for that', async () => {
    let release: () => void = () => undefined
    reader.hold = () => new Promise(resolve => (release = resolve))
    const [first, second] = [ask(0, 0), ask(1, 0)]
    const refused = assert.rejects(second, { code: 'TooManyRequests' })
    await clock.advance(20_000)
    await refused
    await clock.advance(50_000)
    release()
    await clock.advance(1)
    assert.equal((await first).facts?.duration, 10)
    assertQuiet()
    const stalled = assert.rejects(ask(2, 0), { code: 'VolumeStalled' })
    await clock.advance(80_000)
    await stalled
    release()
    await clock.advance(1)
    assertQuiet()
  })

  test('a look that goes on when the time is over may end it, and then that is said', async () => {
    films[0] = new MemoryFilm(new TextEncoder().encode('neither film nor sound'), 0)
    const film = filmAt(0)
    film.holes = [{ start: 0, end: film.size }]
    const refused = assert.rejects(ask(0, 1000), { code: 'MediaUnreadable' })
    await clock.advance(500)
    let release: () => void = () => undefined
    reader.hold = () => new Promise(resolve => (release = resolve))
    film.arrive({ start: 0, end: film.size })
    await clock.advance(1000)
    release()
    await clock.advance(1)
    await refused
    assertQuiet()
  })

  test('titles of chapters that are not there are not waited for, and facts without them are not kept', async () => {
    const texts = { id: 2, handler: 'text', tables: chunksAt([20_000, 40_000], 100, 5000) } as const
    const picture = { id: 1, handler: 'vide', tables: chunksAt([60_000], 100, 5000), chapters: 2 } as const
    const titles = new Map([
      [20_000, 'Opening'],
      [40_000, 'The rest'],
    ])
    const film = new MemoryFilm(made(moov([picture, texts], 10_000), 70_000, titles), 0)
    films[0] = film
    film.holes = [{ start: 40_000, end: 50_000 }]
    const titlesOf = ({ facts }: MediaAnswer): string[] => (facts?.chapters ?? []).map(({ title }) => title)
    const first = await answered(0, MINUTE)
    assert.deepEqual([titlesOf(first), first.wanted, store.facts.size], [['Opening', ''], null, 0])
    film.arrive({ start: 0, end: film.size })
    assert.deepEqual(titlesOf(await answered(0, 0)), ['Opening', 'The rest'])
    assert.equal(store.facts.size, 1)
    assertQuiet()
  })

  test('a film that is looked at again and again is told as far as it is known, and not called unreadable', async () => {
    const film = filmAt(0)
    const facts = { ...(await answered(1, 0)).facts } as FilmFacts
    let looks = 0
    reader.read = async () => {
      looks += 1
      // Always another byte, which is there when it is waited for.
      const missing = { start: looks, end: looks + 1 }
      return { outcome: { kind: 'read', reading: { facts, missing, fetched: 1 } }, busyMs: 1 }
    }
    for (let time = 0; time < 2; time += 1) {
      const { facts: known, wanted } = await answered(0, MINUTE)
      assert.ok(known?.duration === 10 && wanted !== null)
    }
    assert.deepEqual([looks, film.open], [128, 0])
    assertQuiet()
  })

  test('reads that one volume does not give back stop no film on another', async () => {
    const volume: StoreVolume = {
      answers: true,
      takesMore: true,
      stalled: false,
      nextAnswer: () => Promise.resolve(),
      inTime: work => work,
    }
    for (const film of films.slice(0, 5)) {
      film.disk = () => new Promise(() => undefined)
      film.volume = volume
    }
    for (let index = 0; index < 5; index += 1) {
      const failed = assert.rejects(ask(index, 0), { code: 'VolumeStalled' })
      await clock.advance(10_000)
      await failed
    }
    assert.equal(arena.slotCount - arena.freeCount, 4)
    assert.equal((await answered(5, 0)).facts?.duration, 10)
  })

  test('a disk that does not answer costs a film ten seconds, and its memory until it answers', async () => {
    let answerDisk: () => void = () => undefined
    filmAt(0).disk = () => new Promise(resolve => (answerDisk = resolve))
    const failed = assert.rejects(ask(0, MINUTE), { code: 'VolumeStalled' })
    await clock.advance(10_000)
    await failed
    assert.deepEqual([media.films, arena.slotCount - arena.freeCount], [0, 1])
    assert.equal((await answered(1, 0)).facts?.duration, 10, 'others are read')
    answerDisk()
    await clock.advance(1)
    assertQuiet()
  })

  test('reads that never come back are few: then none begins', async () => {
    for (const film of films) film.disk = () => new Promise(() => undefined)
    for (let index = 0; index < 6; index += 1) {
      const failed = assert.rejects(ask(index, 0), { code: 'VolumeStalled' })
      await clock.advance(10_000)
      await failed
    }
    assert.equal(arena.slotCount - arena.freeCount, 4)
  })

  test('a film that cannot be read is looked at once in ten minutes', async () => {
    films[0] = new MemoryFilm(new TextEncoder().encode('neither film nor sound'), 0)
    for (let time = 0; time < 3; time += 1) await assert.rejects(answered(0, 0), { code: 'MediaUnreadable' })
    assert.equal(reader.looks, 1)
    await clock.advance(10 * MINUTE)
    await assert.rejects(answered(0, 0), { code: 'MediaUnreadable' })
    assert.equal(reader.looks, 2)
  })

  test('a download that cannot go on says why', async () => {
    const film = filmAt(0)
    film.holes = [{ start: 0, end: film.size }]
    const failed = assert.rejects(ask(0, MINUTE), { code: 'DiskFull' })
    await clock.advance(1000)
    film.fail(new AppError('DiskFull'))
    await failed
    assertQuiet()
  })

  test('who watches is told what is known as it becomes more, by a reader behind players', async () => {
    const { table } = makeFlac()
    const film = filmAt(0)
    film.holes = [{ start: 0, end: film.size }]
    const told: (number | null)[] = []
    let over = false
    const asker = { signal: new AbortController().signal }
    const watched = media.watch('', '0', asker, ({ keys }) => told.push(keys?.times.length ?? null))
    void watched.then(() => (over = true))
    await clock.advance(1000)
    assert.deepEqual(told, [])
    film.arrive({ start: 0, end: table.start })
    await clock.advance(10 * MINUTE)
    assert.deepEqual([told, over], [[null], false], 'it goes on however long it takes')
    const second: (number | null)[] = []
    const both = media.watch('', '0', asker, ({ keys }) => second.push(keys?.times.length ?? null))
    await clock.advance(1000)
    assert.deepEqual(second, [null], 'at once')
    film.arrive({ start: 0, end: film.size })
    await clock.advance(1000)
    await Promise.all([watched, both])
    assert.deepEqual(
      [told, second],
      [
        [null, 10],
        [null, 10],
      ],
    )
    assert.deepEqual(film.opened, [{ background: true }])
    assertQuiet()
    const third: (number | null)[] = []
    await media.watch('', '0', asker, ({ keys }) => third.push(keys?.times.length ?? null))
    assert.deepEqual([third, film.opened.length], [[10], 1], 'it is kept')
  })

  test('who watches and leaves ends it, also before it began', async () => {
    const film = filmAt(0)
    film.holes = [{ start: 0, end: film.size }]
    const leaving = new AbortController()
    const left = assert.rejects(
      media.watch('', '0', leaving, () => assert.fail()),
      { code: 'Aborted' },
    )
    await clock.advance(1000)
    assert.equal(media.films, 1)
    leaving.abort()
    await left
    await assert.rejects(
      media.watch('', '0', leaving, () => assert.fail()),
      { code: 'Aborted' },
    )
    await clock.advance(1)
    assert.equal(film.opened.length, 1)
    assertQuiet()
  })

  test('a stop ends what is waited for', async () => {
    const film = filmAt(0)
    film.holes = [{ start: 0, end: film.size }]
    const ended = assert.rejects(ask(0, MINUTE), { code: 'Aborted' })
    await clock.advance(1000)
    await media.stop()
    await ended
    assert.equal(reader.stopped, true)
    await assert.rejects(ask(1, 0), { code: 'NotReady' })
    assertQuiet()
  })
})
