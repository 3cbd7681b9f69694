// HTTP CONNECT (RFC 9110, 9.3.6) as a client, with Basic authorization (RFC 7617). Pure.

import { AppError, DecodeError } from '../../base/errors.ts'
import {
  type HandshakeStep,
  Pending,
  type ProxyAuth,
  type ProxyHandshake,
  type ProxyTarget,
  TurnedAway,
} from './proxy-handshake.ts'

/** Longest head of an answer; a proxy has nothing to say that needs more. */
const MAX_HEAD_BYTES = 16 * 1024
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |$)/
const WANTS_PASSWORD = 407
const HEAD_END = Buffer.from('\r\n\r\n')
/** What a host may look like in a request line: nothing that ends it. */
const HOST = /^[\x21-\x7e]{1,255}$/

const refusals: Readonly<Record<number, string>> = {
  403: 'its rules do not allow this',
  405: 'it does not know CONNECT',
  407: 'user or password are missing or wrong',
  502: 'the host cannot be reached',
  503: 'the host cannot be reached',
  504: 'the connection took too long',
}

/** The conversation for one CONNECT. */
export class HttpConnectHandshake implements ProxyHandshake {
  readonly #target: ProxyTarget
  readonly #auth: ProxyAuth | null
  readonly #pending = new Pending()

  constructor(target: ProxyTarget, auth: ProxyAuth | null) {
    this.#target = target
    this.#auth = auth
  }

  /** Throws AppError SourceFailed for a host that does not fit into a request line. */
  begin(): Uint8Array {
    const { host, port } = this.#target
    if (!HOST.test(host)) throw new AppError('SourceFailed', 'the host name is not one for an HTTP proxy')
    const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
    if (this.#auth !== null) {
      const pair = Buffer.from(`${this.#auth.user}:${this.#auth.password}`, 'utf8').toString('base64')
      lines.push(`Proxy-Authorization: Basic ${pair}`)
    }
    return new Uint8Array(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
  }

  receive(bytes: Uint8Array): HandshakeStep {
    this.#pending.add(bytes)
    const head = this.#pending.bytes
    const end = Buffer.from(head.buffer, head.byteOffset, head.length).indexOf(HEAD_END)
    if (end > MAX_HEAD_BYTES || (end < 0 && head.length > MAX_HEAD_BYTES)) {
      throw new DecodeError('the head of the answer of the HTTP proxy is too long')
    }
    if (end < 0) return { done: false, send: null }
    const status = statusOf(Buffer.from(this.#pending.take(end + HEAD_END.length)).toString('latin1'))
    if (status < 200 || status > 299) {
      const text = `the HTTP proxy says no: ${refusals[status] ?? `status ${status}`}`
      throw status === WANTS_PASSWORD ? new TurnedAway(text) : new AppError('SourceFailed', text)
    }
    return { done: true, rest: this.#pending.bytes, bound: null }
  }
}

function statusOf(head: string): number {
  const match = STATUS_LINE.exec(head.slice(0, head.indexOf('\r\n')))
  if (match === null) throw new DecodeError('the answer is not one of an HTTP proxy')
  return Number(match[1])
}
