// How many requests one peer should have outstanding: rate x delay, so that its link never runs dry and yet a seek does
// not wait behind a long queue. One instance a connection; knows no clock and no requests, only numbers. States:
// slow-start (target doubles a round trip) -> steady (target follows rate x delay); snubbed overrides both with 1.
// Steady can still grow without bound but the hard one: while the line is not full, more requests mean more rate.

import { BLOCK_BYTES } from '../../base/lengths.ts'

/** Never fewer: with two, one request travels while the other is answered; four also covers uneven peers. */
const MIN_REQUESTS = 4
/**
 * The first requests to the first near peer of a torrent that is streamed: a piece of the usual MiB in one go, which
 * comes after five round trips when they double from four. Not to others: they may be slow, and many of them share the
 * piece then (decision 0535).
 */
const FIRST_NEAR_REQUESTS = 64
/** After this time a peer that was asked so keeps what its rate asks for, or the fewest. */
const FIRST_NEAR_MS = 3000
/**
 * Never more, whatever a peer's reqq says: 16 MiB under way. With half of it a seeder that gives 700 MB/s on a local
 * link runs dry between two turns of ours (decision 0121).
 */
const MAX_REQUESTS = 1000
/** What a peer without `reqq` (BEP 10) is asked for at most: the smallest queue common clients keep. */
const DEFAULT_PEER_QUEUE = 250
/** Requests queued at the peer beyond the round trip, as time: bulk transfers and while someone streams. */
const QUEUE_BULK_MS = 1000
const QUEUE_STREAM_MS = 150
/** Bandwidth x delay is asked for with this margin, so that a rate that grows can be seen. */
const MARGIN = 2
/** Requests are sent when this part of the target is free, not one by one: fewer messages for both sides. */
const REFILL_PART = 8
/** Rates are compared over windows of two latencies, within these bounds. */
const MIN_WINDOW_MS = 100
const MAX_WINDOW_MS = 5000
/** Slow start ends when a window brought less than this much more than the one before. */
const GROWTH = 1.1
/** No block for this long with requests outstanding: the peer is snubbing us. */
const SNUB_MS = 60_000
/** A request unanswered for this many latencies, within these bounds, is late and may be given to another peer. */
const TIMEOUT_LATENCIES = 8
const MIN_TIMEOUT_MS = 5000

/** Adapts the number of outstanding requests of one peer. */
export class RequestPipeline {
  readonly #near: boolean
  #limit = DEFAULT_PEER_QUEUE
  #target = MIN_REQUESTS
  #slowStart = true
  #queueMs = QUEUE_BULK_MS
  #minLatencyMs = Number.POSITIVE_INFINITY
  #latencyMs = 0
  #windowStartMs = -1
  #windowBytes = 0
  #windowBusy = false
  #outstanding = 0
  #lastRate = 0
  #measured = false
  #rate = 0
  #waitingSinceMs = -1
  #snubbed = false
  /** When it was asked for a whole piece, until that is judged; -1 = it was not. */
  #wholeSinceMs = -1

  /** `near`: the peer is on this machine or in a local network. */
  constructor(near = false) {
    this.#near = near
  }

  /** Requests that should be outstanding now: 1 while snubbed, else 4 to 1,000 and at most the peer's queue. */
  get target(): number {
    return this.#snubbed ? 1 : Math.min(this.#target, this.#limit)
  }

  /** How many requests to send when `outstanding` are unanswered: what the target lacks, or 0 while that is little. */
  room(outstanding: number): number {
    const room = this.target - outstanding
    const little = this.#queueMs === QUEUE_STREAM_MS ? 1 : this.target / REFILL_PART
    return room < Math.max(1, little) ? 0 : room
  }

  /** True when the peer has sent no block for 60 s although asked; cleared by a block. */
  get snubbed(): boolean {
    return this.#snubbed
  }

  /** Smoothed time from request to block, ms; 0 before the first block. */
  get latencyMs(): number {
    return this.#latencyMs
  }

  /** A rate has been measured: until then a peer is neither fast nor slow. */
  get measured(): boolean {
    return this.#measured
  }

  /** The last measured rate of blocks, bytes/s. */
  get rate(): number {
    return this.#rate
  }

  /** ms until one more request is answered, by the last rate, behind `outstanding` others; 0 = not known. */
  takesMs(outstanding: number): number {
    return this.#rate > 0 ? ((outstanding + 1) * BLOCK_BYTES * 1000) / this.#rate : 0
  }

