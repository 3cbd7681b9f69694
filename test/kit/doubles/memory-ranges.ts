// Web servers without a network, on the virtual clock: files by url, a pace, and failures that a test writes.

import type { HttpRanges, RangeOutcome, RangeSink } from '../../../src/ports/http-ranges.ts'
import type { FileRange } from '../../../src/wire/net/http-range.ts'
import type { VirtualClock } from '../sim/virtual-clock.ts'

/** One request as it came in. */
export interface SeenRange extends FileRange {
  readonly url: string
  readonly atMs: number
  /** Bytes that were given to the sink. */
  sent: number
}

const ABORTED = failure('aborted')
/** No divisor of a block: chunks end anywhere in one. */
const CHUNK_BYTES = 10_007

/** HttpRanges over files in memory. */
export class MemoryRanges implements HttpRanges {
  readonly files = new Map<string, Uint8Array>()
  readonly seen: SeenRange[] = []
  /** Bytes/s of each request, and the time until its first byte. */
  bytesPerSec = 10_000_000
  latencyMs = 20
  /** Requests under way, and the most there were. */
  active = 0
  peak = 0
  /** Bytes of a request after which the connection is cut. */
  cutAfter = Number.POSITIVE_INFINITY
  /** What a request is answered with instead of the file; null = the file. */
  answer: (url: string) => RangeOutcome | null = () => null
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  async get(url: string, range: FileRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome> {
    const seen: SeenRange = { ...range, url, atMs: this.#clock.now(), sent: 0 }
    this.seen.push(seen)
    this.active += 1
    this.peak = Math.max(this.peak, this.active)
    try {
      return await this.#serve(seen, sink, signal)
    } finally {
      this.active -= 1
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #serve(seen: SeenRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome> {
    await this.#pause(this.latencyMs, signal)
    if (signal.aborted) return ABORTED
    const answer = this.answer(seen.url)
    if (answer !== null) return answer
    const file = this.files.get(seen.url)
    if (file === undefined) return failure('missing')
    if (file.length !== seen.total) return failure('wrong')
    const end = seen.offset + seen.length
    for (let at = seen.offset; at < end; at += CHUNK_BYTES) {
      const chunk = Uint8Array.from(file.subarray(at, Math.min(end, at + CHUNK_BYTES)))
      const wait = sink(chunk)
      seen.sent += chunk.length
      // Valid only during the call.
      const length = chunk.length
      chunk.fill(0xee)
      if (seen.sent >= this.cutAfter) return failure('failed')
      if (wait !== undefined) await Promise.race([wait, aborted(signal)])
      await this.#pause((length * 1000) / this.bytesPerSec, signal)
      if (signal.aborted) return ABORTED
    }
    return { kind: 'done' }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        timer.cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = this.#clock.after(ms, done)
      signal.addEventListener('abort', done, { once: true })
    })
  }
}

/** A failure of a kind. */
export function failure(kind: Exclude<RangeOutcome['kind'], 'done'>, retryAfterMs: number | null = null): RangeOutcome {
  return { kind, text: `${kind} by the test`, retryAfterMs }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
