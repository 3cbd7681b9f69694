// Pieces between their last block and the moment everybody may know of them: hash and write in the workers, journal,
// then the bit, `have` to peers and readers. Spills blocks to disk when the arena is clogged. A failed piece goes to
// smart ban. Invariant: `have` is set only after the journal said that the fact is durable; slots return when the store
// has settled.

import type { ReceivedBlock } from '../../ports/piece-store.ts'
import { retryWhileBusy } from './busy-pool.ts'
import { ipOfKey } from '../peers/peer-session.ts'
import type { PartReports } from '../part-reports.ts'
import { PieceBuffer } from './piece-buffer.ts'
import { PieceEvidence } from './piece-evidence.ts'
import type { HeldPiece, SlotHolder } from './slot-holders.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentHashes } from './torrent-hashes.ts'

/** Attempts of one job: a pool that stays full this long is a fault. */
const MAX_ATTEMPTS = 200

/** Parts that its outcome concerns at once. */
export interface PieceParts {
  readonly hashes: TorrentHashes
  readonly requests: TorrentRequests
}

/** The pieces in progress of one torrent. */
export class TorrentPieces implements SlotHolder {
  readonly #core: TorrentCore
  readonly #parts: PieceParts
  readonly #reports: Pick<PartReports, 'pieceDone' | 'storeFailed' | 'guilty'>
  readonly #buffers = new Map<number, PieceBuffer>()
  readonly #evidence: PieceEvidence
  readonly #waiters: (() => void)[] = []
  #busy = 0
  /** Something was written since the last checkpoint. */
  dirty = false

  constructor(
    core: TorrentCore,
    parts: PieceParts,
    reports: Pick<PartReports, 'pieceDone' | 'storeFailed' | 'guilty'>,
  ) {
    this.#core = core
    this.#parts = parts
    this.#reports = reports
    this.#evidence = new PieceEvidence(core)
  }