  /** After this many ms an unanswered request is late: 5 to 60 s. */
  get timeoutMs(): number {
    if (this.#latencyMs === 0) return SNUB_MS
    return Math.min(SNUB_MS, Math.max(MIN_TIMEOUT_MS, this.#latencyMs * TIMEOUT_LATENCIES))
  }

  /** The peer's `reqq` of its extended handshake (BEP 10): requests above it would be dropped. */
  setPeerQueue(requests: number): void {
    this.#limit = Math.max(1, Math.min(MAX_REQUESTS, Math.floor(requests)))
  }

  /** Shorter queues while a reader is open, so that a seek is answered soon. */
  setStreaming(streaming: boolean): void {
    const queueMs = streaming ? QUEUE_STREAM_MS : QUEUE_BULK_MS
    if (queueMs === this.#queueMs) return
    this.#queueMs = queueMs
    if (streaming && this.#rate > 0) this.#target = Math.min(this.#target, this.#steadyTarget())
  }

  /** It is near, someone streams, and nothing is known of it yet: it can be asked for a whole piece. */
  get mayTakeWhole(): boolean {
    return this.#near && this.#queueMs === QUEUE_STREAM_MS && !this.#measured && !this.#snubbed
  }

  /** It is asked for a whole piece at once; see mayTakeWhole. */
  takeWhole(nowMs: number): void {
    this.#target = Math.max(this.#target, FIRST_NEAR_REQUESTS)
    this.#wholeSinceMs = nowMs
  }

  /** Once, 3 s after it was asked for a whole piece: what is outstanding beyond the target is to be taken back. */
  wholeIsOver(nowMs: number): boolean {
    if (this.#wholeSinceMs < 0 || nowMs - this.#wholeSinceMs < FIRST_NEAR_MS) return false
    this.#wholeSinceMs = -1
    if (this.#rate === 0) this.#target = MIN_REQUESTS
    return true
  }

  /** Requests went out; `outstanding` = how many are unanswered now. */
  requested(nowMs: number, outstanding: number): void {
    if (this.#waitingSinceMs < 0) this.#waitingSinceMs = nowMs
    if (this.#windowStartMs < 0) this.#openWindow(nowMs)
    this.#outstanding = outstanding
    if (outstanding >= this.target) this.#windowBusy = true
  }

  /** A block came that was requested at `requestedAtMs`; `outstanding` = requests still unanswered. */
  received(nowMs: number, bytes: number, requestedAtMs: number, outstanding: number): void {
    this.#snubbed = false
    this.#outstanding = outstanding
    this.#waitingSinceMs = outstanding > 0 ? nowMs : -1
    const latency = Math.max(1, nowMs - requestedAtMs)
    this.#minLatencyMs = Math.min(this.#minLatencyMs, latency)
    this.#latencyMs = this.#latencyMs === 0 ? latency : this.#latencyMs + (latency - this.#latencyMs) / 8
    this.#windowBytes += bytes
    if (this.#slowStart) this.#target = Math.min(MAX_REQUESTS, this.#target + 1)
    if (this.#windowStartMs < 0) this.#openWindow(nowMs)
    else if (nowMs - this.#windowStartMs >= this.#windowMs()) this.#closeWindow(nowMs)
  }

  /** The peer choked us, or all requests were taken back: nothing is awaited any more. */
  cleared(): void {
    this.#waitingSinceMs = -1
    this.#windowStartMs = -1
    this.#windowBusy = false
    this.#outstanding = 0
  }

  /** Call about once a second: true at the moment the peer turns out to be snubbing us. */
  tick(nowMs: number): boolean {
    if (this.#windowStartMs >= 0 && nowMs - this.#windowStartMs >= Math.max(1000, this.#windowMs())) {
      this.#closeWindow(nowMs)
    }
    if (this.#snubbed || this.#waitingSinceMs < 0 || nowMs - this.#waitingSinceMs < SNUB_MS) return false
    this.#snubbed = true
    this.#slowStart = true
    this.#target = MIN_REQUESTS
    return true
  }

  #windowMs(): number {
    return Math.max(MIN_WINDOW_MS, Math.min(MAX_WINDOW_MS, 2 * this.#latencyMs))
  }

  #openWindow(nowMs: number): void {
    this.#windowStartMs = nowMs
    this.#windowBytes = 0
    this.#windowBusy = this.#outstanding >= this.target
  }

  #closeWindow(nowMs: number): void {
    const rate = (this.#windowBytes * 1000) / (nowMs - this.#windowStartMs)
    // A window with few requests of ours (rate limit, choked, arena short) says nothing about the peer.
    const flat = this.#windowBusy && this.#lastRate > 0 && rate < this.#lastRate * GROWTH
    this.#lastRate = rate
    this.#measured = true
    this.#rate = this.#rate === 0 || this.#slowStart ? rate : this.#rate + (rate - this.#rate) / 2
    // More than rate x delay asks for already means that the queue grows, not the rate.
    if (flat || (rate > 0 && this.#target > this.#steadyTarget())) this.#slowStart = false
    if (!this.#slowStart) this.#target = this.#steadyTarget()
    this.#openWindow(nowMs)
  }

  #steadyTarget(): number {
    const delayMs = this.#minLatencyMs * MARGIN + this.#queueMs
    const requests = Math.ceil((this.#rate * delayMs) / 1000 / BLOCK_BYTES)
    return Math.max(MIN_REQUESTS, Math.min(MAX_REQUESTS, requests))
  }
}
