// The receiving half of a connection: puts packets in order, hands payload to the reader, keeps what the reader does
// not want yet, and says how much more fits. Payload in order that the reader wants is handed over where it lies,
// without a copy. Invariant: what is kept never exceeds the capacity, however small the packets are it came in.

import { putExtensionHead } from '../wire/net/utp.ts'
import type { Packet, PacketPool } from './packet-pool.ts'
import { seqAdd, seqDiff } from './sequence.ts'

/** Bytes kept for one connection (libtorrent's number). */
export const RECEIVE_CAPACITY_BYTES = 1024 * 1024
/** Packets ahead of the next in order that are kept; a power of two. */
export const MAX_REORDER = 1024
const FIRST_SLOTS = 16
/** A selective acknowledgement has whole groups of so many bytes (BEP 29). */
const SACK_UNIT_BYTES = 4

/** Who gets the bytes. */
export interface ChunkReader {
  /** False while bytes must be kept. */
  readonly wants: boolean
  /** Bytes in order, valid only during the call. May change `wants`, and may call clear(). */
  read(chunk: Uint8Array): void
}

/** What has come in. */
export class ReceiveBuffer {
  /** Everything up to this number is here. */
  ackNr = 0
  readonly #pool: PacketPool
  readonly #reader: ChunkReader
  readonly #capacity: number
  #ring: (Packet | null)[] = []
  #mask = -1
  #ahead = 0
  #aheadBytes = 0
  /** The newest number in the ring; means something while #ahead is above 0. */
  #newest = 0
  #unread: Packet[] = []
  #unreadBytes = 0
  #endSeq: number | null = null
  #discards = false

  constructor(pool: PacketPool, reader: ChunkReader, capacityBytes = RECEIVE_CAPACITY_BYTES) {
    this.#pool = pool
    this.#reader = reader
    this.#capacity = capacityBytes
  }

