// One uTP connection whose other side is played by the test, packet by packet, at times the test sets.

import assert from 'node:assert/strict'
import { Connection, type ConnectionPort } from '../../../src/utp/connection.ts'
import { PacketPool } from '../../../src/utp/packet-pool.ts'
import { microsOf, seqAdd } from '../../../src/utp/sequence.ts'
import {
  decodeUtpPacket,
  encodeUtpPacket,
  readUtpHeader,
  UTP_EXTENSION,
  UTP_TYPE,
  UtpHeader,
  type UtpPacket,
  type UtpType,
} from '../../../src/wire/net/utp.ts'

/** Our first sequence number: the next ones go round. */
export const FIRST_SEQ = 65_534
/** Number of the peer's first packet. */
export const PEER_SEQ = 100
export const RTT_MS = 50
/** Payload of a packet before its size was found out. */
export const FULL = 528

/** A connection and, on the other side, the test. */
export class UtpRig implements ConnectionPort {
  nowMs = 1000
  readonly pool = new PacketPool(2000)
  readonly connection: Connection
  out: UtpPacket[] = []
  text = ''
  opens = 0
  ends: (Error | null)[] = []
  due = false
  onOpen: (() => void) | null = null
  onRead: (() => void) | null = null
  /** What the peer has in order, and its window. */
  ack = seqAdd(FIRST_SEQ, -1)
  window = 1_000_000

  constructor() {
    const ids = { sendId: 8, receiveId: 7 }
    const pools = { sendPool: this.pool, receivePool: this.pool }
    this.connection = new Connection({ family: 4, ...ids, firstSeq: FIRST_SEQ, ...pools }, this)
  }

  transmit(bytes: Uint8Array): void {
    this.out.push(decodeUtpPacket(Uint8Array.from(bytes)))
  }
  atTurnEnd(): void {
    this.due = true
  }
  opened(): void {
    this.opens += 1
    this.onOpen?.()
  }
  read(chunk: Uint8Array): void {
    this.text += Buffer.from(chunk).toString('latin1')
    this.onRead?.()
  }
  ended(error: Error | null): void {
    this.ends.push(error)
  }

  /** The turn ends; what was sent since the last time. */
  turn(): UtpPacket[] {
    for (let count = 0; this.due; count++) {
      assert.ok(count < 10, 'turns without end')
      this.due = false
      this.connection.turnEnd(this.nowMs)
    }
    const { out } = this
    this.out = []
    return out
  }

  /** Lets time pass in ticks; what was sent. */
  pass(ms: number): UtpPacket[] {
    const sent: UtpPacket[] = []
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += 100
      this.connection.tick(this.nowMs)
      sent.push(...this.turn())
    }
    return sent
  }

  /** A packet of the peer. */
  get(type: UtpType, seq: number, change: Partial<UtpPacket> = {}): void {
    const header = new UtpHeader()
    const bytes = encodeUtpPacket({
      type,
      connectionId: 7,
      timestamp: microsOf(this.nowMs - RTT_MS / 2),
      difference: (RTT_MS / 2) * 1000,
      window: this.window,
      seq,
      ack: this.ack,
      extensions: [],
      payload: new Uint8Array(0),
      ...change,
    })
    readUtpHeader(bytes, header)
    this.connection.receive(header, bytes, this.nowMs)
    bytes.fill(0xee)
  }

  data(seq: number, text: string): void {
    this.get(UTP_TYPE.data, seq, { payload: Buffer.from(text, 'latin1') })
  }

  /** The peer has everything up to `seq`, and the packets `beyond`. */
  acks(seq: number, beyond: readonly number[] = []): void {
    this.ack = seq & 0xffff
    const bits = new Uint8Array(32)
    for (const one of beyond) {
      const bit = (one - seq - 2) & 0xffff
      bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7))
    }
    const extensions = beyond.length === 0 ? [] : [{ type: UTP_EXTENSION.selectiveAck, bytes: bits }]
    this.get(UTP_TYPE.state, PEER_SEQ, { extensions })
  }

  /** An outgoing connection that was answered. */
  open(): this {
    this.connection.connect(5000, this.nowMs)
    this.out = []
    this.nowMs += RTT_MS
    this.ack = FIRST_SEQ
    this.get(UTP_TYPE.state, PEER_SEQ)
    this.turn()
    return this
  }

  write(bytes: number | string, sent?: () => void): void {
    const what = typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.alloc(bytes, 1)
    this.connection.write(what, sent, this.nowMs)
  }
}

/** Their numbers. */
export const seqs = (packets: readonly UtpPacket[]): number[] => packets.map(packet => packet.seq)
/** Their types. */
export const types = (packets: readonly UtpPacket[]): number[] => packets.map(packet => packet.type)
/** Those of them with payload. */
export const dataOf = (packets: readonly UtpPacket[]): UtpPacket[] =>
  packets.filter(({ type }) => type === UTP_TYPE.data)
