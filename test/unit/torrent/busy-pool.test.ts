// Jobs that a busy pool refuses: tried again after a pause, up to a bound, and only for the failures that pass.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { retryWhileBusy } from '../../../src/torrent/pieces/busy-pool.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

/** A job that fails with `codes` one after the other, then answers. */
function jobFailing(codes: readonly ErrorCode[]) {
  let attempts = 0
  return {
    run: () => {
      const code = codes[attempts]
      attempts += 1
      return code === undefined ? Promise.resolve('done') : Promise.reject(new AppError(code))
    },
    attempts: () => attempts,
  }
}

const ended = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

test('a full pool and a lost worker are tried again, with a pause', async () => {
  const clock = new VirtualClock()
  const job = jobFailing(['PoolBusy', 'WorkerLost'])
  const startMs = clock.now()
  const result = retryWhileBusy(clock, job.run, {})
  await clock.advance(1000)
  assert.equal(await result, 'done')
  assert.equal(job.attempts(), 3)
  assert.ok(clock.now() - startMs >= 100)
})

test('any other failure ends it at once', async () => {
  const clock = new VirtualClock()
  const job = jobFailing(['DiskFull'])
  await assert.rejects(retryWhileBusy(clock, job.run, {}), ended('DiskFull'))
  assert.equal(job.attempts(), 1)
  assert.equal(clock.pending, 0)
})

test('it gives up after the last attempt, and when its signal fires', async () => {
  const clock = new VirtualClock()
  const job = jobFailing(['PoolBusy', 'PoolBusy', 'PoolBusy'])
  const bounded = assert.rejects(retryWhileBusy(clock, job.run, { maxAttempts: 2 }), ended('PoolBusy'))
  await clock.advance(1000)
  await bounded
  assert.equal(job.attempts(), 2)

  const abort = new AbortController()
  const again = jobFailing(['PoolBusy', 'PoolBusy'])
  const stopped = assert.rejects(retryWhileBusy(clock, again.run, { signal: abort.signal }), ended('Aborted'))
  abort.abort()
  await clock.advance(1000)
  await stopped
  assert.equal(again.attempts(), 1)
})
