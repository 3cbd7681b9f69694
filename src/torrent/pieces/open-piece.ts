// One piece in progress: the state of each block and who was asked for it. Only bookkeeping, no choice, no bytes.
// A block goes free -> requested -> received; a refusal takes it back to free.
// Invariant: free + requested + received = blockCount; a requested block has at least one requester.

const FREE = 0
const REQUESTED = 1
const RECEIVED = 2

const NOBODY: readonly string[] = []

/** A peer that is to send a piece alone and was asked for nothing of it this long (it chokes us) loses that right. */
const IDLE_ONLY_MS = 5000

/** Block states of a piece that is being downloaded. Peers are named by their keys. */
export class OpenPiece {
  readonly piece: number
  readonly blockCount: number
  /** True when its received blocks lie on disk, unverified, and no longer in the arena. */
  spilled = false
  /** It failed before with blocks of several peers: now all of it comes from this one, so that it is clear who lies. */
  only: string | null = null
  #askedMs = Number.NEGATIVE_INFINITY
  readonly #state: Uint8Array
  /** First requester; once received, the sender. */
  readonly #peer: (string | null)[]
  readonly #more = new Map<number, string[]>()
  readonly #requestedAt: Float64Array
  readonly #fromSlow: Uint8Array
  #free: number
  #received = 0
  #hint = 0

  constructor(piece: number, blockCount: number) {
    this.piece = piece
    this.blockCount = blockCount
    this.#state = new Uint8Array(blockCount)
    this.#peer = Array.from<string | null>({ length: blockCount }).fill(null)
    this.#requestedAt = new Float64Array(blockCount)
    this.#fromSlow = new Uint8Array(blockCount)
    this.#free = blockCount
  }

  get free(): number {
    return this.#free
  }

  get received(): number {
    return this.#received
  }

  get requested(): number {
    return this.blockCount - this.#free - this.#received
  }

  get complete(): boolean {
    return this.#received === this.blockCount
  }

  /** Who sent each block; null where none was received. */
  senders(): (string | null)[] {
    return this.#peer.map((peer, block) => (this.#state[block] === RECEIVED ? peer : null))
  }

  isReceived(block: number): boolean {
    return this.#state[block] === RECEIVED
  }

  /** The first free block; -1 when there is none. */
  nextFree(): number {
    if (this.#free === 0) return -1
    while (this.#state[this.#hint] !== FREE) this.#hint++
    return this.#hint
  }

  /** Notes that `peer` was asked for `block`, alone or beside others; `slow`: it is known to be slow. */
  request(block: number, peer: string, nowMs: number, slow: boolean): void {
    if (this.#state[block] === FREE) {
      this.#state[block] = REQUESTED
      this.#peer[block] = peer
      this.#fromSlow[block] = slow ? 1 : 0
      this.#free--
    } else {
      const more = this.#more.get(block)
      if (more === undefined) this.#more.set(block, [peer])
      else more.push(peer)
      if (!slow) this.#fromSlow[block] = 0
    }
    this.#requestedAt[block] = nowMs
    this.#askedMs = nowMs
  }

  /** True when another peer alone is to send this piece, and is at it. */
  isClosedTo(peer: string, nowMs: number): boolean {
    if (this.only === null || this.only === peer) return false
    return this.requested > 0 || nowMs - this.#askedMs < IDLE_ONLY_MS
  }

  /** `peer` will not send `block`; true when the block is free now. */
  release(block: number, peer: string): boolean {
    if (this.#state[block] !== REQUESTED) return false
    const more = this.#more.get(block) ?? []
    const left = [this.#peer[block] ?? '', ...more].filter(key => key !== peer)
    const first = left[0]
    if (left.length > 1) this.#more.set(block, left.slice(1))
    else this.#more.delete(block)
    if (first !== undefined) {
      this.#peer[block] = first
      return false
    }
    this.#state[block] = FREE
    this.#peer[block] = null
    this.#free++
    this.#hint = Math.min(this.#hint, block)
    return true
  }

  /** `block` came from `peer`; answers the others that were asked for it too. Not for received blocks. */
  receive(block: number, peer: string): readonly string[] {
    const alone = this.#peer[block] === peer && (this.#more.size === 0 || !this.#more.has(block))
    const others = alone ? NOBODY : this.requesters(block).filter(key => key !== peer)
    if (this.#state[block] === FREE) this.#free--
    this.#state[block] = RECEIVED
    this.#peer[block] = peer
    if (!alone) this.#more.delete(block)
    this.#received++
    return others
  }

  /** True when `peer` is asked for `block` now. */
  isAsked(block: number, peer: string): boolean {
    if (this.#state[block] !== REQUESTED) return false
    return this.#peer[block] === peer || (this.#more.size > 0 && this.#more.get(block)?.includes(peer) === true)
  }

  /** Who is asked for `block` now. */
  requesters(block: number): readonly string[] {
    const first = this.#peer[block] ?? null
    if (this.#state[block] !== REQUESTED || first === null) return NOBODY
    return [first, ...(this.#more.get(block) ?? [])]
  }

  /**
   * True when `block` may be asked of `peer` although others were asked: it has fewer than `most` requesters, `peer` is
   * none of them, and the last request is older than `lateMs` or, when `peer` is `fast`, went to a slow one.
   */
  mayDuplicate(block: number, peer: string, most: number, nowMs: number, lateMs: number, fast: boolean): boolean {
    if (this.#state[block] !== REQUESTED) return false
    const late = nowMs - (this.#requestedAt[block] ?? 0) >= lateMs
    if (!late && !(fast && this.#fromSlow[block] === 1)) return false
    if (this.#peer[block] === peer) return false
    const more = this.#more.get(block)
    return more === undefined ? most > 1 : more.length + 1 < most && !more.includes(peer)
  }
}
