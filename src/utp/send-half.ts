// The sending half of a connection: cuts what is written into packets, sends as much as both windows allow, finds out
// which packets were lost and sends them again. Knows no addresses and writes no acknowledgements of its own. A packet
// is lost when REORDER_LIMIT packets sent after it are acknowledged, or one sent a good while after it (so a repeated
// packet that is lost again is found too), after as many acknowledgements of the packet before it from a peer without
// selective ones, or when nothing came back in time. Before that the last packet is repeated once, whose
// acknowledgement tells what was lost: the end of a flight has nothing behind it that could (RFC 8985).

import { putUtpHead, UTP_EXTENSION, UTP_HEADER_BYTES, UTP_TYPE, type UtpHeader, type UtpType } from '../wire/net/utp.ts'
import { Ledbat } from './congestion.ts'
import { MtuSearch } from './mtu.ts'
import { padToProbe, stripPadding } from './mtu-probe.ts'
import type { Packet, PacketPool } from './packet-pool.ts'
import { RttEstimator } from './rtt.ts'
import { MAX_SPAN, SendBuffer } from './send-buffer.ts'
import { seqAdd, seqDiff } from './sequence.ts'
import { WriteQueue } from './write-queue.ts'

/** Packets that may overtake one before it counts as lost (BEP 29). */
export const REORDER_LIMIT = 3
/**
 * After a packet that was given up came nevertheless, packets may overtake others for this long: only time tells then.
 */
const REORDERING_MS = 10_000
/** Lost packets that are sent again at once in a turn although the window is full (libtorrent sends up to 5). */
const FAST_RESENDS = 4
/** Packets under way that are not full before the next such one waits for an answer (after Nagle and Minshall). */
const MAX_SMALL_PACKETS = 4
/** Bytes the other side is believed to take before it said anything. */
const FIRST_PEER_WINDOW_BYTES = 1500
/** Wait before a packet is sent into a closed window; doubles up to the longest (RFC 9293, 3.8.6.1). */
const FIRST_WINDOW_PROBE_MS = 1000
const MAX_WINDOW_PROBE_MS = 15_000
/**
 * Packets the congestion window must hold for a probe of the packet size: others around it tell its loss from chance.
 */
const PROBE_MIN_PACKETS = 3

/** What the sending half needs. */
export interface SendHalfOptions {
  readonly family: 4 | 6
  /** Most bytes of a datagram, where the path says so. */
  readonly maxDatagramBytes?: number
  /** Connection id of packets, except the SYN's. */
  readonly sendId: number
  readonly firstSeq: number
  readonly pool: PacketPool
  /** Sends a packet; writes times, window and acknowledgement into it first. Called again for the same packet. */
  put(packet: Packet, nowMs: number): void
}

/** What a connection sends: packets that are not acknowledged, when they are sent again, and how much may be out. */
export class SendHalf {
  readonly queue = new WriteQueue()
  readonly rtt = new RttEstimator()
  readonly congestion = new Ledbat()
  readonly mtu: MtuSearch
  readonly buffer: SendBuffer
  /** Set once the other side has answered: before that nothing but the SYN is sent. */
  ready = false
  readonly #options: SendHalfOptions
  #peerWindow = FIRST_PEER_WINDOW_BYTES
  /** A packet that has payload but no number yet: not full, or there is no room for it. */
  #tail: Packet | null = null
  #finWanted = false
  #finSent = false
  /** Number of the last sending, and of the newest sending that is known to have arrived. */
  #order = 0
  #arrivedOrder = 0
  /** The highest number that was acknowledged selectively. */
  #highestSacked: number
  /** Losses of packets before this one are of a window that was cut already. */
  #cutUntil: number
  #duplicates = 0
  #fastResends = 0
  /** When the newest sending that is known to have arrived was sent. */
  #arrivedSentMs = 0
  #timeoutAtMs = 0
  #timeouts = 0
  /** When the last packet is repeated if nothing comes back; infinite = not before something did. */
  #probeAtMs = Number.POSITIVE_INFINITY
  /** Until then packets are known to overtake others. */
  #reordersUntilMs = 0
  /** What was sent before this may have been answered by what was sent later: it says nothing about the round trip. */
  #waitedAtMs = 0
  #idleAtMs = 0
  /** When to send into a closed window; 0 = it is not closed. */
  #windowProbeAtMs = 0
  #windowProbeMs = FIRST_WINDOW_PROBE_MS
  // Of the acknowledgement that is being worked on.
  #ackedBytes = 0
  #ackedPackets = 0
  #rttMs = 0

