// Jobs of the piece store that the worker pool could not take for the moment: full, or a worker died. Says nothing of
// other failures: they belong to the caller.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** Wait before a job is posted again, ms. */
const RETRY_MS = 50

/** When to give up; without both a job is tried for ever. */
export interface RetryLimits {
  /** Attempts in all. */
  readonly maxAttempts?: number
  readonly signal?: AbortSignal
}

/**
 * Runs a job of the store again while it ends with PoolBusy or WorkerLost. Rejects with any other failure, with the
 * last one after `maxAttempts`, and with AppError Aborted when `signal` fired during the wait.
 */
export async function retryWhileBusy<T>(clock: Clock, run: () => Promise<T>, limits: RetryLimits): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const busy = error instanceof AppError && (error.code === 'PoolBusy' || error.code === 'WorkerLost')
      if (!busy || attempt === limits.maxAttempts) throw error
      await new Promise<void>(resolve => clock.after(RETRY_MS, resolve))
      if (limits.signal?.aborted === true) throw new AppError('Aborted')
    }
  }
}
