// Datagrams in memory on a virtual clock: latency and loss, addresses that are attached or silent. Each datagram is
// handed over in memory that is spoilt after the call, as the port allows.

import { addressKey, type PeerAddress } from '../../../src/base/ids.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Random } from '../../../src/ports/random.ts'

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** One attached address; counts what it sent. */
export interface HubSocket {
  readonly address: PeerAddress
  readonly sentDatagrams: number
  readonly sentBytes: number
  send(bytes: Uint8Array, to: PeerAddress): void
  /** Nothing goes in or out any more. */
  close(): void
}

/** How the network treats datagrams. */
export interface HubLine {
  /** One way: `minMs` and up to `spreadMs` more, by chance. */
  readonly minMs: number
  readonly spreadMs: number
  /** Of a thousand so many are lost. */
  readonly lossPerMille: number
}

/** All addresses. */
export class DatagramHub {
  readonly #clock: Clock
  readonly #random: Random
  readonly #line: HubLine
  readonly #receivers = new Map<string, Receive>()
  /** Datagrams that reached somebody. */
  delivered = 0

  constructor(clock: Clock, random: Random, line: Partial<HubLine> = {}) {
    this.#clock = clock
    this.#random = random
    this.#line = { minMs: 10, spreadMs: 40, lossPerMille: 0, ...line }
  }

  /** Gives `address` to `receive`. */
  attach(address: PeerAddress, receive: Receive): HubSocket {
    const key = addressKey(address)
    this.#receivers.set(key, receive)
    const counts = { datagrams: 0, bytes: 0 }
    return {
      address,
      get sentDatagrams() {
        return counts.datagrams
      },
      get sentBytes() {
        return counts.bytes
      },
      send: (bytes, to) => {
        if (this.#receivers.get(key) !== receive) return
        counts.datagrams++
        counts.bytes += bytes.length
        this.deliver(bytes, address, to)
      },
      close: () => {
        if (this.#receivers.get(key) === receive) this.#receivers.delete(key)
      },
    }
  }

  /** Carries a datagram; `from` may be a lie, as on the internet. */
  deliver(bytes: Uint8Array, from: PeerAddress, to: PeerAddress): void {
    const { minMs, spreadMs, lossPerMille } = this.#line
    if (this.#random.below(1000) < lossPerMille) return
    const copy = Uint8Array.from(bytes)
    this.#clock.after(minMs + this.#random.below(spreadMs + 1), () => {
      const receive = this.#receivers.get(addressKey(to))
      if (receive === undefined) return
      this.delivered++
      receive(copy, from)
      copy.fill(0xee)
    })
  }
}
