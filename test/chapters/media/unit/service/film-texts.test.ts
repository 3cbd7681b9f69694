// Texts inside of films of downloads: what is there is read, nothing is asked of the swarm, and whoever leaves, asks
// too often or for what cannot be read gives its place up.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { SubtitlePart } from '../../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { FilmDisk } from '../../../../../src/chapters/media/service/film-bytes.ts'
import { FilmTexts } from '../../../../../src/chapters/media/service/film-texts.ts'
import type { FilmReader, ReadableFilm } from '../../../../../src/chapters/media/ports/film-reader.ts'
import { ReaderLine } from '../../../../../src/chapters/media/service/reader-line.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { makeTexts, TEXTS } from '../../kit/made-texts.ts'
import { MemoryFilm } from '../../kit/memory-film.ts'
import { MemoryReader } from '../../kit/memory-reader.ts'

const { bytes, clusters, cues } = makeTexts({
  texts: [1000, 8000].map(ms => ({ ms, lengthMs: 1000, bytes: Buffer.from(`at ${ms}`) })),
  seconds: 10,
  pictureBytes: 500,
})

describe('texts inside of films of downloads', () => {
  let clock: VirtualClock
  let reader: MemoryReader
  let arena: SharedArena
  let films: MemoryFilm[]
  let texts: FilmTexts

  const ask = (index = 0, track = TEXTS, signal = new AbortController().signal): Promise<SubtitlePart> =>
    texts.texts('', String(index), { track, fromSec: 0, toSec: 10 }, { signal })
  const filmAt = (index: number): MemoryFilm => {
    const film = films[index]
    assert.ok(film !== undefined)
    return film
  }

  beforeEach(() => {
    clock = new VirtualClock()
    reader = new MemoryReader()
    arena = new SharedArena({ id: 'range', slotBytes: 4096, bytes: 64 * 4096 })
    films = Array.from({ length: 20 }, (_, index) => new MemoryFilm(bytes, index))
    texts = new FilmTexts({
      clock,
      disk: new FilmDisk(clock, arena),
      line: new ReaderLine(reader),
      streamable: (_infohash, index) => filmAt(Number(index)),
    })
  })

  /** Nothing of a film goes on. */
  function assertQuiet(): void {
    assert.deepEqual([texts.looks, films.filter(({ open }) => open > 0).length], [0, 0])
    assert.equal(arena.freeCount, arena.slotCount, 'all memory is given back')
    assert.equal(clock.pending, 0, 'no timer goes on')
  }

  test('what is there is told; what is not is not waited for, and told when it has come', async () => {
    const film = filmAt(0)
    // The index is there; the reader of this test has parts of 4,096 bytes.
    film.holes = [{ start: clusters[1] ?? 0, end: Math.floor(cues.start / 4096) * 4096 }]
    const some = await ask()
    assert.deepEqual([some.cues.map(({ text }) => text), some.covered], [['at 1000'], [{ fromSec: 0, toSec: 8 }]])
    film.arrive({ start: 0, end: film.size })
    const all = await ask()
    assert.deepEqual([all.cues.length, all.covered], [2, [{ fromSec: 0, toSec: 10 }]])
    assert.deepEqual(film.waited, [], 'nothing is asked of the swarm')
    assert.deepEqual(film.opened, [{ background: true }, { background: true }])
    assertQuiet()
  })

  test('before its head is there nothing is told, and nothing is wrong', async () => {
    filmAt(0).holes = [{ start: 0, end: 100 }]
    const { missing, ...rest } = await ask()
    assert.deepEqual([rest, missing?.start], [{ cues: [], covered: [], fetched: 0 }, 0])
    assertQuiet()
  })

  test('no such track is NotFound; a film that cannot be read is not looked at again for a while', async () => {
    await assert.rejects(ask(0, 9), (error: AppError) => error.code === 'NotFound' && /no track 9/.test(error.message))
    await assert.rejects(ask(0, 1), /no text but vp8/)
    films[1] = new MemoryFilm(bytes.subarray(0, 60), 1)
    await assert.rejects(ask(1), { code: 'MediaUnreadable' })
    const { looks } = reader
    await assert.rejects(ask(1), { code: 'MediaUnreadable' })
    assert.equal(reader.looks, looks)
    await clock.advance(11 * 60_000)
    await assert.rejects(ask(1), { code: 'MediaUnreadable' })
    assert.equal(reader.looks, looks + 1)
    assertQuiet()
  })

  test('three looks at one film, eight in all; a place is free when its client has left, in line too', async () => {
    let release: () => void = () => undefined
    reader.hold = () => new Promise(resolve => (release = resolve))
    const leaving = new AbortController()
    const going = ask(0)
    const waiting = [ask(0), ask(0, TEXTS, leaving.signal)]
    await clock.advance(1)
    await assert.rejects(ask(0), { code: 'TooManyRequests' })
    const others = Array.from({ length: 5 }, (_, at) => ask(at + 1))
    await clock.advance(1)
    await assert.rejects(ask(15), { code: 'TooManyRequests' })
    leaving.abort()
    await assert.rejects(waiting[1] ?? Promise.resolve(), { code: 'Aborted' })
    others.push(ask(15))
    await clock.advance(1)
    assert.equal(texts.looks, 8)
    reader.hold = () => Promise.resolve()
    release()
    const all = await Promise.all([going, ...waiting.slice(0, 1), ...others])
    assert.ok(all.every(part => part.cues.length === 2))
    assertQuiet()
  })

  test('who stands in line for too long is told so; the end of the node ends all', async () => {
    reader.hold = () => new Promise(() => undefined)
    const held = ask(0)
    const late = assert.rejects(ask(1), { code: 'TooManyRequests' })
    await clock.advance(1)
    await clock.advance(20_000)
    await late
    texts.stop()
    await assert.rejects(ask(2), { code: 'NotReady' })
    assert.equal(filmAt(0).open, 0, 'its reader is closed')
    void held.catch(() => undefined)
  })

  test('a film that costs the thread its life is tried once, and not once for each of its tracks', async () => {
    const costly: FilmReader = {
      read: film => reader.read(film),
      texts: async () => {
        reader.looks += 1
        return { kind: 'unreadable', why: 'it takes too long', isCostly: true }
      },
      stop: () => reader.stop(),
    }
    const { streamable, disk } = { streamable: () => filmAt(0), disk: new FilmDisk(clock, arena) }
    texts = new FilmTexts({ clock, disk, line: new ReaderLine(costly), streamable })
    for (const track of [1, 2, 3]) await assert.rejects(ask(0, track), { code: 'MediaUnreadable' })
    assert.equal(reader.looks, 1)
    assertQuiet()
  })

  test('facts go before texts in the line of the one thread', async () => {
    const order: string[] = []
    let release: () => void = () => undefined
    reader.hold = () => new Promise(resolve => (release = resolve))
    const line = new ReaderLine(reader)
    const part = { track: TEXTS, fromSec: 0, toSec: 10 }
    const film: ReadableFilm = {
      size: bytes.length,
      read: async (start, length, into) => {
        into.set(bytes.subarray(start, start + length))
        return length
      },
    }
    const { signal } = new AbortController()
    const began = (name: string) => () => void order.push(name)
    const all = [
      line.texts(film, part, signal, began('first texts')),
      line.texts(film, part, signal, began('second texts')),
      line.read(film, signal, began('first facts')),
      line.read(film, signal, began('second facts')),
    ]
    assert.equal(line.length, 3)
    reader.hold = () => Promise.resolve()
    release()
    await Promise.all(all)
    assert.deepEqual(order, ['first texts', 'first facts', 'second facts', 'second texts'])
  })

  test('what the disk says is passed on', async () => {
    filmAt(0).disk = () => Promise.reject(new AppError('DiskError'))
    await assert.rejects(ask(), { code: 'DiskError' })
    assertQuiet()
  })
})
