// UDP sockets whose datagrams are counted on their way. It changes none and keeps none.

import type { PeerAddress } from '../../base/ids.ts'
import type { DatagramCounts } from '../../ports/network-counts.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'

/** UdpNetwork that counts what all its sockets send and receive together. */
export class CountedUdpNetwork implements UdpNetwork {
  readonly #udp: UdpNetwork
  #packetsSent = 0
  #packetsReceived = 0
  #bytesSent = 0
  #bytesReceived = 0

  constructor(udp: UdpNetwork) {
    this.#udp = udp
  }

  /** Payload bytes, without the headers of UDP and IP. */
  get counts(): DatagramCounts {
    return {
      packetsSent: this.#packetsSent,
      packetsReceived: this.#packetsReceived,
      bytesSent: this.#bytesSent,
      bytesReceived: this.#bytesReceived,
    }
  }

  /** As UdpNetwork.bind(). */
  async bind(
    at: { family: 4 | 6; ip: string | null; port: number },
    receive: (bytes: Uint8Array, from: PeerAddress) => void,
  ): Promise<UdpSocket> {
    const socket = await this.#udp.bind(at, (bytes, from) => {
      this.#packetsReceived++
      this.#bytesReceived += bytes.length
      receive(bytes, from)
    })
    return this.#counted(socket)
  }

  #counted(socket: UdpSocket): UdpSocket {
    const { sendToName } = socket
    return {
      // It may change while the socket is open: it follows the addresses of a device.
      get address() {
        return socket.address
      },
      get unsentBytes() {
        return socket.unsentBytes ?? 0
      },
      send: (bytes, to) => {
        this.#sent(bytes)
        socket.send(bytes, to)
      },
      ...(sendToName === undefined
        ? {}
        : {
            sendToName: (bytes, to) => {
              this.#sent(bytes)
              sendToName.call(socket, bytes, to)
            },
          }),
      close: () => socket.close(),
    }
  }

  #sent(bytes: Uint8Array): void {
    this.#packetsSent++
    this.#bytesSent += bytes.length
  }
}
