// HttpRanges whose code is loaded with the first request: a node without web seeds never needs it.

import { errorText } from '../../base/errors.ts'
import type { HttpRanges, RangeOutcome, RangeSink } from '../../ports/http-ranges.ts'
import type { FileRange } from '../../wire/net/http-range.ts'
import type { GuardedRangesDeps, GuardedRangesOptions } from './guarded-ranges.ts'

/** GuardedRanges, later. */
export class LateRanges implements HttpRanges {
  readonly #options: GuardedRangesOptions
  readonly #deps: GuardedRangesDeps
  #loaded: Promise<HttpRanges> | null = null

  constructor(options: GuardedRangesOptions, deps: GuardedRangesDeps) {
    this.#options = options
    this.#deps = deps
  }

  async get(url: string, range: FileRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome> {
    this.#loaded ??= this.#load()
    try {
      return await (await this.#loaded).get(url, range, sink, signal)
    } catch (error) {
      return { kind: 'failed', text: errorText(error), retryAfterMs: null }
    }
  }

  async close(): Promise<void> {
    this.#loaded ??= Promise.reject(new Error('the node is stopping'))
    await this.#loaded.then(
      ranges => ranges.close(),
      () => undefined,
    )
  }

  async #load(): Promise<HttpRanges> {
    const { GuardedRanges } = await import('./guarded-ranges.ts')
    return new GuardedRanges(this.#options, this.#deps)
  }
}
