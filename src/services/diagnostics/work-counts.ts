// Counts of work that is asked for and ends well or not: what GET /statistics/tribler shows of a queue.

import type { FetchedSource, SourceFetch } from '../../ports/source-fetch.ts'

/** Since the start; `pending` now. */
export interface WorkCounts {
  readonly pending: number
  readonly success: number
  readonly failed: number
}

/** Both together. */
export function sumOf(a: WorkCounts, b: WorkCounts): WorkCounts {
  return { pending: a.pending + b.pending, success: a.success + b.success, failed: a.failed + b.failed }
}

/** A SourceFetch whose fetches are counted. */
export class CountedFetch implements SourceFetch {
  readonly #source: SourceFetch
  #pending = 0
  #success = 0
  #failed = 0

  constructor(source: SourceFetch) {
    this.#source = source
  }

  /** Of all fetches so far. */
  get counts(): WorkCounts {
    return { pending: this.#pending, success: this.#success, failed: this.#failed }
  }

  /** As SourceFetch.fetch(). */
  async fetch(uri: string, signal?: AbortSignal): Promise<FetchedSource> {
    this.#pending++
    try {
      const fetched = await this.#source.fetch(uri, signal)
      this.#success++
      return fetched
    } catch (error) {
      this.#failed++
      throw error
    } finally {
      this.#pending--
    }
  }

  close(): Promise<void> {
    return this.#source.close()
  }
}