  /** Bytes that still fit: the window to advertise. */
  get windowBytes(): number {
    return Math.max(0, this.#capacity - this.#unreadBytes - this.#aheadBytes)
  }

  get unreadBytes(): number {
    return this.#unreadBytes
  }

  /** Packets that wait for one before them. */
  get aheadPackets(): number {
    return this.#ahead
  }

  /** True when the end of the stream was reached and everything was read. */
  get finished(): boolean {
    return this.#endSeq === this.ackNr && this.#unread.length === 0
  }

  /** Takes a packet in. `payload` is valid only during the call; `fin`: the stream ends with it. */
  push(seq: number, payload: Uint8Array, fin: boolean): void {
    const distance = seqDiff(seq, this.ackNr)
    if (distance <= 0 || distance > MAX_REORDER) return
    // Nothing comes after the end, and the end does not move.
    if (this.#endSeq !== null && seqDiff(seq, this.#endSeq) > 0) return
    if (distance === 1) this.#inOrder(seq, payload, fin)
    else if (!this.#discards && payload.length <= this.windowBytes) this.#keepAhead(seq, payload, fin)
  }

  /** Hands over what was kept, as far as the reader wants it. */
  readOn(): void {
    while (this.#reader.wants) {
      // Taken out first: the reader may call clear(), which gives back what is still in here.
      const packet = this.#unread.shift()
      if (packet === undefined) return
      this.#unreadBytes -= packet.bytes.length
      this.#reader.read(packet.bytes)
      this.#pool.give(packet)
    }
  }

  /** The reader is gone: gives back what is kept; from now on packets are only counted. */
  clear(): void {
    if (this.#discards) return
    this.#discards = true
    for (const packet of this.#unread) this.#pool.give(packet)
    for (const packet of this.#ring) if (packet !== null) this.#pool.give(packet)
    this.#unread = []
    this.#unreadBytes = 0
    this.#ring = []
    this.#mask = -1
    this.#ahead = 0
    this.#aheadBytes = 0
  }

  /** Bytes of the selective acknowledgement that is due, 0 = none. */
  get sackBytes(): number {
    if (this.#ahead === 0) return 0
    // The first bit is for ackNr + 2.
    const bits = Math.min(MAX_REORDER, seqDiff(this.#newest, this.ackNr) - 1)
    return Math.ceil(bits / 8 / SACK_UNIT_BYTES) * SACK_UNIT_BYTES
  }

  /** Writes it, as the last extension, with its head at `at`; `count` is sackBytes. */
  writeSack(bytes: Uint8Array, at: number, count: number): void {
    putExtensionHead(bytes, at, 0, count)
    let seq = seqAdd(this.ackNr, 2)
    for (let index = 0; index < count; index++) {
      let bits = 0
      for (let bit = 0; bit < 8; bit++) {
        if (this.#has(seq)) bits |= 1 << bit
        seq = seqAdd(seq, 1)
      }
      bytes[at + 2 + index] = bits
    }
  }

  #has(seq: number): boolean {
    return this.#ring[seq & this.#mask]?.seq === seq
  }

  #inOrder(seq: number, payload: Uint8Array, fin: boolean): void {
    if (!this.#takes(payload)) return
    this.ackNr = seq
    if (fin) this.#endSeq ??= seq
    if (!this.#discards && payload.length > 0) this.#hand(payload)
    while (this.#ahead > 0 && this.#endSeq !== this.ackNr) {
      const packet = this.#takeAhead(seqAdd(this.ackNr, 1))
      if (packet === null) return
      this.ackNr = packet.seq
      this.#handPacket(packet)
    }
    // What lies behind the end is nothing.
    if (this.#endSeq === this.ackNr && this.#ahead > 0) this.#dropAhead()
  }

  /** True when payload in order can be handed over or kept. */
  #takes(payload: Uint8Array): boolean {
    if (this.#discards || payload.length === 0 || this.#readsNow()) return true
    return payload.length <= this.windowBytes && (this.#tail(payload.length) !== null || this.#pool.hasRoom)
  }

  #readsNow(): boolean {
    return this.#reader.wants && this.#unread.length === 0
  }

  /** The last packet that waits to be read, if `count` bytes more fit into it. */
  #tail(count: number): Packet | null {
    const last = this.#unread.at(-1)
    return last !== undefined && last.memory.length - last.bytes.length >= count ? last : null
  }

  #hand(payload: Uint8Array): void {
    if (this.#readsNow()) return this.#reader.read(payload)
    if (this.#addToTail(payload)) return
    const packet = this.#pool.copyOf(payload)
    if (packet !== null) this.#keep(packet)
  }

  /** Hands over or keeps a packet that had waited for others. */
  #handPacket(packet: Packet): void {
    if (packet.bytes.length === 0) return this.#pool.give(packet)
    if (this.#readsNow()) {
      this.#reader.read(packet.bytes)
      return this.#pool.give(packet)
    }
    if (this.#addToTail(packet.bytes)) return this.#pool.give(packet)
    this.#keep(packet)
  }

  #keep(packet: Packet): void {
    this.#unread.push(packet)
    this.#unreadBytes += packet.bytes.length
  }

  /** Small packets are put together: many of them need no more memory than a few large ones. */
  #addToTail(payload: Uint8Array): boolean {
    const tail = this.#tail(payload.length)
    if (tail === null) return false
    const length = tail.bytes.length
    tail.memory.set(payload, length)
    tail.cut(length + payload.length)
    this.#unreadBytes += payload.length
    return true
  }

  #keepAhead(seq: number, payload: Uint8Array, fin: boolean): void {
    this.#makeRoom(seqDiff(seq, this.ackNr))
    if (this.#ring[seq & this.#mask] !== null) return
    const packet = this.#pool.copyOf(payload)
    if (packet === null) return
    packet.seq = seq
    this.#ring[seq & this.#mask] = packet
    if (this.#ahead === 0 || seqDiff(seq, this.#newest) > 0) this.#newest = seq
    this.#ahead += 1
    this.#aheadBytes += payload.length
    if (fin) this.#endSeq ??= seq
  }

  #takeAhead(seq: number): Packet | null {
    const packet = this.#ring[seq & this.#mask] ?? null
    if (packet === null || packet.seq !== seq) return null
    this.#ring[seq & this.#mask] = null
    this.#ahead -= 1
    this.#aheadBytes -= packet.bytes.length
    return packet
  }

  #dropAhead(): void {
    for (const [slot, packet] of this.#ring.entries()) {
      if (packet === null) continue
      this.#pool.give(packet)
      this.#ring[slot] = null
    }
    this.#ahead = 0
    this.#aheadBytes = 0
  }

  /** Makes the ring hold a packet `distance` ahead of ackNr. */
  #makeRoom(distance: number): void {
    let slots = Math.max(FIRST_SLOTS, this.#ring.length)
    while (slots < distance) slots *= 2
    if (slots === this.#ring.length) return
    const old = this.#ring
    this.#ring = new Array<Packet | null>(slots).fill(null)
    this.#mask = slots - 1
    for (const packet of old) if (packet !== null) this.#ring[packet.seq & this.#mask] = packet
  }
}
