// One connection of uTP (BEP 29) as a state machine: packets, writes and time go in, packets, payload and one end come
// out through ConnectionPort. Reads no clock and no chance, knows no addresses.
//   syn-sent ---- answer to the SYN -----------> connected
//   syn-received - packet that proves the address -> connected
//   connected ---- close(), or the other's FIN --> closing (our FIN goes after what is in packets; the user has his end)
//   closing ------ both FINs acknowledged, time -> closed
//   any ---------- RESET, nothing comes back ----> closed
// As libtorrent and libutp do, the answer to a SYN carries the number of the first data packet, not one of its own.

import {
  encodeUtpPacket,
  putUtpHead,
  stampUtp,
  UTP_EXTENSION,
  UTP_HEADER_BYTES,
  UTP_TYPE,
  type UtpHeader,
} from '../wire/net/utp.ts'
import { DelayHistory } from './delay-history.ts'
import type { Packet, PacketPool } from './packet-pool.ts'
import { type ChunkReader, RECEIVE_CAPACITY_BYTES, ReceiveBuffer } from './receive-buffer.ts'
import { SendHalf } from './send-half.ts'
import { microsBetween, microsOf, seqAdd, seqDiff } from './sequence.ts'

/** How long an address may stay unproven. */
export const HALF_OPEN_MS = 10_000
/** How long the FINs may take once the user is gone. */
export const LINGER_MS = 10_000
/** After this long without a packet one is sent: routers forget (libutp's number). */
export const KEEP_ALIVE_MS = 29_000
/** Times in a row that nothing may come back: a connection counts as dead after some 30 s at the least. */
export const MAX_TIMEOUTS = 6
const MAX_SYN_TIMEOUTS = 5
const MAX_FIN_TIMEOUTS = 3
/** Bytes a user may have queued; the engine stays far below. */
export const MAX_QUEUED_BYTES = 64 * 1024 * 1024
/** An acknowledgement may be this many packets older than the newest: what comes with it can still be new. */
const ACK_SLACK = 1024
/** A RESET must know the sequence numbers better than that: 3 packets back, as libtorrent demands of every packet. */
const RESET_SLACK = 3
/** The window is announced again when it has grown by this much, or was shut and holds some packets again. */
const WINDOW_STEP_BYTES = RECEIVE_CAPACITY_BYTES / 4
const SHUT_WINDOW_BYTES = 3000
const REOPENED_BYTES = 16 * 1024
/** A base delay that falls by less than this shows clocks drifting apart (libtorrent's number). */
const MAX_DRIFT_MICROS = 10_000
/** A first write below this is a handshake. */
const FIRST_ALONE_BYTES = 500
/** Packets beyond a gap that are acknowledged one by one in a turn; what comes then waits for its end. */
const MAX_GAP_ACKS = 4
/** What uTorrent sends while it knows no delay. */
const NO_DELAY = 0x7fffffff

/** Where a connection is; see the top of the file. */
export type ConnectionState = 'syn-sent' | 'syn-received' | 'connected' | 'closing' | 'closed'

/** What comes out of a connection. */
export interface ConnectionPort {
  /**
   * Sends a datagram to the other side. The bytes stay as they are until it is acknowledged or the connection ended.
   */
  transmit(bytes: Uint8Array): void
  /** Asks for turnEnd() at the end of this turn of the loop. */
  atTurnEnd(): void
  /** The other side is there and its address is proven. May call any method. */
  opened(): void
  /** Payload, valid only during the call. May call any method. */
  read(chunk: Uint8Array): void
  /** The end for the user, once: null in order, else what went wrong. The connection may go on to send its FIN. */
  ended(error: Error | null): void
}

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly family: 4 | 6
  readonly maxDatagramBytes?: number
  /** Ids of packets to and from the other side; they differ by one (BEP 29). */
  readonly sendId: number
  readonly receiveId: number
  /** A number by chance, 0 to 65,535. */
  readonly firstSeq: number
  readonly sendPool: PacketPool
  readonly receivePool: PacketPool
}

