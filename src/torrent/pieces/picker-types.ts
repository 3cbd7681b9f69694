// What goes in and out of the piece picker. Types only.

/** What a peer may be asked now. */
export interface PickOptions {
  readonly nowMs: number
  /**
   * Much slower than others of this torrent, or snubbed: it is kept away from pieces under a cursor and from endgame.
   */
  readonly slow: boolean
  /** How long it takes to answer what it is asked now, ms; absent: not known. */
  readonly takesMs?: number
  /** Non-null = the peer chokes us: only these pieces may be asked for (BEP 6 allowed fast). */
  readonly allowedFast: ReadonlySet<number> | null
  /** The arena is short: no new pieces but those under a cursor. */
  readonly onlyStarted: boolean
  /** Pieces the peer suggested (BEP 6), tried before the rarest. */
  readonly suggested?: ReadonlySet<number>
  /**
   * Absent = an answer is expected at once. A source of long runs says when their end is expected: no other is asked
   * for these blocks before that, and it has no part in the endgame.
   */
  readonly dueMs?: number
}

/** What became of a received block. */
export interface Receipt {
  /** False: this block is not waited for (the piece is done or given up, or the block came already). Drop its bytes. */
  readonly accepted: boolean
  /** The piece has all its blocks now: verify it, then call pieceDone or pieceFailed. */
  readonly complete: boolean
  /** Peers that were asked for the block too: send them `cancel`; the picker has released these requests. */
  readonly cancels: readonly string[]
}

/** Pieces a peer has told of. */
export type PeerHas = 'all' | 'none' | import('../../base/piece-set.ts').PieceSet
