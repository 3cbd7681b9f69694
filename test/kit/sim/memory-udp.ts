// Datagram sockets without a network: a test sees what is sent, and answers as anybody.

import type { PeerAddress } from '../../../src/base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../../src/ports/udp.ts'

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** UdpNetwork in memory. */
export class MemoryUdp implements UdpNetwork {
  readonly sent: { readonly bytes: Buffer; readonly to: PeerAddress }[] = []
  /** Sockets that are open. */
  open = 0
  /** Called for each datagram; what it answers is received from where the datagram went. */
  answer: (bytes: Buffer, to: PeerAddress) => Uint8Array | null = () => null
  readonly #receivers = new Set<Receive>()

  bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<UdpSocket> {
    this.open += 1
    this.#receivers.add(receive)
    let closed = false
    return Promise.resolve({
      address: { ip: at.ip ?? '0.0.0.0', port: 40_000 },
      send: (bytes, to) => {
        const copy = Buffer.from(bytes)
        this.sent.push({ bytes: copy, to })
        const answer = this.answer(copy, to)
        // Never within the call that sends.
        if (answer !== null) queueMicrotask(() => this.receive(answer, to))
      },
      close: () => {
        if (!closed) this.open -= 1
        closed = true
        this.#receivers.delete(receive)
        return Promise.resolve()
      },
    })
  }

  /** A datagram comes in at every open socket. */
  receive(bytes: Uint8Array, from: PeerAddress): void {
    for (const receive of this.#receivers) receive(bytes, from)
  }
}
