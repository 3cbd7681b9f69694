// One wait for a disk, with an end.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'

/** Settles as `work` does; AppError VolumeStalled when that takes longer than `limitMs`. The work itself goes on. */
export function inTime<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => reject(new AppError('VolumeStalled')))
    work.finally(() => timer.cancel()).then(resolve, reject)
  })
}
