// The blocks one peer has asked us for: a bounded queue, read ahead in runs of neighbouring blocks, written with their
// heads, slots given back when the kernel has taken them. Does not decide who may ask: torrent-messages.ts does.
// Invariant: bytes read or being read for a peer and not yet sent stay under half a second of its rate, at most
// MAX_AHEAD_BYTES (or are one block).

import { AppError } from '../../base/errors.ts'
import type { Slot } from '../../ports/arena.ts'
import type { PieceStore } from '../../ports/piece-store.ts'
import { encodePieceHead, encodeReject, PIECE_HEAD_BYTES } from '../../wire/peer/messages.ts'
import type { PeerLink } from './peer-link.ts'
import type { RateLimiter } from '../../base/rate-limiter.ts'
import { readFramed, totalOf } from '../../wire/peer/framed-blocks.ts'
import { RequestQueue, type UploadRequest } from '../../base/request-queue.ts'
import type { UploadSlots, UploadWaiter } from './upload-slots.ts'

/**
 * Requests a peer may have queued here; told to it as `reqq` (BEP 10). Transmission fills its queue once a second, so
 * this bounds what it fetches from us a second: 250 made 4 MB/s, 2,000 make 32 MB/s, as libtorrent allows.
 */
export const UPLOAD_QUEUE = 2000
/** Longest block anybody asks for; BEP 3 knows 16 KiB, old clients went up to this. */
const MAX_REQUEST_BYTES = 128 * 1024
/** Read ahead for one peer: half a second of what it takes, within these bounds. A slow peer pins little memory. */
const MIN_AHEAD_BYTES = 32 * 1024
const MAX_AHEAD_BYTES = 1024 * 1024
const AHEAD_SEC = 0.5
/** A peer with no more than this read ahead is slow: it takes at most 128 KB/s, or nothing yet. */
const SLOW_AHEAD_BYTES = 64 * 1024

/** What the uploads of a peer need of its torrent. */
export interface UploadSource {
  readonly slots: UploadSlots
  readonly limiter: RateLimiter
  readonly pieceLength: number
  readonly store: PieceStore
  now(): number
  /** What the peer takes, bytes/s. */
  rate(): number
  /** Payload bytes went out. */
  uploaded(bytes: number): void
  /** Reading from the pieces `first` to `last` failed: the torrent's affair. */
  storeFailed(error: unknown, first: number, last: number): void
}

/** The upload side of one connection. */
export class PeerUploads implements UploadWaiter {
  readonly #link: PeerLink
  readonly #fast: boolean
  #source: UploadSource | null = null
  readonly #queue = new RequestQueue()
  #ahead = 0
  /** Of them those handed to the connection, which has not taken them. While there are any, nothing more is read. */
  #unsent = 0
  #aheadLimit = MIN_AHEAD_BYTES
  /** When the kernel last took a run, or the first one was handed to it; clock ms. */
  #movedMs = 0
  #closed = false

  constructor(link: PeerLink, fast: boolean) {
    this.#link = link
    this.#fast = fast
  }

  /** Requests that are queued. */
  get length(): number {
    return this.#queue.length
  }

  /** Blocks it asked for are still to be sent, or on their way to it. */
  get busy(): boolean {
    return this.#queue.length > 0 || this.#ahead > 0
  }

  /** Milliseconds since the peer last took something of what is on its way to it; 0 when nothing is. */
  stalledMs(nowMs: number): number {
    return this.#ahead === 0 ? 0 : nowMs - this.#movedMs
  }

