// Work that is done once at the end of the present loop turn however often it was asked for: flushing a connection's
// small messages, refilling requests, moving windows. Jobs run as a microtask, so before the next I/O callback.

/** A job that can be put off to the end of the turn. The flag belongs to TurnEnd. */
export interface TurnJob {
  queued: boolean
  run(): void
}

/** The queue of one session. A job asked for while it is queued runs once. */
export class TurnEnd {
  #jobs: TurnJob[] = []
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Runs `job` at the end of this turn; jobs asked for meanwhile run in the same turn, after it. */
  later(job: TurnJob): void {
    if (job.queued) return
    job.queued = true
    this.#jobs.push(job)
    if (this.#jobs.length === 1) queueMicrotask(() => this.#run())
  }

  #run(): void {
    // Jobs may ask for other jobs (a refill writes, so a flush follows): the list grows while it is walked.
    for (let at = 0; at < this.#jobs.length; at += 1) {
      const job = this.#jobs[at] as TurnJob
      job.queued = false
      try {
        job.run()
      } catch (error) {
        this.#onError(error)
      }
    }
    this.#jobs = []
  }
}
