// Making the progress of one torrent durable: files first, then what the journal says of them. One after the other.

import { piecesOfRange } from '../../base/lengths.ts'
import { type FileFacts, unfitFacts } from '../../ports/piece-store.ts'
import { countBits, firstHad } from '../../base/piece-set.ts'
import type { TorrentCheck } from './torrent-check.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentPieces } from './torrent-pieces.ts'

/** They come this often while pieces come in. */
const INTERVAL_MS = 30_000

/** Checkpoints of one torrent. */
export class TorrentCheckpoints {
  readonly #core: TorrentCore
  readonly #check: TorrentCheck
  readonly #pieces: TorrentPieces
  #last: Promise<void> = Promise.resolve()
  #underWay = 0
  #countedMs = 0

  constructor(core: TorrentCore, check: TorrentCheck, pieces: TorrentPieces) {
    this.#core = core
    this.#check = check
    this.#pieces = pieces
  }

  /** None is under way. */
  get idle(): boolean {
    return this.#underWay === 0
  }

  /** The interval is counted from here. */
  begin(nowMs: number): void {
    this.#countedMs = nowMs
  }

  /** Something was written, and the interval is over: the next one begins. */
  isDue(nowMs: number): boolean {
    if (!this.#core.working || !this.#pieces.dirty || nowMs - this.#countedMs < INTERVAL_MS) return false
    this.#countedMs = nowMs
    return true
  }

  /**
   * Makes all progress durable, after those before. Rejects with what the store or the journal said, and with AppError
   * Aborted when `signal` fires while there is no piece yet: a look at 200,000 files is not waited for then.
   */
  save(signal?: AbortSignal): Promise<void> {
    return this.between(() => this.#save(signal))
  }

  /** Runs `step` after the checkpoints before; those that come later wait for it. Rejects with what it said. */
  between(step: () => Promise<void>): Promise<void> {
    this.#underWay += 1
    const next = this.settled().then(step)
    this.#last = next
    return next.finally(() => {
      this.#underWay -= 1
    })
  }

  /** Settles with the last one, whatever came of it. */
  settled(): Promise<void> {
    return this.#last.catch(() => undefined)
  }

  async #save(signal: AbortSignal | undefined): Promise<void> {
    const content = this.#core.content
    if (content === null) return
    this.#pieces.dirty = false
    try {
      // What is there before the flush begins is covered by it; what comes meanwhile stays in the journal.
      const have = Uint8Array.from(content.picker.have.buffer)
      await content.store.sync()
      const kept = await content.store.keptFacts(countBits(have) === 0 ? signal : undefined)
      const facts = content.doubted === null ? kept : withDoubts(kept, content)
      await this.#core.engine.deps.journal.checkpoint(this.#core.infoHash, have, facts)
      this.#check.remember(have, facts)
    } catch (error) {
      this.#pieces.dirty = true
      throw error
    }
  }
}

/** What a start must not trust although it is had: files in doubt get facts that no file fits. */
function withDoubts(facts: readonly FileFacts[], { doubted, lengths, metainfo }: TorrentContent): FileFacts[] {
  return facts.map(fact => {
    const { offset = 0, length = 0 } = metainfo.files[fact.index] ?? {}
    if (doubted === null || !fact.exists || length === 0) return fact
    const [first, last] = piecesOfRange(lengths, offset, length)
    return firstHad(doubted, first, last) > last ? fact : unfitFacts(fact.index)
  })
}