/** What a connection has found out about its line. */
export interface ConnectionMeasures {
  /** Congestion window, bytes. */
  readonly windowBytes: number
  /** Time our packets spend in queues, microseconds. */
  readonly delayMicros: number
  /** Bytes a datagram may have. */
  readonly packetBytes: number
  /** Smoothed round trip, milliseconds. */
  readonly rttMs: number
}

/** One uTP connection: its states, both its halves, and what it answers to packets. */
export class Connection implements ChunkReader {
  readonly sendId: number
  readonly receiveId: number
  readonly #send: SendHalf
  readonly #receive: ReceiveBuffer
  readonly #port: ConnectionPort
  #state: ConnectionState = 'closed'
  #deadlineMs = 0
  #paused = false
  #wrote = false
  #ackDue = false
  #gapAcks = 0
  #advertised = 0
  #lastSentMs = 0
  /** Delay of the other side's last packet by both clocks; goes back with every packet. */
  #reply = 0
  readonly #ours = new DelayHistory()
  readonly #theirs = new DelayHistory()

  constructor(options: ConnectionOptions, port: ConnectionPort) {
    this.sendId = options.sendId
    this.receiveId = options.receiveId
    this.#port = port
    this.#receive = new ReceiveBuffer(options.receivePool, this)
    this.#send = new SendHalf({
      family: options.family,
      ...(options.maxDatagramBytes === undefined ? {} : { maxDatagramBytes: options.maxDatagramBytes }),
      sendId: options.sendId,
      firstSeq: options.firstSeq,
      pool: options.sendPool,
      put: (packet, nowMs) => this.#put(packet, nowMs),
    })
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** Bytes written and not yet in packets. */
  get queuedBytes(): number {
    return this.#send.queue.bytes
  }

  /** True while time matters: something is under way. */
  get waits(): boolean {
    return this.#send.waits
  }

  /** Measures for tests and logs. */
  get measures(): ConnectionMeasures {
    const { congestion, mtu, rtt } = this.#send
    return {
      windowBytes: congestion.windowBytes,
      delayMicros: congestion.delayMicros,
      packetBytes: mtu.packetBytes,
      rttMs: rtt.smoothedMs,
    }
  }

  /** Callbacks of writes that are finished, each once. */
  takeSent(): (() => void)[] {
    return this.#send.queue.takeDone()
  }

  // --- the user

  /** Sends the SYN; fails when no answer came within `timeoutMs`. */
  connect(timeoutMs: number, nowMs: number): void {
    this.#state = 'syn-sent'
    this.#deadlineMs = nowMs + timeoutMs
    if (!this.#send.sendSyn(this.receiveId, nowMs)) this.#end(new Error('no memory for a packet'))
  }

  /** Answers a SYN. */
  accept(syn: UtpHeader, nowMs: number): void {
    this.#state = 'syn-received'
    this.#deadlineMs = nowMs + HALF_OPEN_MS
    this.#receive.ackNr = syn.seq
    this.#measure(syn, nowMs)
    this.#ackDue = true
    this.#port.atTurnEnd()
  }

  /** Queues bytes; `sent` comes out of takeSent() when they may be written to again. */
  write(bytes: Uint8Array, sent: (() => void) | undefined, nowMs: number): void {
    const { queue } = this.#send
    queue.add(bytes, sent)
    if (queue.bytes > MAX_QUEUED_BYTES) return this.#end(new Error('too many bytes wait for a peer'))
    // A small first write, the handshake, goes by itself: what comes in one packet with it Transmission 3.00 does not
    // read before another packet comes (decision 0280).
    const alone = !this.#wrote && bytes.length < FIRST_ALONE_BYTES
    if (this.#state === 'connected') this.#send.pump(nowMs, alone)
    this.#wrote = true
    this.#port.atTurnEnd()
  }

  /** Stops and restarts reading. */
  pause(paused: boolean): void {
    this.#paused = paused
    if (!paused) this.#port.atTurnEnd()
  }

  /** The user is gone: drops what no packet holds yet, and ends the stream after what does. */
  close(nowMs: number): void {
    if (this.#state === 'connected') this.#leave(nowMs)
    else if (this.#state === 'syn-received') this.abort(nowMs)
    else if (this.#state === 'syn-sent') this.#end(null)
  }

  /** Ends at once and tells the other side. */
  abort(nowMs: number): void {
    if (this.#state === 'closed') return
    if (this.#state !== 'syn-sent') this.#port.transmit(this.#resetPacket(nowMs))
    this.#end(null)
  }

  // --- ChunkReader

  get wants(): boolean {
    return !this.#paused
  }

  read(chunk: Uint8Array): void {
    this.#port.read(chunk)
  }

  // --- packets

  /** Takes a packet of the other side in; address and id were compared. `bytes` is valid only during the call. */
  receive(header: UtpHeader, bytes: Uint8Array, nowMs: number): void {
    if (this.#state === 'closed') return
    if (header.type === UTP_TYPE.reset) return this.#resetBy(header)
    if (header.type === UTP_TYPE.syn) return this.#synAgain(header)
    const opens = this.#state === 'syn-sent' || this.#state === 'syn-received'
    if (opens ? !this.#proves(header) : !this.#send.plausible(header.ack, ACK_SLACK)) return
    if (this.#state === 'syn-sent') this.#receive.ackNr = seqAdd(header.seq, -1)
    if (opens) {
      this.#state = 'connected'
      this.#send.ready = true
    }
    this.#send.heard()
    this.#measure(header, nowMs)
    this.#send.acknowledged(header, bytes, nowMs)
    this.#port.atTurnEnd()
    if (opens) this.#port.opened()
    this.#takePayload(header, bytes, nowMs)
  }

  /** The turn of the loop is over: reads on, sends what may be sent, and the acknowledgement no packet carried. */
  turnEnd(nowMs: number): void {
    if (this.#state === 'closed') return
    this.#gapAcks = 0
    if (this.#receive.unreadBytes > 0) {
      this.#receive.readOn()
      this.#endOfStream(nowMs)
    }
    if (this.#state === 'connected' || this.#state === 'closing') this.#send.pump(nowMs, true)
    if (this.#ackDue || this.#windowUpdateDue()) this.#sendState(nowMs)
    if (this.#state === 'closing' && this.#send.finished && this.#receive.finished) this.#end(null)
  }

  /** Time has passed; called some ten times a second. */
  tick(nowMs: number): void {
    if (this.#state === 'connected') this.#tickConnected(nowMs)
    else if (this.#state === 'closing') {
      if (nowMs >= this.#deadlineMs || !this.#send.tick(nowMs, MAX_FIN_TIMEOUTS)) this.#end(null)
    } else if (this.#state === 'syn-received') {
      if (nowMs >= this.#deadlineMs) this.#end(null)
    } else if (this.#state === 'syn-sent') {
      const goesOn = nowMs < this.#deadlineMs && this.#send.tick(nowMs, MAX_SYN_TIMEOUTS)
      if (!goesOn) this.#end(new Error('connect timed out'))
    }
  }

  #tickConnected(nowMs: number): void {
    if (!this.#send.tick(nowMs, MAX_TIMEOUTS)) this.#end(new Error('connection timed out'))
    else if (nowMs - this.#lastSentMs >= KEEP_ALIVE_MS) this.#sendState(nowMs)
  }

  /**
   * True when a packet shows that its sender got what we sent to this address: it knows the number of our SYN, or of
   * our answer to its own.
   */
  #proves(header: UtpHeader): boolean {
    if (this.#state === 'syn-sent' && header.type !== UTP_TYPE.state) return false
    return header.ack === seqAdd(this.#send.buffer.next, -1)
  }

  #resetBy(header: UtpHeader): void {
    const { buffer } = this.#send
    const ahead = seqDiff(header.ack, buffer.acked)
    if (this.#state === 'syn-sent') {
      if (ahead === 1) this.#end(new Error('connection refused'))
      return
    }
    if (ahead >= -RESET_SLACK && ahead <= buffer.span + 1) this.#end(new Error('connection reset by the peer'))
  }

  /** Our answer to a SYN got lost. */
  #synAgain(header: UtpHeader): void {
    if (this.#state !== 'syn-received' || header.seq !== this.#receive.ackNr) return
    this.#ackDue = true
    this.#port.atTurnEnd()
  }

  #takePayload(header: UtpHeader, bytes: Uint8Array, nowMs: number): void {
    const fin = header.type === UTP_TYPE.fin
    // The user may have ended the connection in opened().
    if ((!fin && header.type !== UTP_TYPE.data) || this.state === 'closed') return
    // Old packets too are answered: what we said about them may have been lost.
    this.#ackDue = true
    const ahead = this.#receive.aheadPackets
    this.#receive.push(header.seq, bytes.subarray(header.payloadAt), fin)
    // Told at once: who counts acknowledgements finds the gap sooner (RFC 5681).
    if (this.#receive.aheadPackets > ahead && this.#gapAcks++ < MAX_GAP_ACKS) this.#sendState(nowMs)
    this.#endOfStream(nowMs)
  }

  #endOfStream(nowMs: number): void {
    if (this.#state === 'connected' && this.#receive.finished) this.#leave(nowMs)
  }

  #measure(header: UtpHeader, nowMs: number): void {
    if (header.timestamp !== 0) {
      const reply = microsBetween(microsOf(nowMs), header.timestamp)
      // 0 would say that nothing is known.
      this.#reply = reply === 0 ? 1 : reply
      const before = this.#theirs.known ? this.#theirs.base : reply
      this.#theirs.add(reply, nowMs)
      // When their delays fall below all before, the clocks drift, and ours rise by as much.
      const fallen = microsBetween(before, this.#theirs.base)
      if (fallen > 0 && fallen < MAX_DRIFT_MICROS) this.#ours.raise(fallen)
    }
    if (header.difference !== 0 && header.difference !== NO_DELAY)
      this.#send.congestion.sample(this.#ours.add(header.difference, nowMs))
  }

  // --- sending

  #put(packet: Packet, nowMs: number): void {
    this.#stamp(packet.memory, nowMs)
    // Data packets name no packets beyond a gap: an acknowledgement of its own does.
    if (this.#receive.aheadPackets === 0) this.#ackDue = false
    this.#port.transmit(packet.bytes)
  }

  #stamp(bytes: Uint8Array, nowMs: number): void {
    this.#advertised = this.#receive.windowBytes
    this.#lastSentMs = nowMs
    stampUtp(bytes, microsOf(nowMs), this.#reply, this.#advertised, this.#receive.ackNr)
  }

  #sendState(nowMs: number): void {
    const sackBytes = this.#receive.sackBytes
    const bytes = Buffer.allocUnsafe(UTP_HEADER_BYTES + (sackBytes > 0 ? sackBytes + 2 : 0))
    const extension = sackBytes > 0 ? UTP_EXTENSION.selectiveAck : 0
    putUtpHead(bytes, UTP_TYPE.state, extension, this.sendId, this.#send.buffer.next)
    if (sackBytes > 0) this.#receive.writeSack(bytes, UTP_HEADER_BYTES, sackBytes)
    this.#stamp(bytes, nowMs)
    this.#ackDue = false
    this.#port.transmit(bytes)
  }

  #resetPacket(nowMs: number): Uint8Array {
    return encodeUtpPacket({
      type: UTP_TYPE.reset,
      connectionId: this.sendId,
      timestamp: microsOf(nowMs),
      difference: this.#reply,
      window: 0,
      seq: this.#send.buffer.next,
      ack: this.#receive.ackNr,
      extensions: [],
      payload: new Uint8Array(0),
    })
  }

  #windowUpdateDue(): boolean {
    if (this.#state !== 'connected') return false
    const grown = this.#receive.windowBytes - this.#advertised
    return grown >= WINDOW_STEP_BYTES || (this.#advertised < SHUT_WINDOW_BYTES && grown >= REOPENED_BYTES)
  }

  // --- ends

  /** The user has his end, the other side gets what is in packets and the FIN. */
  #leave(nowMs: number): void {
    this.#state = 'closing'
    this.#deadlineMs = nowMs + LINGER_MS
    this.#receive.clear()
    this.#send.finish()
    this.#port.atTurnEnd()
    this.#port.ended(null)
  }

  #end(error: Error | null): void {
    if (this.#state === 'closed') return
    const userGone = this.#state === 'closing'
    this.#state = 'closed'
    this.#ackDue = false
    this.#send.clear()
    this.#receive.clear()
    this.#port.atTurnEnd()
    if (!userGone) this.#port.ended(error)
  }
}