  constructor(options: SendHalfOptions) {
    this.#options = options
    this.mtu = new MtuSearch(options.family, options.maxDatagramBytes)
    this.buffer = new SendBuffer(options.firstSeq)
    this.#highestSacked = this.buffer.acked
    this.#cutUntil = options.firstSeq
  }

  /** True while an answer is waited for. */
  get waits(): boolean {
    return this.buffer.inFlightPackets > 0
  }

  /** True once everything, the FIN too, is acknowledged. */
  get finished(): boolean {
    return this.#finSent && this.buffer.span === 0
  }

  /** Sends the SYN, which carries the id that answers are to carry. False: no memory. */
  sendSyn(receiveId: number, nowMs: number): boolean {
    const packet = this.#options.pool.take()
    if (packet === null) return false
    this.#send(packet, UTP_TYPE.syn, receiveId, nowMs)
    return true
  }

  /** After all that was written and copied comes the end. What waits in the queue is dropped. */
  finish(): void {
    this.queue.drop()
    this.#finWanted = true
  }

  /** The other side is there: it sent something that makes sense. */
  heard(): void {
    this.#timeouts = 0
  }

  /** True when an acknowledgement is about packets that were sent, and not older than `slack` packets. */
  plausible(ack: number, slack: number): boolean {
    const ahead = seqDiff(ack, this.buffer.acked)
    return ahead <= this.buffer.span && ahead >= -slack
  }

