// SOCKS5 (RFC 1928) as a client: the conversation without or with user and password (RFC 1929), CONNECT and UDP
// ASSOCIATE by address or by name, and the head of a relayed datagram. Pure. States: method -> (auth ->) reply -> done.

import { AppError, DecodeError } from '../../base/errors.ts'
import { formatIp, parseIp } from '../../wire/net/compact-address.ts'
import {
  type HandshakeStep,
  Pending,
  type ProxyAuth,
  type ProxyHandshake,
  type ProxyTarget,
  TurnedAway,
} from './proxy-handshake.ts'

const VERSION = 5
const AUTH_VERSION = 1
const NO_AUTH = 0
const USER_PASSWORD = 2
const NO_METHOD = 0xff
const COMMANDS = { connect: 1, associate: 3 } as const
const IPV4 = 1
const NAME = 3
const IPV6 = 4
/** Most bytes of user, password and name: their length is one byte. */
const MAX_TEXT = 255

const REPLIES: readonly string[] = [
  'all is well',
  'it has a general failure',
  'its rules do not allow this',
  'the network cannot be reached',
  'the host cannot be reached',
  'the connection was refused',
  'the connection took too long',
  'it does not know this command',
  'it does not know this kind of address',
]

function proxySays(text: string): AppError {
  return new AppError('SourceFailed', `the SOCKS5 proxy says no: ${text}`)
}

function text(value: string, what: string): Buffer {
  const bytes = Buffer.from(value, 'utf8')
  if (bytes.length < 1 || bytes.length > MAX_TEXT) {
    throw new AppError('SourceFailed', `a ${what} for a SOCKS5 proxy has 1 to ${MAX_TEXT} bytes`)
  }
  return Buffer.concat([Uint8Array.of(bytes.length), bytes])
}

/** Kind, address and port as SOCKS5 writes them. Throws AppError SourceFailed for names that are too long. */
export function encodeSocksAddress(target: ProxyTarget): Uint8Array {
  const port = Uint8Array.of(target.port >> 8, target.port & 0xff)
  const ip = parseIp(target.host)
  const host = ip ?? text(target.host, 'host name')
  const kind = ip === null ? NAME : ip.length === 4 ? IPV4 : IPV6
  return new Uint8Array(Buffer.concat([Uint8Array.of(kind), host, port]))
}

/**
 * Reads kind, address and port at `at`; `next` is where they end. Null when bytes are missing. Throws DecodeError for a
 * kind that does not exist and an empty name.
 */
export function decodeSocksAddress(bytes: Uint8Array, at: number): { address: ProxyTarget; next: number } | null {
  const kind = bytes[at]
  if (kind === undefined) return null
  if (kind !== IPV4 && kind !== NAME && kind !== IPV6) throw new DecodeError(`SOCKS5 address of kind ${kind}`)
  const nameBytes = bytes[at + 1]
  if (kind === NAME && nameBytes === undefined) return null
  if (kind === NAME && nameBytes === 0) throw new DecodeError('SOCKS5 address with an empty name')
  const start = kind === NAME ? at + 2 : at + 1
  const end = start + (kind === NAME ? (nameBytes ?? 0) : kind === IPV4 ? 4 : 16)
  if (bytes.length < end + 2) return null
  const part = bytes.subarray(start, end)
  const host = kind === NAME ? Buffer.from(part).toString('latin1') : formatIp(part)
  return { address: { host, port: ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0) }, next: end + 2 }
}

/** One datagram for the relay: to `to`, with `payload`. Throws AppError SourceFailed for names that are too long. */
export function encodeSocksDatagram(to: ProxyTarget, payload: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([Uint8Array.of(0, 0, 0), encodeSocksAddress(to), payload]))
}

/** One datagram from the relay; `payload` is a view. Throws DecodeError, also for fragments, which no proxy sends. */
export function decodeSocksDatagram(bytes: Uint8Array): { from: ProxyTarget; payload: Uint8Array } {
  if (bytes.length < 3) throw new DecodeError('SOCKS5 datagram without a head')
  if (bytes[0] !== 0 || bytes[1] !== 0) throw new DecodeError('SOCKS5 datagram with reserved bytes in use')
  if (bytes[2] !== 0) throw new DecodeError('SOCKS5 datagram in fragments')
  const found = decodeSocksAddress(bytes, 3)
  if (found === null) throw new DecodeError('SOCKS5 datagram that ends in its head')
  return { from: found.address, payload: bytes.subarray(found.next) }
}

