// HttpRanges for addresses that torrents name (web seeds). Every hop is judged (judged-requests.ts): private addresses
// are asked without a query only, and never after a public one. Connections are kept alive. Without TLS and proxy the
// sockets of the engine are asked (plain-http.ts), else node:http(s). Invariant: the sink never gets more than the
// range, and nothing after the request has ended.

import { AppError, errorText } from '../../base/errors.ts'
import type { HttpRanges, RangeOutcome, RangeSink } from '../../ports/http-ranges.ts'
import type { TcpNetwork } from '../../ports/tcp.ts'
import { type FileRange, rangeField } from '../../wire/net/http-range.ts'
import { type BodySource, MessageSource } from './body-source.ts'
import type { GuardedAgentDeps } from './guarded-agent.ts'
import { untilAbort } from './guarded-http.ts'
import { type Hop, JudgedRequests, type JudgedRequestsOptions, REDIRECTS } from './judged-requests.ts'
import { PlainHttp } from './plain-http.ts'
import { judgeRangeHead, rangeFailure } from './range-answer.ts'

/** Redirects followed; the sixth ends it. */
const MAX_REDIRECTS = 5

/** Bounds and identity of all requests. */
export interface GuardedRangesOptions extends JudgedRequestsOptions {
  /** Until the head of the answer, names and redirects included; default 30 s. */
  readonly headTimeoutMs?: number
  /** Without a byte while it is being read; default 30 s. */
  readonly idleTimeoutMs?: number
}

/** What judges addresses and reaches them. */
export interface GuardedRangesDeps extends GuardedAgentDeps {
  /** Connects as `route` does, when it names no proxy; null or absent: node:http alone asks. */
  readonly tcp?: TcpNetwork | null
}

function failureOf(error: unknown): RangeOutcome {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error
  const refused = inner instanceof AppError && (inner.code === 'AddressRefused' || inner.code === 'BadScheme')
  return rangeFailure(refused ? 'refused' : 'failed', errorText(inner))
}

/** HttpRanges with judged addresses. */
export class GuardedRanges implements HttpRanges {
  readonly #options: GuardedRangesOptions
  readonly #deps: GuardedRangesDeps
  readonly #requests: JudgedRequests
  readonly #plain: PlainHttp | null
  #closed = false

  constructor(options: GuardedRangesOptions, deps: GuardedRangesDeps) {
    const { tcp = null, route = null } = deps
    const { localIp, connectTimeoutMs = 10_000, connectionsPerOrigin: kept = 8, keepAliveMs = 10_000 } = options
    this.#options = options
    this.#deps = deps
    this.#requests = new JudgedRequests(options, deps)
    const direct = route === null || route.proxy === null ? tcp : null
    this.#plain = direct === null ? null : new PlainHttp(direct, { localIp, connectTimeoutMs, keepAliveMs, kept })
  }

