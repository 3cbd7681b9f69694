// Fetches a torrent from an http address that a client named for an anonymous download: through circuits alone. An exit
// that fails is not the source's fault, so it is tried again while there is time.

import { AppError } from '../../../base/errors.ts'
import { NO_ANSWER_OF_EXIT } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { FetchedSource, SourceFetch } from '../../../ports/source-fetch.ts'
import { MAX_MAGNET_CHARS } from '../../../wire/metainfo/magnet.ts'
import { MAX_METAINFO_BYTES } from '../../../wire/metainfo/metainfo-length.ts'
import type { CircuitHttp, CircuitResult } from './circuit-http.ts'

/** For everything: circuits may have to be built first. */
const TIMEOUT_MS = 60_000
/** What fails at once is not asked for again without end. */
const TRIES = 4

/** SourceFetch over a lane. */
export class CircuitFetch implements SourceFetch {
  readonly #http: CircuitHttp
  readonly #clock: Pick<Clock, 'now'>

  constructor(http: CircuitHttp, clock: Pick<Clock, 'now'>) {
    this.#http = http
    this.#clock = clock
  }

  async fetch(uri: string, signal?: AbortSignal): Promise<FetchedSource> {
    if (!/^https?:/i.test(uri)) throw new AppError('BadScheme')
    const result = await this.#tryFetch(uri, signal)
    if (result.movedTo !== null) return { kind: 'magnet', uri: result.movedTo }
    if (result.status !== 200)
      throw new AppError('SourceFailed', `The source answered with HTTP status ${result.status}.`)
    return { kind: 'bytes', bytes: result.body }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #tryFetch(url: string, signal: AbortSignal | undefined): Promise<CircuitResult> {
    const order = { url, maxBytes: MAX_METAINFO_BYTES, privateRule: 'refuse' } as const
    const untilMs = this.#clock.now() + TIMEOUT_MS
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = untilMs - this.#clock.now()
      try {
        return await this.#http.follow({ ...order, timeoutMs, ...(signal === undefined ? {} : { signal }) }, isMagnet)
      } catch (error) {
        const mayHelp = error instanceof AppError && error.code === 'SourceFailed' && attempt < TRIES && timeoutMs > 0
        if (mayHelp && signal?.aborted !== true) continue
        throw error instanceof AppError && error.message === NO_ANSWER_OF_EXIT ? unanswered(attempt, error) : error
      }
    }
  }
}

/** Exits that refuse an answer because of its size say nothing. */
function unanswered(attempts: number, cause: AppError): AppError {
  const text =
    `No exit brought an answer (asked ${attempts} times). Either the server does not answer, or the torrent file is larger ` +
    'than the 1 MiB that exits carry: such a file has to be fetched by other means, or added by its magnet link.'
  return new AppError('SourceFailed', text, { cause })
}

function isMagnet(location: string): boolean {
  return /^magnet:/i.test(location) && location.length <= MAX_MAGNET_CHARS
}
