// The thread that makes segments: real films through it, and what it does when a film takes too much, its bytes are not
// there, or nobody waits any more.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { SegmentJob, SegmentOutcome } from '../../../../../src/chapters/hls/convert/thread-messages.ts'
import { SegmentThread, type SegmentThreadOptions } from '../../../../../src/chapters/hls/io/segment-thread.ts'
import type { ReadableFilm } from '../../../../../src/chapters/media/ports/film-reader.ts'
import { SystemClock } from '../../../../../src/io/clock.ts'
import { needs } from '../../../../kit/requirements.ts'
import { waitFor } from '../../../../kit/wait-for.ts'
import { CutFilm, madeBytes } from '../../kit/made-segments.ts'
import { SegmentFilms } from '../../kit/segment-films.ts'
import { STRANGE } from '../../kit/strange-maker.ts'

const strange = new URL('../../kit/strange-maker.js', import.meta.url)
const never = new AbortController().signal
/** What the issue allows; waiting for a turn of a busy machine is not in it. */
const LET_GO_MS = 100

function filmOf(size: number, read: ReadableFilm['read'] = () => Promise.resolve(0)): ReadableFilm {
  return { size, read }
}

function filmIn(bytes: Uint8Array): ReadableFilm {
  return filmOf(bytes.length, async (start, length, into) => {
    const part = bytes.subarray(start, start + length)
    into.set(part)
    return part.length
  })
}

function jobOf(size: number): SegmentJob {
  const order = {
    container: 'matroska',
    packing: 'ts',
    isHead: false,
    number: 0,
    width: 0,
    height: 0,
    video: 1,
    sound: null,
    soundCodec: '',
    soundRate: 0,
    soundMargin: 0,
    isFirst: true,
    start: 0,
    end: 5,
    startByte: 0,
    endByte: size,
    backByte: 0,
  } as const
  return { tag: 'film', size, order }
}

async function withThread(
  options: Omit<SegmentThreadOptions, 'clock'>,
  work: (thread: SegmentThread) => Promise<void>,
): Promise<void> {
  const thread = new SegmentThread({ clock: new SystemClock(), ...options })
  try {
    await work(thread)
  } finally {
    await thread.stop()
  }
}

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
    const whyOf = async (thread: SegmentThread, size: number): Promise<unknown> => {
      const outcome: SegmentOutcome = await thread.make(jobOf(size), filmOf(size), never)
      return 'why' in outcome ? outcome.why : outcome
    }
    await withThread({ worker: strange, limitMs: 100 }, async thread => {
      assert.equal(await whyOf(thread, STRANGE.loops), 'it takes too long')
    })
    await withThread({ worker: strange, limitMs: 60_000, memoryMib: 24 }, async thread => {
      const whys: unknown[] = []
      for (const size of [STRANGE.takesMemory, STRANGE.throws, STRANGE.ends, 99]) whys.push(await whyOf(thread, size))
      assert.deepEqual(whys, ['it takes too much memory', 'its reader failed', 'its reader ended', 'it is strange'])
    })
  })

  test('a job ends with its client, whatever it does: within 100 ms', async () => {
    for (const size of [STRANGE.loops, STRANGE.reads])
      await withThread({ worker: strange }, async thread => {
        const client = new AbortController()
        // The first one starts the thread.
        assert.equal((await thread.make(jobOf(99), filmOf(99), never)).kind, 'unreadable')
        const film = filmOf(size, () => new Promise(() => undefined))
        const made = thread.make(jobOf(size), film, client.signal)
        const ended = assert.rejects(made, { code: 'Aborted' })
        const since = performance.now()
        client.abort()
        await ended
        const tookMs = performance.now() - since
        assert.ok(tookMs < LET_GO_MS, `${tookMs} ms`)
        assert.equal((await thread.make(jobOf(99), filmOf(99), never)).kind, 'unreadable', 'the next one is made')
      })
  })

  test('who has left before begins nothing; one segment at a time; without work the thread ends', async () => {
    await withThread({ worker: strange, idleMs: 1 }, async thread => {
      const gone = new AbortController()
      gone.abort()
      await assert.rejects(thread.make(jobOf(99), filmOf(99), gone.signal), { code: 'Aborted' })
      assert.equal(thread.running, false)
      const first = thread.make(jobOf(99), filmOf(99), never)
      await assert.rejects(thread.make(jobOf(99), filmOf(99), never), /being made already/)
      await first
      await waitFor('the thread ends', () => !thread.running)
      assert.equal((await thread.make(jobOf(99), filmOf(99), never)).kind, 'unreadable')
    })
  })

  test('a stop ends a segment that waits for its bytes, and nothing starts after it', async () => {
    const thread = new SegmentThread({ clock: new SystemClock(), worker: strange })
    let asked = false
    const film = filmOf(STRANGE.reads, () => {
      asked = true
      return new Promise(() => undefined)
    })
    const made = assert.rejects(thread.make(jobOf(STRANGE.reads), film, never), { code: 'Aborted' })
    await waitFor('bytes are asked for', () => asked)
    await thread.stop()
    await made
    await assert.rejects(thread.make(jobOf(1), filmOf(1), never), { code: 'Aborted' })
    assert.equal(thread.running, false)
  })

  describe('with real films', { skip: needs('ffmpeg') }, () => {
    let films: SegmentFilms
    before(async () => {
      films = await SegmentFilms.open()
    })
    after(() => films?.close())

    test('sound is converted, one segment after the other, and a conversion ends with its client', async () => {
      const path = await films.make('ac3.mkv', 48_000, ['-c:a', 'ac3'])
      const cut = await CutFilm.open(path)
      const bytes = await readFile(path)
      await withThread({}, async thread => {
        for (const number of [2, 0, 1]) {
          const outcome = await thread.make(cut.job(number), filmIn(bytes), never)
          assert.ok(madeBytes(outcome).length > 0)
        }
        for (const waitMs of [0, 20, 60]) {
          const client = new AbortController()
          const made = thread.make(cut.job(1), filmIn(bytes), client.signal)
          const ended = made.then(
            () => 'made',
            (error: unknown) => (error instanceof AppError ? error.code : String(error)),
          )
          await new Promise(resolve => setTimeout(resolve, waitMs))
          const since = performance.now()
          client.abort()
          const how = await ended
          const tookMs = performance.now() - since
          assert.ok(how === 'Aborted' || how === 'made', how)
          assert.ok(tookMs < LET_GO_MS, `${tookMs} ms`)
        }
        assert.equal((await thread.make(cut.job(1), filmIn(bytes), never)).kind, 'made', 'the next one is made')
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
          const leaving = filmOf(bytes.length, (...asked) => {
            client.abort()
            return filmIn(bytes).read(...asked)
          })
          await assert.rejects(thread.make(cut.job(2), leaving, client.signal), { code: 'Aborted' })
          assert.equal(thread.running, true, 'it heard it by itself')
          assert.equal((await thread.make(cut.job(2), filmIn(bytes), never)).kind, 'made')
        })
        cut.source.close()
      }
    })
  })
})
