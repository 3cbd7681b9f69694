// The one UDP port of all overlays: datagrams go by their first 22 bytes to the overlay that has them. Nothing is
// copied here, since cells of circuits come this way by the ten thousand. Invariant: before open() and after close()
// nothing is sent.

import type { PeerAddress } from '../../../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../../ports/udp.ts'
import { PREFIX_BYTES } from '../wire/packet.ts'

/** The message id follows; what is shorter is no packet. */
const MIN_PACKET_BYTES = PREFIX_BYTES + 1
/** Overlays of one port: those of the network and one for each hidden swarm that we introduce. */
export const MAX_OVERLAYS = 256

/** Gets the packets of one prefix. `bytes` is valid only during the call. Must not throw. */
export interface PacketReceiver {
  receive(bytes: Uint8Array, from: PeerAddress): void
}

/** Packets and bytes of the port. */
export interface EndpointCounts {
  readonly packetsSent: number
  readonly packetsReceived: number
  /** For no overlay of ours, or too short. */
  readonly packetsUnknown: number
  readonly bytesSent: number
  readonly bytesReceived: number
}

/** How the port is bound. */
export interface EndpointOptions {
  /** Literal IPv4 address; null = any. */
  readonly ip: string | null
  /** 0: a free one. */
  readonly port: number
}

interface Registered {
  readonly prefix: Uint8Array
  readonly receiver: PacketReceiver
}

/** The port. */
export class Endpoint {
  readonly #udp: UdpNetwork
  #socket: UdpSocket | null = null
  /** The one that got the last packet comes first: most packets are cells of one overlay. */
  readonly #receivers: Registered[] = []
  #packetsSent = 0
  #packetsReceived = 0
  #packetsUnknown = 0
  #bytesSent = 0
  #bytesReceived = 0

  constructor(deps: { readonly udp: UdpNetwork }) {
    this.#udp = deps.udp
  }

  /** Binds the port. AppErrors PortTaken, SourceFailed. */
  async open(options: EndpointOptions): Promise<void> {
    const at = { family: 4 as const, ...options }
    this.#socket = await this.#udp.bind(at, (bytes, from) => this.#receive(bytes, from))
  }

  /** Where the socket is bound; null: it is not. */
  get address(): PeerAddress | null {
    return this.#socket?.address ?? null
  }

  /** Bytes that wait for the kernel; memory that was sent must not change while there are any. */
  get unsentBytes(): number {
    return this.#socket?.unsentBytes ?? 0
  }

  get counts(): EndpointCounts {
    return {
      packetsSent: this.#packetsSent,
      packetsReceived: this.#packetsReceived,
      packetsUnknown: this.#packetsUnknown,
      bytesSent: this.#bytesSent,
      bytesReceived: this.#bytesReceived,
    }
  }

  /** Packets with this prefix (22 bytes) go to `receiver`, until the function that is answered is called. */
  register(prefix: Uint8Array, receiver: PacketReceiver): () => void {
    if (prefix.length !== PREFIX_BYTES) throw new RangeError(`a prefix has ${PREFIX_BYTES} bytes, not ${prefix.length}`)
    if (this.#receivers.length >= MAX_OVERLAYS) throw new RangeError(`more than ${MAX_OVERLAYS} overlays`)
    if (this.#receivers.some(known => startsWith(prefix, known.prefix))) throw new RangeError('an overlay twice')
    const entry: Registered = { prefix: Uint8Array.from(prefix), receiver }
    this.#receivers.push(entry)
    return () => {
      const at = this.#receivers.indexOf(entry)
      if (at >= 0) this.#receivers.splice(at, 1)
    }
  }

  /**
   * Sends one datagram to a literal IPv4 address. The socket has read `bytes` when the event loop turns, not before.
   */
  send(bytes: Uint8Array, to: PeerAddress): void {
    if (this.#socket === null) return
    this.#packetsSent++
    this.#bytesSent += bytes.length
    this.#socket.send(bytes, to)
  }

  /** Nothing goes in or out any more. */
  async close(): Promise<void> {
    const socket = this.#socket
    this.#socket = null
    await socket?.close()
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    if (this.#socket === null) return
    this.#packetsReceived++
    this.#bytesReceived += bytes.length
    const receivers = this.#receivers
    if (bytes.length >= MIN_PACKET_BYTES) {
      for (let at = 0; at < receivers.length; at++) {
        const entry = receivers[at] as Registered
        if (!startsWith(bytes, entry.prefix)) continue
        if (at > 0) {
          receivers[at] = receivers[0] as Registered
          receivers[0] = entry
        }
        entry.receiver.receive(bytes, from)
        return
      }
    }
    this.#packetsUnknown++
  }
}

/** Compares from the end: what differs between overlays lies there. */
function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  for (let at = PREFIX_BYTES - 1; at >= 0; at--) if (bytes[at] !== prefix[at]) return false
  return true
}
