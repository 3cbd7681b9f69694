// Packets that have a sequence number and are not yet acknowledged, in a ring by that number. Each is either under way
// or lost. Counts bytes and packets; decides nothing. Invariant: every number in the ring lies between `acked` and
// `next`.

import type { Packet } from './packet-pool.ts'
import { seqAdd, seqDiff } from './sequence.ts'

const FIRST_SLOTS = 16
/**
 * Most packets between the last acknowledged and the newest. libtorrent drops what lies over 953 packets ahead of what
 * it has in order (1 MiB / 1100), so more would be lost.
 */
export const MAX_SPAN = 900

/** What was sent and is not acknowledged. */
export class SendBuffer {
  /** The other side has everything up to this number. */
  acked: number
  /** Number of the next new packet. */
  next: number
  /** Payload and packets under way, packets lost, and those of both that are not full. */
  inFlightBytes = 0
  inFlightPackets = 0
  lostPackets = 0
  smallPackets = 0
  #ring: (Packet | null)[] = new Array<Packet | null>(FIRST_SLOTS).fill(null)
  #mask = FIRST_SLOTS - 1

  /** `first`: number of the first packet. */
  constructor(first: number) {
    this.next = first
    this.acked = seqAdd(first, -1)
  }

  /** Numbers given and not yet acknowledged by the other side's counter. */
  get span(): number {
    return seqDiff(this.next, this.acked) - 1
  }

  /** Gives a packet the next number; from now on it is under way. The caller looks at MAX_SPAN first. */
  push(packet: Packet): void {
    if (this.span >= this.#mask) this.#grow()
    packet.seq = this.next
    packet.inFlight = true
    this.#ring[packet.seq & this.#mask] = packet
    this.next = seqAdd(this.next, 1)
    this.inFlightBytes += packet.payloadBytes
    this.inFlightPackets += 1
    if (packet.small) this.smallPackets += 1
  }

  /** The unacknowledged packet with a number, or null. */
  at(seq: number): Packet | null {
    const packet = this.#ring[seq & this.#mask] ?? null
    return packet !== null && packet.seq === seq ? packet : null
  }

  /** Takes out an acknowledged packet; null when there is none with this number. */
  remove(seq: number): Packet | null {
    const packet = this.at(seq)
    if (packet === null) return null
    this.#ring[seq & this.#mask] = null
    if (packet.inFlight) this.#landed(packet)
    else this.lostPackets -= 1
    if (packet.small) this.smallPackets -= 1
    return packet
  }

  /** Counts a packet that was under way as lost. */
  lose(packet: Packet): void {
    if (!packet.inFlight) return
    this.#landed(packet)
    this.lostPackets += 1
  }

  /** A lost packet is under way again. */
  resent(packet: Packet): void {
    packet.inFlight = true
    this.inFlightBytes += packet.payloadBytes
    this.inFlightPackets += 1
    this.lostPackets -= 1
  }

  /** Takes out everything. */
  clear(each: (packet: Packet) => void): void {
    for (let seq = seqAdd(this.acked, 1); seq !== this.next; seq = seqAdd(seq, 1)) {
      const packet = this.remove(seq)
      if (packet !== null) each(packet)
    }
    this.acked = seqAdd(this.next, -1)
  }

  #landed(packet: Packet): void {
    packet.inFlight = false
    this.inFlightBytes -= packet.payloadBytes
    this.inFlightPackets -= 1
  }

  #grow(): void {
    const old = this.#ring
    const slots = old.length * 2
    this.#ring = new Array<Packet | null>(slots).fill(null)
    this.#mask = slots - 1
    for (const packet of old) if (packet !== null) this.#ring[packet.seq & this.#mask] = packet
  }
}
