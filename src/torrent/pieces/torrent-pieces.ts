// Pieces between their last block and the moment everybody may know of them: hash and write in the workers, journal,
// then the bit, `have` to peers and readers. Spills blocks to disk when the arena is clogged. A failed piece goes to
// smart ban. Invariant: `have` is set only after the journal said that the fact is durable; slots return when the store
// has settled.

import type { PieceVerdict, ReceivedBlock } from '../../ports/piece-store.ts'
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

/** Who sent each block of a piece; null: not known. */
type Senders = readonly (string | null)[]

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

  get heldSlots(): number {
    let slots = 0
    for (const buffer of this.#buffers.values()) if (!buffer.closing) slots += buffer.blocks.length
    return slots
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
    const blocks = buffer.takeBlocks()
    // Asked for now: the picker forgets them with the piece.
    const senders = content.picker.senders(buffer.piece)
    if (buffer.spilled) this.#track(this.#finish(content, buffer, blocks, senders, null))
    else this.#commit(content, buffer, blocks, senders)
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

  /** A piece that is right goes without the awaits of #finish: each of them costs, and most say nothing new. */
  #commit(content: TorrentContent, buffer: PieceBuffer, blocks: readonly ReceivedBlock[], senders: Senders): void {
    const committed = content.store.commit(buffer.piece, blocks, this.#isPatient(content, buffer.piece))
    const otherwise = (): Promise<void> => this.#finish(content, buffer, blocks, senders, committed)
    const judge = (verdict: PieceVerdict): Promise<void> => {
      if (verdict !== 'ok' || this.#evidence.wanted(buffer.piece, true)) return otherwise()
      this.#release(blocks)
      const told = this.#journal(buffer.piece).then(() => this.#tell(content, buffer, null))
      return told.catch((error: unknown) => this.#storeFailed(buffer, error))
    }
    this.#track(committed.then(judge, otherwise))
  }

  /** No reader waits for the piece, and it is none of the last ones. */
  #isPatient({ picker }: TorrentContent, piece: number): boolean {
    return picker.needCount > picker.openCount && !this.#core.readers.waitsFor(piece)
  }

  /** `committed`: a first try of the commit; null: the piece is on disk, or parts of it. */
  async #finish(
    content: TorrentContent,
    buffer: PieceBuffer,
    blocks: readonly ReceivedBlock[],
    senders: Senders,
    committed: Promise<PieceVerdict> | null,
  ): Promise<void> {
    const { piece } = buffer
    try {
      let passed: boolean
      let digests: string[] | null
      try {
        passed = (await this.#verdict(content, piece, blocks, committed)) === 'ok'
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

  async #verdict(
    content: TorrentContent,
    piece: number,
    blocks: readonly ReceivedBlock[],
    committed: Promise<PieceVerdict> | null,
  ): Promise<PieceVerdict> {
    if (committed !== null) {
      let first: Promise<PieceVerdict> | null = committed
      return this.#job(() => {
        const tried = first ?? content.store.commit(piece, blocks)
        first = null
        return tried
      })
    }
    if (blocks.length > 0) await this.#job(() => content.store.writeBlocks(piece, blocks))
    return this.#job(() => content.store.verify(piece))
  }

  async #passed(content: TorrentContent, buffer: PieceBuffer, digests: readonly string[] | null): Promise<void> {
    await this.#journal(buffer.piece)
    this.#tell(content, buffer, digests)
  }

  #journal(piece: number): Promise<void> {
    const { infoHash, engine, readers } = this.#core
    return engine.deps.journal.pieceVerified(infoHash, piece, readers.waitsFor(piece))
  }

  /** The piece is durable: everybody may know of it. */
  #tell(content: TorrentContent, buffer: PieceBuffer, digests: readonly string[] | null): void {
    const { piece } = buffer
    const { engine, smartBan } = this.#core
    engine.totals.piecesVerified += 1
    this.#remove(buffer)
    if (digests !== null) this.#reports.guilty(smartBan.piecePassed(piece, digests), 'sent bad data')
    content.picker.pieceDone(piece)
    this.#reports.pieceDone(piece)
  }

  #failed(content: TorrentContent, buffer: PieceBuffer, senders: Senders, digests: readonly string[] | null): void {
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
    work.then(
      () => this.#done(),
      (error: unknown) => {
        this.#core.engine.defect(error)
        this.#done()
      },
    )
  }

  #done(): void {
    this.#busy -= 1
    if (this.#busy === 0) for (const resolve of this.#waiters.splice(0)) resolve()
  }
}
