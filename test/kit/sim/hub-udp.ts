// UdpNetwork of one address of a DatagramHub: sockets whose datagrams take virtual time and may be lost.

import { AppError } from '../../../src/base/errors.ts'
import { addressKey, type PeerAddress } from '../../../src/base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../../src/ports/udp.ts'
import type { DatagramHub } from './datagram-hub.ts'

/** First port of those that are given away. */
const FREE_PORTS = 20_000

/** The sockets of one host. */
export class HubUdp implements UdpNetwork {
  readonly #hub: DatagramHub
  readonly #ip: string
  /** Behind a NAT that lets in only whom something was sent to. */
  readonly #natted: boolean
  readonly #taken = new Set<number>()
  #next = FREE_PORTS

  constructor(hub: DatagramHub, ip: string, natted = false) {
    this.#natted = natted
    this.#hub = hub
    this.#ip = ip
  }

  bind(
    at: { family: 4 | 6; ip: string | null; port: number },
    receive: (bytes: Uint8Array, from: PeerAddress) => void,
  ): Promise<UdpSocket> {
    const port = at.port === 0 ? this.#next++ : at.port
    if (this.#taken.has(port)) return Promise.reject(new AppError('PortTaken', 'taken'))
    this.#taken.add(port)
    const sentTo = new Set<string>()
    const socket = this.#hub.attach({ ip: this.#ip, port }, (bytes, from) => {
      if (!this.#natted || sentTo.has(addressKey(from))) receive(bytes, from)
    })
    return Promise.resolve({
      address: { ip: at.ip ?? '0.0.0.0', port },
      send: (bytes, to) => {
        if (this.#natted) sentTo.add(addressKey(to))
        socket.send(bytes, to)
      },
      close: () => {
        this.#taken.delete(port)
        socket.close()
        return Promise.resolve()
      },
    })
  }
}
