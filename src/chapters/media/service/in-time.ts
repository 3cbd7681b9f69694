// One wait for a disk or the swarm, with an end.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'

/**
 * Settles as `work` does; with `late`, AppError VolumeStalled, when that takes longer than `limitMs`. The work itself
 * goes on.
 */
export function inTime<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  late = (): AppError => new AppError('VolumeStalled'),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => reject(late()))
    work.finally(() => timer.cancel()).then(resolve, reject)
  })
}
