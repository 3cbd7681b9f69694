// HttpRanges through circuits: what a web seed is asked for comes in slices, each an exchange of its own, for exits
// carry whole answers of bounded length. Exits of other programs carry answers of trackers only: the web seed then
// fails, and is let be. Invariant: the sink never gets more than the range.

import { AppError, errorText } from '../../../base/errors.ts'
import type { HttpRanges, RangeOutcome, RangeSink } from '../../../ports/http-ranges.ts'
import { type FileRange, rangeField } from '../../../wire/net/http-range.ts'
import { CircuitHttp, type CircuitHttpDeps, urlForExit } from './circuit-http.ts'
import { judgeRangeHead, rangeFailure } from '../../../io/net/range-answer.ts'
import type { WholeAnswer } from '../../../io/net/whole-answer.ts'

/** Of a slice. */
const SLICE_BYTES = 256 * 1024
const SLICE_TIMEOUT_MS = 30_000
const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * HttpRanges through circuits: what a web seed is asked for comes in slices, each an exchange of its own, for exits
 * carry whole answers of bounded length.
 */
export class CircuitRanges implements HttpRanges {
  readonly #deps: CircuitHttpDeps
  readonly #http: CircuitHttp

  constructor(deps: CircuitHttpDeps) {
    this.#deps = deps
    this.#http = new CircuitHttp(deps)
  }

  async get(href: string, range: FileRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome> {
    try {
      let url = urlForExit(href, this.#deps.policy)
      for (let from = 0; from < range.length; from += SLICE_BYTES) {
        const slice = { ...range, offset: range.offset + from, length: Math.min(SLICE_BYTES, range.length - from) }
        const got = await this.#slice(url, slice, signal)
        if ('kind' in got) return got
        url = got.url
        await sink(got.bytes)
        if (signal.aborted) return rangeFailure('aborted', 'given up')
      }
      return { kind: 'done' }
    } catch (error) {
      return signal.aborted ? rangeFailure('aborted', 'given up') : failureOf(error)
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  /** The bytes of one slice, and behind which redirects they were; or why not. */
  async #slice(
    first: URL,
    slice: FileRange,
    signal: AbortSignal,
  ): Promise<{ readonly url: URL; readonly bytes: Uint8Array } | RangeOutcome> {
    const { policy, clock } = this.#deps
    let url = first
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const { head, body } = await this.#ask(url, slice, redirects === 0, signal)
      const { location = '' } = head.fields
      if (REDIRECTS.has(head.status) && location !== '') {
        url = urlForExit(location, policy, url)
        continue
      }
      const judged = judgeRangeHead(head.status, head.fields, slice, clock.wallMs())
      if (judged !== null) return judged
      if (body.length < slice.length) return rangeFailure('wrong', 'the body is shorter than the range')
      return { url, bytes: body.subarray(0, slice.length) }
    }
    throw new AppError('SourceFailed', `more than ${MAX_REDIRECTS} redirects`)
  }

  #ask(url: URL, slice: FileRange, withCredentials: boolean, signal: AbortSignal): Promise<WholeAnswer> {
    const fields = { range: rangeField(slice.offset, slice.length), 'accept-encoding': 'identity' }
    return this.#http.ask({
      url,
      fields,
      withCredentials,
      signal,
      maxBytes: SLICE_BYTES,
      timeoutMs: SLICE_TIMEOUT_MS,
    })
  }
}

function failureOf(error: unknown): RangeOutcome {
  const refused = error instanceof AppError && (error.code === 'AddressRefused' || error.code === 'BadScheme')
  return rangeFailure(refused ? 'refused' : 'failed', errorText(error))
}
