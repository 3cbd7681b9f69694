// Questions to one gateway by UDP, repeated until it answers (RFC 6886 section 3.1: 250 ms, then twice as long each
// time). Only datagrams of the gateway's own address and port are looked at, and only while a question waits.

import { DecodeError, errorText } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { GatewayRoute } from '../ports/gateway.ts'
import type { UdpNetwork, UdpSocket } from '../ports/udp.ts'
import { MapError } from './mapping-client.ts'

/** Where NAT-PMP and PCP servers listen. */
export const MAPPING_PORT = 5351
const FIRST_WAIT_MS = 250
/** RFC 6886 allows 9, over a minute; there are other protocols to try. */
const TRIES = 5
/** Questions that wait at a time: one a protocol and one for the address. */
const MAX_WAITING = 8

/** What a socket works with. */
export interface GatewaySocketDeps {
  readonly udp: UdpNetwork
  readonly clock: Clock
}

/** Reads a datagram: the answer, or null when it answers something else. DecodeErrors count as null. */
export type ReadAnswer<T> = (bytes: Uint8Array) => T | null

/** One gateway's port. */
export class GatewaySocket {
  readonly #route: GatewayRoute
  readonly #to: PeerAddress
  readonly #deps: GatewaySocketDeps
  readonly #waiting = new Set<(bytes: Uint8Array) => boolean>()
  #socket: Promise<UdpSocket> | null = null
  #closed = false

  /** `port`: where the gateway listens. */
  constructor(route: GatewayRoute, deps: GatewaySocketDeps, port = MAPPING_PORT) {
    this.#route = route
    this.#to = { ip: route.ip, port }
    this.#deps = deps
  }

  /**
   * Sends `bytes` until `read` takes an answer. Rejects with MapError: `unsupported` when nothing answers, `temporary`
   * when the signal fires or there is no socket.
   */
  async ask<T>(bytes: Uint8Array, read: ReadAnswer<T>, signal: AbortSignal): Promise<T> {
    const socket = await this.#bound()
    if (signal.aborted || this.#closed) throw new MapError('temporary', 'given up')
    if (this.#waiting.size >= MAX_WAITING) throw new MapError('temporary', 'too many questions to the gateway')
    return new Promise((resolve, reject) => {
      let timer: Timer | null = null
      const settle = (): void => {
        timer?.cancel()
        this.#waiting.delete(take)
        signal.removeEventListener('abort', giveUp)
      }
      const fail = (error: MapError): void => {
        settle()
        reject(error)
      }
      const giveUp = (): void => fail(new MapError('temporary', 'given up'))
      const take = (datagram: Uint8Array): boolean => {
        const answer = readSafely(read, datagram, fail)
        if (answer === null) return false
        settle()
        resolve(answer)
        return true
      }
      const send = (attempt: number): void => {
        if (attempt >= TRIES) return fail(new MapError('unsupported', 'the gateway does not answer'))
        socket.send(bytes, this.#to)
        timer = this.#deps.clock.after(FIRST_WAIT_MS * 2 ** attempt, () => send(attempt + 1))
      }
      this.#waiting.add(take)
      signal.addEventListener('abort', giveUp, { once: true })
      send(0)
    })
  }

  /** Closes the socket; waiting questions end by their signal. */
  async close(): Promise<void> {
    this.#closed = true
    const socket = await this.#socket?.catch(() => null)
    await socket?.close()
  }

  async #bound(): Promise<UdpSocket> {
    if (this.#closed) throw new MapError('temporary', 'given up')
    const at = { family: this.#route.family, ip: this.#route.localIp, port: 0 } as const
    this.#socket ??= this.#deps.udp.bind(at, (bytes, from) => this.#receive(bytes, from))
    try {
      return await this.#socket
    } catch (error) {
      this.#socket = null
      throw new MapError('temporary', `no UDP socket: ${errorText(error)}`, { cause: error })
    }
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    // Senders come without a zone.
    if (from.port !== this.#to.port || from.ip !== this.#to.ip.split('%')[0]) return
    for (const take of this.#waiting) if (take(bytes)) return
  }
}

/** Null also when the datagram cannot be read; a MapError that `read` throws ends the question. */
function readSafely<T>(read: ReadAnswer<T>, datagram: Uint8Array, fail: (error: MapError) => void): T | null {
  try {
    return read(datagram)
  } catch (error) {
    if (error instanceof MapError) fail(error)
    else if (!(error instanceof DecodeError)) throw error
    return null
  }
}