  /** The buffer of `piece`, made when it is not there. */
  buffer(piece: number): PieceBuffer {
    let buffer = this.#buffers.get(piece)
    if (buffer === undefined) {
      buffer = new PieceBuffer(piece)
      if (this.#buffers.size === 0) this.#core.engine.shared.holders.add(this)
      this.#buffers.set(piece, buffer)
    }
    return buffer
  }

  /** The block of `piece` that came first of those in memory. */
  firstBlock(piece: number): ReceivedBlock | undefined {
    return this.#buffers.get(piece)?.blocks[0]
  }

  *heldPieces(): Iterable<HeldPiece> {
    for (const buffer of this.#buffers.values()) {
      if (buffer.closing || buffer.blocks.length === 0) continue
      yield { heldSlots: buffer.blocks.length, lastBlockMs: buffer.lastBlockMs, spill: () => this.spill(buffer) }
    }
  }

  /** Writes the blocks of an unfinished piece to disk and gives their slots back. */
  spill(buffer: PieceBuffer): void {
    const content = this.#core.content
    const blocks = buffer.takeBlocks()
    if (content === null || blocks.length === 0) return this.#release(blocks)
    buffer.spilled = true
    this.dirty = true
    content.picker.setSpilled(buffer.piece)
    this.#track(this.#spill(content, buffer, blocks))
  }

  /** All blocks of the piece are here: verify, write, journal. */
  finish(buffer: PieceBuffer): void {
    const content = this.#core.content
    if (content === null) return
    buffer.closing = true
    this.dirty = true
    this.#track(this.#finish(content, buffer, buffer.takeBlocks()))
  }

  /** Gives up what is not being written: the pieces are not wanted any more, or the torrent is suspended. */
  drop(pieces: Iterable<number>): void {
    for (const piece of pieces) {
      const buffer = this.#buffers.get(piece)
      if (buffer === undefined || buffer.closing) continue
      this.#release(buffer.takeBlocks())
      this.#remove(buffer)
    }
  }

  /** Gives up all unfinished pieces, in the picker too. */
  dropAll(): void {
    const open = [...this.#buffers.values()].filter(buffer => !buffer.closing)
    this.drop(open.map(buffer => buffer.piece))
    for (const buffer of open) this.#core.content?.picker.pieceFailed(buffer.piece)
  }

  /** Other work on the files that settled() is to wait for. A rejection is a defect. */
  watch(work: Promise<void>): void {
    this.#track(work)
  }

  /** Settles when nothing is being verified or written any more. */
  settled(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve()
    return new Promise(resolve => this.#waiters.push(resolve))
  }

  async #spill(content: TorrentContent, buffer: PieceBuffer, blocks: readonly ReceivedBlock[]): Promise<void> {
    try {
      await this.#job(() => content.store.writeBlocks(buffer.piece, blocks))
    } catch (error) {
      this.#storeFailed(buffer, error)
    } finally {
      this.#release(blocks)
    }
  }

  async #finish(content: TorrentContent, buffer: PieceBuffer, blocks: readonly ReceivedBlock[]): Promise<void> {
    const { piece } = buffer
    // Asked for now: the picker forgets them with the piece.
    const senders = content.picker.senders(piece)
    try {
      let passed: boolean
      let digests: string[] | null
      try {
        passed = await this.#verdict(content, buffer, blocks)
        digests = await this.#evidence.digests(piece, passed, buffer.spilled ? null : blocks)
      } finally {
        this.#release(blocks)
      }
      if (passed) await this.#passed(content, buffer, digests)
      else this.#failed(content, buffer, senders, digests)
    } catch (error) {
      this.#storeFailed(buffer, error)
    }
  }

  async #verdict(content: TorrentContent, buffer: PieceBuffer, blocks: readonly ReceivedBlock[]): Promise<boolean> {
    const { piece, spilled } = buffer
    if (!spilled) return (await this.#job(() => content.store.commit(piece, blocks))) === 'ok'
    if (blocks.length > 0) await this.#job(() => content.store.writeBlocks(piece, blocks))
    return (await this.#job(() => content.store.verify(piece))) === 'ok'
  }

  async #passed(content: TorrentContent, buffer: PieceBuffer, digests: readonly string[] | null): Promise<void> {
    const { piece } = buffer
    const { infoHash, engine, smartBan, readers } = this.#core
    await engine.deps.journal.pieceVerified(infoHash, piece, readers.waitsFor(piece))
    engine.totals.piecesVerified += 1
    this.#remove(buffer)
    if (digests !== null) this.#reports.guilty(smartBan.piecePassed(piece, digests), 'sent bad data')
    content.picker.pieceDone(piece)
    this.#reports.pieceDone(piece)
  }

  #failed(
    content: TorrentContent,
    buffer: PieceBuffer,
    senders: readonly (string | null)[],
    digests: readonly string[] | null,
  ): void {
    this.#core.engine.totals.piecesFailed += 1
    this.#remove(buffer)
    content.picker.pieceFailed(buffer.piece)
    const evidence = senders.flatMap((key, block) =>
      key === null ? [] : [{ block, ip: ipOfKey(key), digest: digests?.[block] ?? '' }],
    )
    const guilty = this.#core.smartBan.pieceFailed(buffer.piece, evidence)
    if (guilty.length === 0) content.picker.fetchAlone(buffer.piece)
    this.#reports.guilty(guilty, 'sent bad data')
    this.#parts.hashes.pieceFailed(buffer.piece)
    this.#parts.requests.refillSoon()
  }

  #storeFailed(buffer: PieceBuffer, error: unknown): void {
    this.#release(buffer.takeBlocks())
    // A piece can fail twice: in a spill, and in the write that ends it.
    if (!this.#remove(buffer)) return
    this.#core.content?.picker.pieceFailed(buffer.piece)
    this.#reports.storeFailed(error)
  }

  /** Runs a job of the store; a full pool or a lost worker is tried again after a while. */
  #job<T>(run: () => Promise<T>): Promise<T> {
    return retryWhileBusy(this.#core.engine.clock, run, { maxAttempts: MAX_ATTEMPTS })
  }

  #remove(buffer: PieceBuffer): boolean {
    if (this.#buffers.get(buffer.piece) !== buffer) return false
    this.#buffers.delete(buffer.piece)
    if (this.#buffers.size === 0) this.#core.engine.shared.holders.remove(this)
    return true
  }

  #release(blocks: readonly ReceivedBlock[]): void {
    for (const block of blocks) this.#core.engine.shared.budget.release(block.slot)
  }

  #track(work: Promise<void>): void {
    this.#busy += 1
    const done = () => {
      this.#busy -= 1
      if (this.#busy === 0) for (const resolve of this.#waiters.splice(0)) resolve()
    }
    work.then(done, (error: unknown) => {
      this.#core.engine.defect(error)
      done()
    })
  }
}
