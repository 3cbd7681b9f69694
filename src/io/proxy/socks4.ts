// SOCKS4 and 4a as a client: CONNECT to IPv4 addresses, and to names (4a). No IPv6, no datagrams, no password. Pure.

import { AppError, DecodeError } from '../../base/errors.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { type HandshakeStep, Pending, type ProxyHandshake, type ProxyTarget } from './proxy-handshake.ts'

const VERSION = 4
const CONNECT = 1
const GRANTED = 90
const REPLY_BYTES = 8
/** An address that cannot exist says that a name follows (4a). */
const NAME_FOLLOWS = Uint8Array.of(0, 0, 0, 1)
const MAX_NAME_BYTES = 255

/** The conversation for one CONNECT. */
export class Socks4Handshake implements ProxyHandshake {
  readonly #target: ProxyTarget
  readonly #pending = new Pending()

  constructor(target: ProxyTarget) {
    this.#target = target
  }

  /** Throws AppError SourceFailed for IPv6 addresses and unfit names. */
  begin(): Uint8Array {
    const { host, port } = this.#target
    const ip = parseIp(host)
    if (ip?.length === 16) throw new AppError('SourceFailed', 'a SOCKS4 proxy does not reach IPv6 addresses')
    const name = ip === null ? Buffer.from(`${host}\0`, 'utf8') : Buffer.alloc(0)
    if (name.length > MAX_NAME_BYTES || host.includes('\0')) {
      throw new AppError('SourceFailed', 'the host name is not one for a SOCKS4 proxy')
    }
    const head = Uint8Array.of(VERSION, CONNECT, port >> 8, port & 0xff)
    return new Uint8Array(Buffer.concat([head, ip ?? NAME_FOLLOWS, Uint8Array.of(0), name]))
  }

  receive(bytes: Uint8Array): HandshakeStep {
    this.#pending.add(bytes)
    const reply = this.#pending.bytes
    if (reply.length < REPLY_BYTES) return { done: false, send: null }
    if (reply[0] !== 0) throw new DecodeError('the answer is not one of a SOCKS4 proxy')
    if (reply[1] !== GRANTED) throw new AppError('SourceFailed', `the SOCKS4 proxy says no: code ${reply[1] ?? 0}`)
    this.#pending.take(REPLY_BYTES)
    return { done: true, rest: this.#pending.bytes, bound: null }
  }
}