  /** Works an acknowledgement in. `bytes`: the packet, for its selective part. */
  acknowledged(header: UtpHeader, bytes: Uint8Array, nowMs: number): void {
    const { buffer } = this
    const ahead = seqDiff(header.ack, buffer.acked)
    if (ahead < 0) return
    const sameWindow = header.window === this.#peerWindow
    this.#peerWindow = header.window
    const inFlightBytes = buffer.inFlightBytes
    this.#ackedBytes = 0
    this.#ackedPackets = 0
    this.#rttMs = Number.POSITIVE_INFINITY
    while (buffer.acked !== header.ack) {
      buffer.acked = seqAdd(buffer.acked, 1)
      this.#arrived(buffer.remove(buffer.acked), nowMs)
    }
    if (header.sackBytes > 0) this.#selective(header, bytes, nowMs)
    else if (header.type === UTP_TYPE.state && ahead === 0 && sameWindow) this.#duplicate(nowMs)
    if (this.#ackedPackets === 0) return
    this.#progress(inFlightBytes, nowMs)
    this.#findLost(nowMs)
  }

  /** Sends what may be sent. `flush`: a packet that is not full too, where that is not one too many. */
  pump(nowMs: number, flush: boolean): void {
    this.#resendLost(nowMs)
    if (this.ready && this.buffer.lostPackets === 0) {
      let more = true
      while (more) more = this.#sendNext(nowMs, flush || this.#finWanted)
      this.#sendFin(nowMs)
    }
    this.#fastResends = 0
    this.#watchWindow(nowMs)
  }

  /** Time has passed. False: nothing came back more than `maxTimeouts` times in a row. */
  tick(nowMs: number, maxTimeouts: number): boolean {
    if (this.buffer.inFlightPackets > 0) {
      if (nowMs >= this.#timeoutAtMs) this.#timedOut(nowMs, maxTimeouts)
      else if (nowMs >= this.#probeAtMs) this.#probeTail(nowMs)
    } else if (this.#windowProbeAtMs > 0) {
      if (nowMs >= this.#windowProbeAtMs) this.#probeWindow(nowMs)
      // The pool may have been empty.
      else this.pump(nowMs, true)
    } else if (nowMs >= this.#idleAtMs) {
      this.congestion.idle(this.mtu.packetBytes)
      this.#idleAtMs = nowMs + this.rtt.timeoutMs
    }
    return this.#timeouts <= maxTimeouts
  }

  /** Gives everything up. All writes count as finished. */
  clear(): void {
    this.queue.drop()
    const { pool } = this.#options
    // A socket may still hold what was sent and not acknowledged.
    this.buffer.clear(packet => pool.drop(packet))
    if (this.#tail !== null) pool.give(this.#tail)
    this.#tail = null
    this.#windowProbeAtMs = 0
  }

  // --- acknowledgements

  #arrived(packet: Packet | null, nowMs: number): void {
    if (packet === null) return
    this.#ackedPackets += 1
    this.#ackedBytes += packet.payloadBytes
    // Of a repeated packet it is not known which copy arrived; the last one only if there was time for it.
    const once = packet.transmissions === 1
    const last = once || nowMs - packet.sentMs >= this.rtt.smoothedMs
    if (!once && nowMs - packet.sentMs < this.rtt.smoothedMs / 2) this.#reordersUntilMs = nowMs + REORDERING_MS
    if (last) this.#arrivedSentMs = Math.max(this.#arrivedSentMs, packet.sentMs)
    const order = once ? packet.order : packet.firstOrder
    if (order > this.#arrivedOrder) {
      this.#arrivedOrder = order
      if (once && packet.sentMs >= this.#waitedAtMs) this.#rttMs = nowMs - packet.sentMs
    }
    if (!once) return this.#options.pool.drop(packet)
    if (packet.probeBytes > 0) this.mtu.probeAcked(packet.probeBytes)
    this.#options.pool.give(packet)
  }

  #selective(header: UtpHeader, bytes: Uint8Array, nowMs: number): void {
    const { buffer } = this
    const bits = header.sackBytes * 8
    let seq = seqAdd(header.ack, 2)
    for (let bit = 0; bit < bits && seqDiff(seq, buffer.next) < 0; bit++, seq = seqAdd(seq, 1)) {
      if ((((bytes[header.sackAt + (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 0) continue
      this.#arrived(buffer.remove(seq), nowMs)
      if (seqDiff(seq, this.#highestSacked) > 0) this.#highestSacked = seq
    }
  }

  #duplicate(nowMs: number): void {
    if (this.buffer.span === 0) return
    this.#duplicates += 1
    if (this.#duplicates !== REORDER_LIMIT) return
    const first = this.buffer.at(seqAdd(this.buffer.acked, 1))
    if (first !== null && first.transmissions === 1) this.#lose(first, nowMs)
  }

  #progress(inFlightBytes: number, nowMs: number): void {
    this.#duplicates = 0
    this.rtt.progress()
    if (this.#rttMs !== Number.POSITIVE_INFINITY) this.rtt.sample(this.#rttMs)
    this.#armTimers(nowMs, this.buffer.inFlightPackets)
    this.congestion.acked(this.#ackedBytes, inFlightBytes, this.#rttMs * 1000, this.mtu.packetBytes)
    // So far back that comparing would go round the circle.
    if (seqDiff(this.#highestSacked, this.buffer.acked) < 0) this.#highestSacked = this.buffer.acked
    if (seqDiff(this.#cutUntil, this.buffer.acked) < 0) this.#cutUntil = this.buffer.acked
  }

  /** Few packets under way cannot be overtaken by many: then fewer will do (RFC 5827). */
  #findLost(nowMs: number): void {
    const { buffer } = this
    if (seqDiff(this.#highestSacked, buffer.acked) <= 0) return
    const overtaken = Math.min(REORDER_LIMIT, Math.max(1, buffer.inFlightPackets))
    const limit = nowMs < this.#reordersUntilMs ? 0 : this.#arrivedOrder - overtaken
    const lateMs = this.#arrivedSentMs - this.rtt.reorderMs
    for (let seq = seqAdd(buffer.acked, 1); seqDiff(seq, this.#highestSacked) < 0; seq = seqAdd(seq, 1)) {
      const packet = buffer.at(seq)
      if (packet?.inFlight && (packet.order <= limit || packet.sentMs < lateMs)) this.#lose(packet, nowMs)
    }
  }

  #lose(packet: Packet, nowMs: number): void {
    if (!packet.inFlight) return
    this.buffer.lose(packet)
    this.#fastResends = FAST_RESENDS
    // That a probe did not arrive says something about its size and nothing about the line.
    if (packet.probeBytes > 0) return this.mtu.probeLost()
    if (seqDiff(packet.seq, this.#cutUntil) < 0) return
    this.#cutUntil = this.buffer.next
    this.congestion.lost(nowMs, this.mtu.packetBytes)
  }

  // --- time

  /** Repeats the last packet under way. What its acknowledgement leaves out is lost. */
  #probeTail(nowMs: number): void {
    this.#probeAtMs = Number.POSITIVE_INFINITY
    const { buffer } = this
    let seq = seqAdd(buffer.next, -1)
    while (seq !== buffer.acked && buffer.at(seq)?.inFlight !== true) seq = seqAdd(seq, -1)
    const packet = buffer.at(seq)
    if (packet === null) return
    if (packet.probeBytes > 0) {
      stripPadding(packet)
      this.mtu.probeLost()
    }
    this.#waitedAtMs = nowMs
    this.#transmit(packet, nowMs)
  }

  #timedOut(nowMs: number, maxTimeouts: number): void {
    const { buffer } = this
    this.#waitedAtMs = nowMs
    const first = buffer.at(seqAdd(buffer.acked, 1))
    const onlyProbe = buffer.inFlightPackets === 1 && first?.inFlight === true && first.probeBytes > 0
    const hadBytes = buffer.inFlightBytes > 0
    for (let seq = seqAdd(buffer.acked, 1); seq !== buffer.next; seq = seqAdd(seq, 1)) {
      const packet = buffer.at(seq)
      if (packet === null || !packet.inFlight) continue
      buffer.lose(packet)
      if (packet.probeBytes > 0) this.mtu.probeLost()
    }
    if (!onlyProbe) {
      this.#timeouts += 1
      this.rtt.backOff()
      // A SYN or FIN that got lost says nothing about how much the line carries.
      if (hadBytes) this.congestion.timedOut(this.mtu.packetBytes)
      this.#cutUntil = buffer.next
    }
    this.#fastResends = 0
    if (this.#timeouts <= maxTimeouts) this.pump(nowMs, true)
  }

  /** Nothing is under way and something waits: the other side's window is closed (or the pool empty). */
  #watchWindow(nowMs: number): void {
    const waits = this.#tail !== null || this.queue.bytes > 0 || this.buffer.lostPackets > 0
    if (!waits || this.buffer.inFlightPackets > 0) {
      this.#windowProbeAtMs = 0
      this.#windowProbeMs = FIRST_WINDOW_PROBE_MS
    } else if (this.#windowProbeAtMs === 0) this.#windowProbeAtMs = nowMs + this.#windowProbeMs
  }

  /** Sends one packet that the window has no room for; it stays "lost", so that it goes again when there is room. */
  #probeWindow(nowMs: number): void {
    const { buffer } = this
    this.#windowProbeMs = Math.min(MAX_WINDOW_PROBE_MS, this.#windowProbeMs * 2)
    this.#windowProbeAtMs = nowMs + this.#windowProbeMs
    const lost = this.#firstLost()
    if (lost !== null) {
      this.#timeouts += 1
      stripPadding(lost)
      return this.#transmit(lost, nowMs)
    }
    const packet = this.#tail
    if (packet === null) return
    this.#timeouts += 1
    this.#tail = null
    this.#send(packet, UTP_TYPE.data, this.#options.sendId, nowMs)
    buffer.lose(packet)
  }

  #firstLost(): Packet | null {
    const { buffer } = this
    if (buffer.lostPackets === 0) return null
    for (let seq = seqAdd(buffer.acked, 1); seq !== buffer.next; seq = seqAdd(seq, 1)) {
      const packet = buffer.at(seq)
      if (packet !== null && !packet.inFlight) return packet
    }
    return null
  }

  // --- sending

  #resendLost(nowMs: number): void {
    const { buffer } = this
    for (let seq = seqAdd(buffer.acked, 1); buffer.lostPackets > 0 && seq !== buffer.next; seq = seqAdd(seq, 1)) {
      const packet = buffer.at(seq)
      if (packet === null || packet.inFlight) continue
      if (!this.#fits(packet.payloadBytes)) {
        if (this.#fastResends === 0 || buffer.inFlightPackets === 0) return
        this.#fastResends -= 1
      }
      stripPadding(packet)
      this.#armTimeout(nowMs)
      buffer.resent(packet)
      this.#transmit(packet, nowMs)
    }
  }

  /** Sends the next new packet if there is one and room for it. */
  #sendNext(nowMs: number, flush: boolean): boolean {
    const full = this.mtu.packetBytes - UTP_HEADER_BYTES
    const packet = this.#fillTail(full)
    if (packet === null) return false
    const small = packet.payloadBytes < full
    if (small && !(flush && this.buffer.smallPackets < MAX_SMALL_PACKETS)) return false
    if (this.buffer.span >= MAX_SPAN || !this.#fits(packet.payloadBytes)) return false
    this.#tail = null
    packet.small = small
    if (!small) this.#maybeProbe(packet, full)
    this.#send(packet, UTP_TYPE.data, this.#options.sendId, nowMs)
    return true
  }

  /** The packet that goes next, with as much payload as there is and `full` bytes at most; null when there is none. */
  #fillTail(full: number): Packet | null {
    if (this.#tail === null) {
      if (this.queue.bytes === 0) return null
      this.#tail = this.#options.pool.take()
      if (this.#tail === null) return null
      this.#tail.payloadAt = UTP_HEADER_BYTES
    }
    const packet = this.#tail
    const room = full - packet.payloadBytes
    if (room > 0 && this.queue.bytes > 0)
      packet.payloadBytes += this.queue.copyInto(packet.memory, UTP_HEADER_BYTES + packet.payloadBytes, room)
    return packet
  }

  #maybeProbe(packet: Packet, full: number): void {
    const { probeBytes, packetBytes } = this.mtu
    if (probeBytes === 0 || this.queue.bytes < 2 * full) return
    if (this.congestion.windowBytes < PROBE_MIN_PACKETS * packetBytes) return
    padToProbe(packet, probeBytes)
    if (packet.probeBytes > 0) this.mtu.probeSent()
  }

  #sendFin(nowMs: number): void {
    if (!this.#finWanted || this.#finSent || this.#tail !== null || this.buffer.span >= MAX_SPAN) return
    const packet = this.#options.pool.take()
    if (packet === null) return
    this.#finSent = true
    this.#send(packet, UTP_TYPE.fin, this.#options.sendId, nowMs)
  }

  #fits(bytes: number): boolean {
    const { inFlightBytes, inFlightPackets } = this.buffer
    if (inFlightPackets === 0) return bytes <= this.#peerWindow
    return inFlightBytes + bytes <= Math.min(this.congestion.windowBytes, this.#peerWindow)
  }

  #send(packet: Packet, type: UtpType, connectionId: number, nowMs: number): void {
    this.#armTimeout(nowMs)
    if (packet.payloadAt === 0) packet.payloadAt = UTP_HEADER_BYTES
    packet.cut(packet.payloadAt + packet.payloadBytes)
    this.buffer.push(packet)
    putUtpHead(packet.memory, type, packet.probeBytes > 0 ? UTP_EXTENSION.bits : 0, connectionId, packet.seq)
    this.#transmit(packet, nowMs)
  }

  /** The wait for an answer begins with the first packet that goes out. */
  #armTimeout(nowMs: number): void {
    const packets = this.buffer.inFlightPackets + 1
    if (packets === 1) this.#armTimers(nowMs, packets)
    // Counted from the last packet that is sent.
    else if (this.#probeAtMs !== Number.POSITIVE_INFINITY) this.#armProbe(nowMs, packets)
  }

  #armTimers(nowMs: number, packets: number): void {
    this.#timeoutAtMs = nowMs + this.rtt.timeoutMs
    this.#idleAtMs = this.#timeoutAtMs
    this.#armProbe(nowMs, packets)
  }

  #armProbe(nowMs: number, packets: number): void {
    // After a time-out everything is under way again.
    this.#probeAtMs = this.#timeouts > 0 ? Number.POSITIVE_INFINITY : nowMs + this.rtt.probeMs(packets)
  }

  #transmit(packet: Packet, nowMs: number): void {
    this.#order += 1
    packet.order = this.#order
    if (packet.transmissions === 0) packet.firstOrder = this.#order
    packet.transmissions += 1
    packet.sentMs = nowMs
    this.#options.put(packet, nowMs)
  }
}
