// The answer to a request for a range, before its body is read, whether by node:http or by plain-http.ts.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '../../base/errors.ts'
import { drop } from './judged-requests.ts'

/** Takes a body. After `end` or `error` nothing comes that counts. */
export interface BodyTaker {
  /** `chunk` is valid only during the call. */
  data(chunk: Uint8Array): void
  end(): void
  error(error: Error): void
}

/** An answer. Its owner reads it to the end or drops it. */
export interface BodySource {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Begins to read the body; once. */
  read(taker: BodyTaker): void
  /** No data and no end come between these. */
  pause(): void
  resume(): void
  /** Ends what was not read to its end, and its connection. Idempotent. */
  drop(): void
}

/** An answer of node:http. */
export class MessageSource implements BodySource {
  readonly #message: IncomingMessage

  constructor(message: IncomingMessage) {
    this.#message = message
  }

  get status(): number {
    return this.#message.statusCode ?? 0
  }

  get headers(): IncomingHttpHeaders {
    return this.#message.headers
  }

  read(taker: BodyTaker): void {
    const message = this.#message
    message.on('data', (chunk: Buffer) => taker.data(chunk))
    message.on('end', () => taker.end())
    message.on('error', error => taker.error(error))
    message.on('close', () => taker.error(new AppError('SourceFailed', 'the connection was cut')))
  }

  pause(): void {
    this.#message.pause()
  }

  resume(): void {
    this.#message.resume()
  }

  drop(): void {
    if (!this.#message.readableEnded) drop(this.#message)
  }
}
