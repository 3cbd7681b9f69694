// The thread that makes segments: real films through it, and what it does when a film takes too much, its bytes are not
// there, or nobody waits any more.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { SegmentJob, SegmentOutcome } from '../../../../../src/chapters/hls/convert/thread-messages.ts'
import { SegmentThread, type SegmentThreadOptions } from '../../../../../src/chapters/hls/io/segment-thread.ts'
import { ownTask } from '../../../../../src/chapters/media/io/task-time.ts'
import type { ReadableFilm } from '../../../../../src/chapters/media/ports/film-reader.ts'
import { SystemClock } from '../../../../../src/io/clock.ts'
import type { Clock } from '../../../../../src/ports/clock.ts'
import { seededBytes } from '../../../../kit/content/make-torrent.ts'
import { needs } from '../../../../kit/requirements.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../../../kit/wait-for.ts'
import { madeOrder } from '../../kit/made-order.ts'
import { CutFilm, madeBytes } from '../../kit/made-segments.ts'
import { SegmentFilms } from '../../kit/segment-films.ts'
import { STRANGE } from '../../kit/strange-maker.ts'

const strange = new URL('../../kit/strange-maker.js', import.meta.url)
const never = new AbortController().signal
/** A length with which the strange thread does nothing odd. */
const PLAIN = 99

function filmOf(size: number, read: ReadableFilm['read'] = () => Promise.resolve(0)): ReadableFilm {
  return { size, read }
}

function filmIn(bytes: Uint8Array, asked: () => void = () => undefined): ReadableFilm {
  return filmOf(bytes.length, async (start, length, into) => {
    asked()
    const part = bytes.subarray(start, start + length)
    into.set(part)
    return part.length
  })
}

/** A film whose bytes never come; `asked`: settles when they are asked for. */
function endlessFilm(size: number): { readonly film: ReadableFilm; readonly asked: Promise<void> } {
  let note = (): void => undefined
  const asked = new Promise<void>(resolve => (note = resolve))
  const film = filmOf(size, () => {
    note()
    return new Promise(() => undefined)
  })
  return { film, asked }
}

function jobOf(size: number, soundMargin = 0): SegmentJob {
  return { tag: 'film', size, order: madeOrder({ sound: null, isFirst: true, start: 0, endByte: size, soundMargin }) }
}

async function withThread(
  options: Omit<SegmentThreadOptions, 'clock'> & { readonly clock?: Clock },
  work: (thread: SegmentThread) => Promise<void>,
): Promise<void> {
  const thread = new SegmentThread({ clock: new SystemClock(), ...options })
  try {
    await work(thread)
  } finally {
    await thread.stop()
  }
}

async function whyOf(thread: SegmentThread, size: number): Promise<unknown> {
  const outcome: SegmentOutcome = await thread.make(jobOf(size), filmOf(size), never)
  return 'why' in outcome ? outcome.why : outcome
}

const threadsNow = (): number => readdirSync('/proc/self/task').length

