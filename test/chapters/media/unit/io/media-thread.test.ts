// The thread that reads films: bytes come by shared memory, time and memory are bounded, its waits for bytes do not
// count, and it is gone when there is nothing to do.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { MediaThread, type MediaThreadOptions } from '../../../../../src/chapters/media/io/media-thread.ts'
import { ownTask } from '../../../../../src/chapters/media/io/task-time.ts'
import type { ReadableFilm, ReadOutcome } from '../../../../../src/chapters/media/ports/film-reader.ts'
import { SystemClock } from '../../../../../src/io/clock.ts'
import type { Log } from '../../../../../src/ports/log.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../../../kit/wait-for.ts'
import { makeTexts, TEXTS } from '../../kit/made-texts.ts'
import { STRANGE } from '../../kit/strange-reader.ts'

const strange = new URL('../../kit/strange-reader.js', import.meta.url)

function filmOf(size: number, read: ReadableFilm['read'] = () => Promise.resolve(0)): ReadableFilm {
  return { size, read }
}

/** A film in memory. */
function filmIn(bytes: Uint8Array, seen: [start: number, length: number][] = []): ReadableFilm {
  return filmOf(bytes.length, async (start, length, into) => {
    seen.push([start, length])
    assert.ok(into.buffer instanceof SharedArrayBuffer)
    const part = bytes.subarray(start, start + length)
    into.set(part)
    return part.length
  })
}

async function withThread(
  options: Omit<MediaThreadOptions, 'clock' | 'log'> & { readonly log?: Log },
  work: (thread: MediaThread) => Promise<void>,
): Promise<void> {
  const thread = new MediaThread({ clock: new SystemClock(), log: silentLog, ...options })
  try {
    await work(thread)
  } finally {
    await thread.stop()
  }
}

/** A movie box of 700,000 bytes without a head: all of it is read before that is seen. */
function headless(): Buffer {
  const bytes = Buffer.alloc(700_016)
  bytes.writeUInt32BE(700_016, 0)
  bytes.write('moov', 4, 'latin1')
  bytes.writeUInt32BE(700_008, 8)
  bytes.write('free', 12, 'latin1')
  return bytes
}