/** What a SOCKS5 proxy is asked for. */
export interface Socks5Request {
  /**
   * `associate` opens a relay for datagrams; its target is where datagrams will come from, 0.0.0.0 port 0 if unknown.
   */
  readonly command: keyof typeof COMMANDS
  readonly target: ProxyTarget
  readonly auth: ProxyAuth | null
}

/** The conversation for one request. `bound` of its end is the address the proxy uses, or the relay's. */
export class Socks5Handshake implements ProxyHandshake {
  readonly #request: Socks5Request
  readonly #pending = new Pending()
  #state: 'method' | 'auth' | 'reply' = 'method'

  constructor(request: Socks5Request) {
    this.#request = request
  }

  begin(): Uint8Array {
    // With a password both are offered: a proxy that does not ask for it is fine too.
    return this.#request.auth === null
      ? Uint8Array.of(VERSION, 1, NO_AUTH)
      : Uint8Array.of(VERSION, 2, NO_AUTH, USER_PASSWORD)
  }

  receive(bytes: Uint8Array): HandshakeStep {
    this.#pending.add(bytes)
    const steps: Uint8Array[] = []
    for (;;) {
      const step = this.#next()
      if (step === null) break
      if (step.done) return step
      if (step.send !== null) steps.push(step.send)
    }
    return { done: false, send: steps.length === 0 ? null : new Uint8Array(Buffer.concat(steps)) }
  }

  /** One step further; null when bytes are missing. */
  #next(): HandshakeStep | null {
    if (this.#state === 'reply') return this.#reply()
    if (this.#pending.bytes.length < 2) return null
    const [version, value] = this.#pending.take(2)
    return this.#state === 'method' ? this.#method(version, value) : this.#authenticated(version, value)
  }

  #method(version: number | undefined, method: number | undefined): HandshakeStep {
    if (version !== VERSION) throw new DecodeError('the answer is not one of a SOCKS5 proxy')
    const { auth } = this.#request
    if (method === NO_AUTH) return this.#ask()
    if (method === USER_PASSWORD && auth !== null) {
      this.#state = 'auth'
      const parts = [Uint8Array.of(AUTH_VERSION), text(auth.user, 'user name'), text(auth.password, 'password')]
      return { done: false, send: new Uint8Array(Buffer.concat(parts)) }
    }
    if (method === NO_METHOD)
      throw new TurnedAway('the SOCKS5 proxy says no: it does not let this node in without another user or password')
    throw new DecodeError('the SOCKS5 proxy chose a method that was not offered')
  }

  #authenticated(version: number | undefined, status: number | undefined): HandshakeStep {
    if (version !== AUTH_VERSION) throw new DecodeError('the answer is not one of a SOCKS5 proxy')
    if (status !== 0) throw new TurnedAway('the SOCKS5 proxy says no: user or password are wrong')
    return this.#ask()
  }

  #ask(): HandshakeStep {
    this.#state = 'reply'
    const { command, target } = this.#request
    const head = Uint8Array.of(VERSION, COMMANDS[command], 0)
    return { done: false, send: new Uint8Array(Buffer.concat([head, encodeSocksAddress(target)])) }
  }

  #reply(): HandshakeStep | null {
    const { bytes } = this.#pending
    if (bytes.length < 3) return null
    if (bytes[0] !== VERSION) throw new DecodeError('the answer is not one of a SOCKS5 proxy')
    const code = bytes[1] ?? 0
    // Some proxies end a refusal without an address.
    if (code !== 0) throw proxySays(REPLIES[code] ?? `it has failure ${code}`)
    const found = decodeSocksAddress(bytes, 3)
    if (found === null) return null
    this.#pending.take(found.next)
    return { done: true, rest: this.#pending.bytes, bound: found.address }
  }
}