  async get(url: string, range: FileRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome> {
    if (signal.aborted) return rangeFailure('aborted', 'given up')
    if (this.#closed) return rangeFailure('failed', 'the node is stopping')
    const abort = new AbortController()
    const giveUp = (): void => abort.abort(new AppError('Aborted'))
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const answer = await this.#head(url, range, abort)
      const judged = judgeRangeHead(answer.status, answer.headers, range, Date.now())
      if (judged === null) return await this.#body(answer, range, sink, abort.signal)
      answer.drop()
      return judged
    } catch (error) {
      return signal.aborted ? rangeFailure('aborted', 'given up') : failureOf(error)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  close(): Promise<void> {
    this.#closed = true
    this.#requests.close()
    this.#plain?.close()
    return Promise.resolve()
  }

  /** The head of the answer, behind all redirects, in time. */
  async #head(url: string, range: FileRange, abort: AbortController): Promise<BodySource> {
    const late = (): void => abort.abort(new AppError('SourceFailed', 'the server does not answer'))
    const timer = setTimeout(late, this.#options.headTimeoutMs ?? 30_000)
    try {
      return await untilAbort(this.#hops(url, range, abort.signal), abort.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  async #hops(href: string, range: FileRange, signal: AbortSignal): Promise<BodySource> {
    const fields = { range: rangeField(range.offset, range.length), 'accept-encoding': 'identity' }
    let hop = await this.#requests.judge(href, { privateRule: 'no-query', fromPublic: false })
    let fromPublic = false
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      signal.throwIfAborted()
      const answer = await this.#ask(hop, fields, redirects === 0, signal)
      const { location = '' } = answer.headers
      if (!REDIRECTS.has(answer.status) || location === '') return answer
      answer.drop()
      fromPublic ||= hop.class === 'public'
      hop = await this.#requests.judge(location, { privateRule: 'no-query', fromPublic }, hop.url)
    }
    throw new AppError('SourceFailed', `more than ${MAX_REDIRECTS} redirects`)
  }

  async #ask(
    hop: Hop,
    fields: Readonly<Record<string, string>>,
    withCredentials: boolean,
    signal: AbortSignal,
  ): Promise<BodySource> {
    const { url, ip } = hop
    if (this.#plain !== null && url.protocol === 'http:' && ip !== null) {
      // As judged-requests.ts does: what is kept from an address that has gone is closed here.
      this.#deps.route?.place?.endpoints()
      const headers = this.#requests.headers(hop, fields, withCredentials)
      const answer = await this.#plain.get({ ip, url, headers }, signal)
      if (answer !== null) return answer
      signal.throwIfAborted()
    }
    return new MessageSource(await this.#requests.get(hop, fields, withCredentials, signal))
  }

  #body(answer: BodySource, range: FileRange, sink: RangeSink, signal: AbortSignal): Promise<RangeOutcome> {
    return new Promise(resolve => {
      const reading = new BodyReading(answer, range, sink, this.#options.idleTimeoutMs ?? 30_000, outcome => {
        signal.removeEventListener('abort', stop)
        resolve(outcome)
      })
      const stop = (): void => reading.end(rangeFailure('aborted', 'given up'))
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      else reading.begin()
    })
  }
}

/** The body of one answer on its way to a sink. */
class BodyReading {
  readonly #answer: BodySource
  readonly #range: FileRange
  readonly #sink: RangeSink
  readonly #idleMs: number
  readonly #settle: (outcome: RangeOutcome) => void
  #got = 0
  #ended = false
  #idle: NodeJS.Timeout | undefined

  constructor(
    answer: BodySource,
    range: FileRange,
    sink: RangeSink,
    idleMs: number,
    settle: (outcome: RangeOutcome) => void,
  ) {
    this.#answer = answer
    this.#range = range
    this.#sink = sink
    this.#idleMs = idleMs
    this.#settle = settle
  }

  begin(): void {
    this.#wait()
    this.#answer.read({
      data: chunk => this.#data(chunk),
      end: () => this.#over(),
      error: error => this.end(failureOf(error)),
    })
  }

  /** Ends it once; a body that was not read to its end takes its connection with it. */
  end(outcome: RangeOutcome): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#idle)
    this.#answer.drop()
    this.#settle(outcome)
  }

  #over(): void {
    const whole = this.#got === this.#range.length
    this.end(whole ? { kind: 'done' } : rangeFailure('wrong', 'the body is shorter than the range'))
  }

  #data(chunk: Uint8Array): void {
    if (this.#ended) return
    const room = this.#range.length - this.#got
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.#got += part.length
    let wait: Promise<void> | undefined
    try {
      if (part.length > 0) wait = this.#sink(part)
    } catch (error) {
      return this.end(failureOf(error))
    }
    // The sink may have given up.
    if (this.#ended) return
    // A whole file where only the beginning was wanted, or a server that does not stop: what was wanted is here.
    if (chunk.length > room) return this.end({ kind: 'done' })
    if (wait === undefined) return this.#wait()
    clearTimeout(this.#idle)
    this.#idle = undefined
    this.#answer.pause()
    wait.then(
      () => this.#goOn(),
      (error: unknown) => this.end(failureOf(error)),
    )
  }

  #goOn(): void {
    if (this.#ended) return
    this.#wait()
    this.#answer.resume()
  }

  #wait(): void {
    if (this.#idle !== undefined) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.end(rangeFailure('failed', 'the server stopped sending')), this.#idleMs)
  }
}