describe('the thread that reads films', () => {
  test('an index longer than a part of the shared memory comes in parts, whole', async () => {
    const bytes = headless()
    const seen: [number, number][] = []
    await withThread({}, async thread => {
      const { outcome } = await thread.read(filmIn(bytes, seen))
      assert.deepEqual(outcome, { kind: 'unreadable', why: 'its movie has no head' })
    })
    assert.ok(
      seen.every(([, length]) => length <= 256 * 1024),
      JSON.stringify(seen),
    )
    assert.ok(seen.length >= 4 && Math.max(...seen.map(([start, length]) => start + length)) === bytes.length)
  })

  test('texts of a part, and facts after that', async () => {
    const { bytes } = makeTexts({ texts: [{ ms: 1500, lengthMs: 500, bytes: Buffer.from('Hello') }] })
    await withThread({}, async thread => {
      const order = { track: TEXTS, fromSec: 0, toSec: 60 }
      const outcome = await thread.texts(filmIn(bytes), order)
      assert.deepEqual(outcome.kind === 'texts' && [outcome.part.cues, outcome.part.covered], [
        [{ startMs: 1500, endMs: 2000, text: 'Hello' }],
        [{ fromSec: 0, toSec: 60 }],
      ])
      assert.equal((await thread.read(filmIn(bytes))).outcome.kind, 'read')
      assert.deepEqual(await thread.texts(filmIn(bytes), { ...order, track: 7 }), {
        kind: 'none',
        why: 'it has no track 7',
      })
    })
  })

  test('on a disk that is slow texts are told as far as they were read', async () => {
    const texts = Array.from({ length: 60 }, (_, at) => ({ ms: at * 1000, lengthMs: 500, bytes: Buffer.from(`${at}`) }))
    const { bytes } = makeTexts({ texts, index: 'keys' })
    const fast = filmIn(bytes)
    const slow = filmOf(bytes.length, async (start, length, into) => {
      await new Promise(resolve => setTimeout(resolve, 40))
      return fast.read(start, length, into)
    })
    await withThread({}, async thread => {
      const outcome = await thread.texts(slow, { track: TEXTS, fromSec: 0, toSec: 60 })
      assert.ok(outcome.kind === 'texts' && outcome.part.covered.length === 1, outcome.kind)
      assert.ok((outcome.part.covered[0]?.toSec ?? 60) < 60 && outcome.part.cues.length > 0)
    })
  })

  test('what is not there is missing, and what fails is the disk’s fault', async () => {
    await withThread({}, async thread => {
      const missing = await thread.read(filmOf(5000))
      assert.deepEqual(missing.outcome, { kind: 'missing', range: { start: 0, end: 5000 } })
      const failing = filmOf(5000, () => Promise.reject(new AppError('DiskError')))
      await assert.rejects(thread.read(failing), { code: 'DiskError' })
    })
  })

  test('a film that never ends or takes all memory is unreadable; the next one is read', async () => {
    const whyOf = async (thread: MediaThread, size: number): Promise<unknown> => {
      const { outcome } = await thread.read(filmOf(size))
      return 'why' in outcome ? outcome.why : outcome
    }
    await withThread({ worker: strange, limitMs: 100 }, async thread => {
      assert.equal(await whyOf(thread, STRANGE.loops), 'it takes too long')
    })
    await withThread({ worker: strange, limitMs: 60_000, memoryMib: 24 }, async thread => {
      const whys: unknown[] = []
      for (const size of [STRANGE.takesMemory, STRANGE.writes]) whys.push(await whyOf(thread, size))
      assert.deepEqual(whys, ['it takes too much memory', 'it is strange'])
    })
  })

  test('a reader that throws or ends is no property of the film: it is logged, and the next one is read', async () => {
    const lines: string[] = []
    const log: Log = { ...silentLog, warn: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`) }
    await withThread({ worker: strange, limitMs: 60_000, log }, async thread => {
      for (const size of [STRANGE.throws, STRANGE.ends])
        await assert.rejects(thread.read(filmOf(size)), { code: 'WorkerLost' })
      assert.equal((await thread.read(filmOf(STRANGE.writes))).outcome.kind, 'unreadable')
    })
    const nowhere = new URL('nowhere.js', strange)
    await withThread({ worker: nowhere, log }, async thread => {
      await assert.rejects(thread.read(filmOf(1)), { code: 'WorkerLost' })
    })
    for (const [at, why] of [/a film did this/, /code 3/, /nowhere\.js/].entries()) assert.match(lines[at] ?? '', why)
    assert.equal(lines.length, 3)
  })

  test('a disk that takes too long in all is given up, and holds up no other film', async context => {
    const clock = new VirtualClock()
    const thread = new MediaThread({ clock, log: silentLog })
    context.after(() => thread.stop())
    const bytes = headless()
    let reads = 0
    const slow = filmOf(bytes.length, async (start, length, into) => {
      reads += 1
      await clock.advance(8000)
      into.set(bytes.subarray(start, start + length))
      return length
    })
    await assert.rejects(thread.read(slow), { code: 'VolumeStalled' })
    assert.equal(reads, 3)
    assert.equal((await thread.read(filmOf(5000))).outcome.kind, 'missing')
    await thread.stop()
    assert.equal(clock.pending, 0)
  })

  test('the wait for bytes does not count: the disk may be slow', async () => {
    const clock = new VirtualClock()
    const thread = new MediaThread({ clock, log: silentLog })
    const slow = filmOf(5000, async () => {
      await clock.advance(60_000)
      return 0
    })
    assert.equal((await thread.read(slow)).outcome.kind, 'missing')
    const looping = new MediaThread({ clock, log: silentLog, worker: strange })
    let late: ReadOutcome | null = null
    const settled = looping.read(filmOf(STRANGE.reads, () => Promise.resolve(4))).then(found => (late = found))
    // Nothing more comes from there: its time runs, and is over.
    await waitFor('it is given up', async () => {
      await clock.advance(3001)
      return late !== null
    })
    assert.deepEqual((await settled).outcome, { kind: 'unreadable', why: 'it takes too long', isCostly: true })
    await Promise.all([thread.stop(), looping.stop()])
    assert.equal(clock.pending, 0)
  })

  test('a thread that gets no processor has twenty seconds more, and no longer', {
    skip: ownTask() === null,
  }, async () => {
    const clock = new VirtualClock()
    const thread = new MediaThread({ clock, log: silentLog, worker: strange })
    let begun = false
    const asked = (): Promise<number> => {
      begun = true
      return Promise.resolve(4)
    }
    let late: ReadOutcome | null = null
    const settled = thread.read(filmOf(STRANGE.starves, asked)).then(found => (late = found))
    await waitFor('it has begun', () => begun)
    await clock.advance(12_000)
    assert.equal(late, null, 'three seconds of waiting for a processor are over')
    await clock.advance(12_000)
    assert.deepEqual((await settled).outcome, { kind: 'unreadable', why: 'it takes too long', isCostly: true })
    await thread.stop()
    assert.equal(clock.pending, 0)
  })

  test('one film at a time; without work the thread ends, and starts again', async () => {
    await withThread({ idleMs: 1 }, async thread => {
      const first = thread.read(filmOf(5000))
      await assert.rejects(thread.read(filmOf(5000)), /being read already/)
      await first
      await waitFor('the thread ends', () => !thread.running)
      assert.equal((await thread.read(filmOf(5000))).outcome.kind, 'missing')
    })
  })

  test('a stop ends a film that waits for its bytes, and nothing starts after it', async () => {
    const thread = new MediaThread({ clock: new SystemClock(), log: silentLog, worker: strange })
    let asked = false
    const waiting = thread.read(
      filmOf(STRANGE.reads, () => {
        asked = true
        return new Promise(() => undefined)
      }),
    )
    waiting.catch(() => undefined)
    await waitFor('bytes are asked for', () => asked)
    await thread.stop()
    await assert.rejects(waiting, { code: 'Aborted' })
    await assert.rejects(thread.read(filmOf(1)), { code: 'Aborted' })
    assert.equal(thread.running, false)
  })
})
