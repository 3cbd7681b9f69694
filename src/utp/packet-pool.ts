// Memory of packets, used again and again. A packet has one owner at a time; giving it back twice throws. What was sent
// may still wait in a queue of the socket when its owner lets go of it, and memory that is written meanwhile would go
// out as a packet that never was. So `give` is for packets that nothing can hold any more: never sent, or sent once and
// acknowledged (then it has left). All others are dropped, and the garbage collector waits for the socket.

/** Room of a packet: more than a datagram has on Ethernet. */
export const PACKET_BYTES = 1500
/** Free packets that are kept. */
const MAX_FREE = 2048

/** One packet, or the payload of one. The fields belong to its owner. */
export class Packet {
  memory: Uint8Array
  /** The part of `memory` that is in use, from its beginning. */
  bytes: Uint8Array
  /** True while it has an owner. For the pool. */
  taken = true
  payloadAt = 0
  payloadBytes = 0
  seq = 0
  /** Clock milliseconds of the last sending, and its number among all sendings of the connection. */
  sentMs = 0
  order = 0
  /** The number of its first sending. */
  firstOrder = 0
  transmissions = 0
  /** True while it counts as under way, false once it counts as lost. */
  inFlight = false
  /** Less than a full packet. */
  small = false
  /** Bytes of the whole packet while it is a probe for the packet size, else 0. */
  probeBytes = 0

  constructor(size: number) {
    // Slow: memory of its own, so that a dropped packet keeps nothing else alive.
    this.memory = Buffer.allocUnsafeSlow(size)
    this.bytes = this.memory
  }

  /** Sets the length of `bytes`. The view is kept while the length stays the same. */
  cut(length: number): void {
    if (this.bytes.length !== length) this.bytes = this.memory.subarray(0, length)
  }

  /** Goes on in other memory, of the same size and without content: a socket may still hold the present one. */
  moveOut(): void {
    this.memory = Buffer.allocUnsafeSlow(this.memory.length)
    this.bytes = this.memory
  }
}

/** Packets up to a limit. */
export class PacketPool {
  readonly #limit: number
  readonly #free: Packet[] = []
  #used = 0

  /** `limit`: packets that may be in use at a time. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Packets in use. */
  get used(): number {
    return this.#used
  }

  get hasRoom(): boolean {
    return this.#used < this.#limit
  }

  /** A packet of PACKET_BYTES, or null at the limit. */
  take(): Packet | null {
    if (this.#used >= this.#limit) return null
    this.#used += 1
    const packet = this.#free.pop()
    if (packet === undefined) return new Packet(PACKET_BYTES)
    packet.taken = true
    packet.payloadAt = 0
    packet.payloadBytes = 0
    packet.transmissions = 0
    packet.inFlight = false
    packet.small = false
    packet.probeBytes = 0
    return packet
  }

  /** A packet whose `bytes` are a copy of `chunk`, of any length; null at the limit. */
  copyOf(chunk: Uint8Array): Packet | null {
    if (chunk.length > PACKET_BYTES) {
      if (this.#used >= this.#limit) return null
      this.#used += 1
      const large = new Packet(chunk.length)
      large.memory.set(chunk)
      return large
    }
    const packet = this.take()
    if (packet === null) return null
    packet.memory.set(chunk)
    packet.cut(chunk.length)
    return packet
  }

  /** Takes back a packet that nothing holds any more: never sent, or acknowledged. */
  give(packet: Packet): void {
    this.drop(packet)
    if (packet.memory.length === PACKET_BYTES && this.#free.length < MAX_FREE) this.#free.push(packet)
  }

  /** Forgets a packet whose memory a socket may still hold. */
  drop(packet: Packet): void {
    if (!packet.taken) throw new RangeError('a packet was given back twice')
    packet.taken = false
    this.#used -= 1
  }
}