describe('the thread that makes segments', { concurrency: 1 }, () => {
  test('what is not there is missing, and what fails is the disk’s fault', async () => {
    await withThread({}, async thread => {
      const missing = await thread.make(jobOf(5000), filmOf(5000), never)
      assert.equal(missing.kind, 'missing')
      const failing = filmOf(5000, () => Promise.reject(new AppError('DiskError')))
      await assert.rejects(thread.make(jobOf(5000), failing, never), { code: 'DiskError' })
    })
  })

  test('a film that never ends, takes all memory, throws or ends its reader is unreadable; the next one is made', async () => {
    await withThread({ worker: strange, limitMs: 100 }, async thread => {
      const outcome = await thread.make(jobOf(STRANGE.loops), filmOf(STRANGE.loops), never)
      assert.deepEqual(outcome, { kind: 'unreadable', why: 'it takes too long', isCostly: true })
    })
    await withThread({ worker: strange, limitMs: 60_000, memoryMib: 24 }, async thread => {
      const whys: unknown[] = []
      for (const size of [STRANGE.takesMemory, STRANGE.throws, STRANGE.ends, PLAIN])
        whys.push(await whyOf(thread, size))
      assert.deepEqual(whys, ['it takes too much memory', 'its reader failed', 'its reader failed', 'job 1'])
    })
  })

  test('a conversion, which threads of the packages do, has six seconds; other work as long as it gets no processor', {
    skip: ownTask() === null,
  }, async () => {
    for (const [margin, mostMs] of [
      [0.12, 6000],
      [0, 23_000],
    ] as const) {
      const clock = new VirtualClock()
      await withThread({ clock, worker: strange }, async thread => {
        let begun = false
        let outcome: SegmentOutcome | null = null
        const film = filmOf(STRANGE.starves, () => {
          begun = true
          return Promise.resolve(1)
        })
        const made = thread.make(jobOf(STRANGE.starves, margin), film, never).then(done => (outcome = done))
        await waitFor('it has begun', () => begun)
        await clock.advance(mostMs - 1000)
        assert.equal(outcome, null)
        // Timers are whole milliseconds.
        await clock.advance(1100)
        assert.deepEqual(await made, { kind: 'late', why: 'it takes too long' }, 'no fault of the film')
      })
      assert.equal(clock.pending, 0)
    }
  })

  test('a job ends with its client, whatever it does, 50 ms later; its place is free when the thread is gone', async () => {
    for (const size of [STRANGE.loops, STRANGE.reads]) {
      const before = threadsNow()
      const clock = new VirtualClock()
      await withThread({ clock, worker: strange }, async thread => {
        const client = new AbortController()
        const { film, asked } = endlessFilm(size)
        let ended = false
        const made = assert.rejects(thread.make(jobOf(size), film, client.signal), { code: 'Aborted' })
        void made.then(() => (ended = true))
        await asked
        client.abort()
        await clock.advance(49)
        assert.deepEqual([ended, thread.running], [false, true])
        await clock.advance(1)
        await made
        assert.equal(threadsNow(), before, 'it is gone')
        assert.equal(await whyOf(thread, PLAIN), 'job 1', 'the next one is made, by another')
      })
    }
  })

  test('a thread that is still loading is kept when its client goes: the next one needs it too', async () => {
    const clock = new VirtualClock()
    await withThread({ clock, worker: strange }, async thread => {
      for (const client of [new AbortController(), new AbortController()]) {
        let ended = false
        const made = assert.rejects(thread.make(jobOf(STRANGE.loads), filmOf(STRANGE.loads), client.signal), {
          code: 'Aborted',
        })
        void made.then(() => (ended = true))
        client.abort()
        await clock.advance(0)
        assert.equal(ended, true, 'whatever the thread does')
        assert.equal(thread.running, true)
      }
      assert.equal(await whyOf(thread, PLAIN), 'job 3', 'by the same thread')
    })
    assert.equal(clock.pending, 0)
  })

  test('a job that was left and never lets go is late, at nobody’s cost', async () => {
    const clock = new VirtualClock()
    await withThread({ clock, worker: strange }, async thread => {
      const leave = async (): Promise<void> => {
        const client = new AbortController()
        const made = thread.make(jobOf(STRANGE.hangs), filmOf(STRANGE.hangs), client.signal)
        client.abort()
        await assert.rejects(made, { code: 'Aborted' })
        assert.equal(thread.running, true)
      }
      await leave()
      await clock.advance(10_000)
      assert.equal(thread.running, false, 'nobody waited')
      await leave()
      await clock.advance(5000)
      const next = thread.make(jobOf(PLAIN), filmOf(PLAIN), never)
      await clock.advance(5000)
      assert.deepEqual(await next, { kind: 'late', why: 'it takes too long' }, 'an innocent film')
      assert.equal(await whyOf(thread, PLAIN), 'job 1')
    })
    assert.equal(clock.pending, 0)
  })

  test('a thread that holds what failed is not kept, and its place is free when it is gone', async () => {
    await withThread({ worker: strange }, async thread => {
      const before = threadsNow()
      for (let time = 0; time < 3; time += 1) {
        assert.equal(await whyOf(thread, STRANGE.spoils), 'job 1')
        assert.deepEqual([thread.running, threadsNow()], [false, before])
      }
    })
  })

  test('a stop waits for a thread that is being ended already', async () => {
    const before = threadsNow()
    const clock = new VirtualClock()
    const thread = new SegmentThread({ clock, worker: strange })
    const client = new AbortController()
    const { film, asked } = endlessFilm(STRANGE.loops)
    const made = assert.rejects(thread.make(jobOf(STRANGE.loops), film, client.signal), { code: 'Aborted' })
    await asked
    client.abort()
    // Fires right behind the clock of the thread, whose end is under way then.
    const stopped = new Promise<number>(resolve =>
      clock.after(50, () => void thread.stop().then(() => resolve(threadsNow()))),
    )
    await Promise.all([clock.advance(50), made])
    assert.equal(await stopped, before)
  })

  test('what conversions need is loaded ahead, and a segment that comes meanwhile does not wait for nothing', async () => {
    const clock = new VirtualClock()
    await withThread({ clock, worker: strange, idleMs: 5000 }, async thread => {
      thread.warm()
      assert.equal(thread.running, true)
      const client = new AbortController()
      const made = thread.make(jobOf(STRANGE.loads), filmOf(STRANGE.loads), client.signal)
      thread.warm()
      client.abort()
      await assert.rejects(made, { code: 'Aborted' })
      assert.equal(await whyOf(thread, PLAIN), 'job 3')
      await clock.advance(5000)
      assert.equal(thread.running, false)
    })
    assert.equal(clock.pending, 0)
  })

  test('who has left before begins nothing; one segment at a time; without work the thread ends', async () => {
    await withThread({ worker: strange, idleMs: 1 }, async thread => {
      const gone = new AbortController()
      gone.abort()
      await assert.rejects(thread.make(jobOf(PLAIN), filmOf(PLAIN), gone.signal), { code: 'Aborted' })
      assert.equal(thread.running, false)
      const first = thread.make(jobOf(PLAIN), filmOf(PLAIN), never)
      await assert.rejects(thread.make(jobOf(PLAIN), filmOf(PLAIN), never), /being made already/)
      await first
      await waitFor('the thread ends', () => !thread.running)
      assert.equal(await whyOf(thread, PLAIN), 'job 1')
    })
  })

  test('a stop ends a segment that waits for its bytes, and nothing starts after it', async () => {
    const thread = new SegmentThread({ clock: new SystemClock(), worker: strange })
    const { film, asked } = endlessFilm(STRANGE.reads)
    const made = assert.rejects(thread.make(jobOf(STRANGE.reads), film, never), { code: 'Aborted' })
    await asked
    await thread.stop()
    await made
    await assert.rejects(thread.make(jobOf(PLAIN), filmOf(PLAIN), never), { code: 'Aborted' })
    thread.warm()
    assert.equal(thread.running, false)
  })

  describe('with real films', { skip: needs('ffmpeg') }, () => {
    let films: SegmentFilms
    before(async () => {
      films = await SegmentFilms.open()
    })
    after(() => films?.close())

    test('sound is converted, one segment after the other, and the thread lets go of it wherever it is', async () => {
      const path = await films.make('ac3.mkv', 48_000, ['-c:a', 'ac3'])
      const cut = await CutFilm.open(path)
      const bytes = await readFile(path)
      // Nothing ends it but that it hears.
      const clock = new VirtualClock()
      await withThread({ clock }, async thread => {
        let reads = 0
        for (const number of [2, 0, 1]) {
          reads = 0
          const outcome = await thread.make(
            cut.job(number),
            filmIn(bytes, () => (reads += 1)),
            never,
          )
          assert.ok(madeBytes(outcome).length > 0)
        }
        assert.ok(reads >= 2, `${reads} reads`)
        // Behind the last read there is nothing but the conversion.
        for (const place of [1, reads]) {
          const client = new AbortController()
          let read = 0
          const leaving = filmIn(bytes, () => {
            read += 1
            if (read === place) client.abort()
          })
          await assert.rejects(thread.make(cut.job(1), leaving, client.signal), { code: 'Aborted' })
          assert.equal(thread.running, true, `read ${place}`)
        }
        assert.equal((await thread.make(cut.job(1), filmIn(bytes), never)).kind, 'made', 'the next one is made')
      })
      cut.source.close()
    })

    test('sound with right heads and noise behind them leaves nothing to the next film', async () => {
      const path = await films.make('ac3.mkv', 48_000, ['-c:a', 'ac3'])
      const cut = await CutFilm.open(path)
      const bytes = await readFile(path)
      const hostile = Buffer.from(bytes)
      for (let at = hostile.indexOf('0b77', 0, 'hex'); at >= 0; at = hostile.indexOf('0b77', at + 64, 'hex'))
        hostile.set(seededBytes(50, at), at + 7)
      await withThread({}, async thread => {
        for (let time = 0; time < 2; time += 1) {
          const refused = await thread.make(cut.job(1), filmIn(hostile), never)
          assert.deepEqual(refused, { kind: 'unreadable', why: 'its sound cannot be decoded' })
          assert.equal(thread.running, true, 'frames that are refused spoil nothing')
          assert.equal((await thread.make(cut.job(1), filmIn(bytes), never)).kind, 'made')
        }
      })
      cut.source.close()
    })

    test('makes the same as without a thread, and lets go of a segment between two reads', async () => {
      for (const name of ['film.mkv', 'film.mp4']) {
        const path = await films.make(name, 48_000, [])
        const cut = await CutFilm.open(path)
        const bytes = await readFile(path)
        await withThread({}, async thread => {
          for (const number of [1, 0]) {
            const outcome = await thread.make(cut.job(number), filmIn(bytes), never)
            assert.deepEqual(
              Buffer.from(madeBytes(outcome)),
              Buffer.from(await cut.segment(number)),
              `${name} ${number}`,
            )
          }
          const client = new AbortController()
          const leaving = filmIn(bytes, () => client.abort())
          await assert.rejects(thread.make(cut.job(2), leaving, client.signal), { code: 'Aborted' })
          assert.equal(thread.running, true, 'it heard it by itself')
          assert.equal((await thread.make(cut.job(2), filmIn(bytes), never)).kind, 'made')
        })
        cut.source.close()
      }
    })
  })
})