  /** Largest request that can be served: a block is read into one slot. */
  get maxRequestBytes(): number {
    return Math.min(MAX_REQUEST_BYTES, this.#source?.slots.arena.slotBytes ?? 0)
  }

  /** Where the bytes come from; before that no request is accepted. */
  setSource(source: UploadSource): void {
    this.#source = source
  }

  /** Queues a request that was found allowed; false when the queue is full (the request is then rejected). */
  add(request: UploadRequest): boolean {
    if (this.#source === null || this.#queue.length >= UPLOAD_QUEUE) {
      this.reject(request)
      return false
    }
    this.#queue.push(request)
    return true
  }

  /** Tells the peer that a request is not answered (BEP 6); without the fast extension silence says it. */
  reject(request: UploadRequest): void {
    if (this.#fast) this.#link.send(encodeReject(request.piece, request.begin, request.length))
  }

  /** Takes a request back (BEP 3 cancel); with the fast extension it is still answered, by a reject. */
  cancel(request: UploadRequest): void {
    if (this.#queue.remove(request)) this.reject(request)
  }

  /** We choke: everything queued is dropped, except what `keep` wants (allowed fast pieces). */
  clear(keep: (request: UploadRequest) => boolean): void {
    for (const request of this.#queue.keepOnly(keep)) this.reject(request)
  }

  /** The connection is gone. */
  close(): void {
    this.#closed = true
    this.#queue.keepOnly(() => false)
    this.#source?.slots.forget(this)
  }

  /** Reads and sends as far as queue, memory and rate allow. Also called when any of them has changed. */
  uploadGoOn(): void {
    const source = this.#source
    if (source === null) return
    this.#aheadLimit = Math.min(MAX_AHEAD_BYTES, Math.max(MIN_AHEAD_BYTES, source.rate() * AHEAD_SEC))
    while (!this.#closed && this.#queue.length > 0 && this.#unsent === 0 && this.#ahead < this.#aheadLimit) {
      if (!source.slots.hasTurn(this)) return
      // Nothing is to wait in a slot for a disk that does not answer.
      if (source.store.volume?.answers === false) return source.slots.throttle(this)
      const run = this.#nextRun(source)
      if (run.length === 0) return source.slots.throttle(this)
      const slot = source.slots.lease(this)
      if (slot === null) {
        source.limiter.giveBack(totalOf(run))
        return
      }
      this.#serve(source, run, slot)
    }
  }

  /** Whether what goes out to this peer may be long on its way. */
  get #slow(): boolean {
    return this.#aheadLimit <= SLOW_AHEAD_BYTES
  }

  /** Sends what of a run lies in memory; reads it in the background when nothing does. */
  #serve(source: UploadSource, run: UploadRequest[], slot: Slot): void {
    const blocks = framedNow(source, run, slot)
    const served = blocks === 0 || blocks === run.length ? run : run.slice(0, blocks)
    if (served !== run) source.limiter.giveBack(totalOf(run) - totalOf(served))
    this.#queue.drop(served.length)
    if (blocks > 0) this.#sendFramed(source, served, slot)
    else this.#read(source, run, slot)
  }

  #sendFramed(source: UploadSource, run: readonly UploadRequest[], slot: Slot): void {
    const bytes = totalOf(run)
    const framed = bytes + run.length * PIECE_HEAD_BYTES
    source.slots.spendTurn(framed)
    if (this.#ahead === 0) this.#movedMs = source.now()
    this.#ahead += bytes
    this.#unsent += bytes
    const outgoing = source.slots.outgoing(slot, framed, this.#slow)
    const done = () => {
      outgoing.sent()
      this.#ahead -= bytes
      this.#unsent -= bytes
      this.#movedMs = source.now()
    }
    const taken = this.#link.sendNow(outgoing.bytes, () => {
      done()
      this.uploadGoOn()
    })
    if (taken) done()
    source.uploaded(bytes)
  }

  /**
   * Requests at the head of the queue that lie next to each other and, with heads, fit a slot and the rate, which is
   * taken.
   */
  #nextRun(source: UploadSource): UploadRequest[] {
    const run: UploadRequest[] = []
    const now = source.now()
    const room = Math.min(source.slots.arena.slotBytes, this.#aheadLimit - this.#ahead)
    let bytes = 0
    let expected = -1
    for (let at = 0; at < this.#queue.length; at++) {
      const request = this.#queue.at(at)
      const offset = request.piece * source.pieceLength + request.begin
      const fits = run.length === 0 || (offset === expected && bytes + PIECE_HEAD_BYTES + request.length <= room)
      if (!fits || !source.limiter.takeAll(now, request.length)) break
      run.push(request)
      bytes += PIECE_HEAD_BYTES + request.length
      expected = offset + request.length
    }
    return run
  }

  #read(source: UploadSource, run: UploadRequest[], slot: Slot): void {
    const first = run[0] as UploadRequest
    const bytes = totalOf(run)
    if (this.#ahead === 0) this.#movedMs = source.now()
    this.#ahead += bytes
    const done = () => {
      this.#ahead -= bytes
      this.#movedMs = source.now()
      this.uploadGoOn()
    }
    // What cannot be read now is refused; what that means for the torrent is not decided here.
    const giveUp = (error: unknown) => {
      source.slots.release(slot)
      for (const request of run) this.reject(request)
      if (!this.#closed) source.storeFailed(error, first.piece, run.at(-1)?.piece ?? first.piece)
      done()
    }
    source.store.read(first.piece * source.pieceLength + first.begin, bytes, source.slots.arena, slot).then(count => {
      if (count === bytes && !this.#closed) return this.#send(source, run, slot, done)
      giveUp(new AppError('DiskError', 'A file of the download became shorter.'))
    }, giveUp)
  }

  #send(source: UploadSource, run: UploadRequest[], slot: Slot, done: () => void): void {
    const { bytes, sent } = source.slots.outgoing(slot, totalOf(run), this.#slow)
    const allSent = () => {
      sent()
      done()
    }
    let at = 0
    this.#link.cork()
    for (const [index, request] of run.entries()) {
      const payload = bytes.subarray(at, at + request.length)
      const head = encodePieceHead(request.piece, request.begin, request.length)
      this.#link.sendBlock(head, payload, index === run.length - 1 ? allSent : undefined)
      at += request.length
    }
    this.#link.uncork()
    source.uploaded(at)
  }
}

/** See readFramed; from a torrent's store into a slot. */
function framedNow({ store, pieceLength }: UploadSource, run: readonly UploadRequest[], slot: Slot): number {
  const read = store.readPartsNow
  return read === undefined ? 0 : readFramed(read.bind(store), pieceLength, run, slot.bytes)
}
