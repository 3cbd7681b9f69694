// Finds the peer that sent the bad block of a piece that failed its hash: senders and a digest of each block are
// remembered, and compared when the piece passes later. Hashes nothing itself. Invariant: memory bounded in block
// records.

/**
 * A block of a piece as it came in: who sent it, and a digest of its bytes (any text that differs when bytes differ).
 */
export interface BlockEvidence {
  readonly block: number
  /** Address of the sender: what gets banned. */
  readonly ip: string
  readonly digest: string
}

/** Most block records over all failed pieces (about 100 bytes each). */
const MAX_RECORDS = 65_536

/** Evidence on failed pieces. */
export class SmartBan {
  readonly #failed = new Map<number, BlockEvidence[]>()
  #records = 0

  /** Number of block records kept. */
  get records(): number {
    return this.#records
  }

  /** True when the piece failed before: then piecePassed wants its digests. */
  isSuspect(piece: number): boolean {
    return this.#failed.has(piece)
  }

  /**
   * A piece failed its hash. `blocks` = all its blocks; answers the addresses that are guilty without further proof:
   * the sole sender. Otherwise the evidence is kept for piecePassed.
   */
  pieceFailed(piece: number, blocks: readonly BlockEvidence[]): string[] {
    const first = blocks[0]
    if (first === undefined) return []
    if (blocks.every(entry => entry.ip === first.ip)) return [first.ip]
    const kept = this.#failed.get(piece) ?? []
    const known = new Set(kept.map(recordKey))
    for (const entry of blocks) {
      if (known.has(recordKey(entry)) || kept.length >= MAX_RECORDS / 4) continue
      kept.push(entry)
      this.#records++
    }
    this.#failed.delete(piece)
    this.#failed.set(piece, kept)
    this.#bound()
    return []
  }

  /** A piece passed. `digests[block]` of the right bytes; answers the addresses that had sent different ones. */
  piecePassed(piece: number, digests: readonly string[]): string[] {
    const kept = this.#failed.get(piece)
    if (kept === undefined) return []
    this.#drop(piece, kept)
    const guilty = new Set<string>()
    for (const entry of kept) {
      const right = digests[entry.block]
      if (right !== undefined && right !== entry.digest) guilty.add(entry.ip)
    }
    return [...guilty]
  }

  /** Forgets all evidence (recheck, removal). */
  clear(): void {
    this.#failed.clear()
    this.#records = 0
  }

  #bound(): void {
    while (this.#records > MAX_RECORDS) {
      const oldest = this.#failed.entries().next()
      if (oldest.done) return
      this.#drop(oldest.value[0], oldest.value[1])
    }
  }

  #drop(piece: number, kept: readonly BlockEvidence[]): void {
    this.#failed.delete(piece)
    this.#records -= kept.length
  }
}

function recordKey(entry: BlockEvidence): string {
  return `${entry.block} ${entry.ip} ${entry.digest}`
}
