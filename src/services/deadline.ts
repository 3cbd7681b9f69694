// One wait with an end: by the caller's signal or by time, with an error that says which.

import { AppError, type ErrorCode } from '../base/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** When a wait ends, and as what. */
export interface Deadline {
  readonly clock: Clock
  readonly limitMs: number
  /** The caller's own end. */
  readonly signal: AbortSignal
  /** Thrown when time runs out. */
  readonly lateCode: ErrorCode
}

/**
 * Runs `wait` with a signal that fires at the deadline or with the caller's. Rejects with `lateCode` or Aborted then.
 */
export async function withDeadline<T>(deadline: Deadline, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, limitMs, signal, lateCode } = deadline
  const controller = new AbortController()
  let late = false
  const timer = clock.after(limitMs, () => {
    late = true
    controller.abort()
  })
  const abort = () => controller.abort()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await wait(controller.signal)
  } catch (error) {
    if (late) throw new AppError(lateCode)
    throw error
  } finally {
    timer.cancel()
    signal.removeEventListener('abort', abort)
  }
}
