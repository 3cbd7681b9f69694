// A torrent as its web seeds see it, with the real picker, budget, arena and limiter, on the virtual clock; the disk
// and the web servers are in memory. close() proves that nothing is left: no slot, no credit, no request, no timer.

import assert from 'node:assert/strict'
import type { Slot } from '../../../src/ports/arena.ts'
import type { PieceStore, ReceivedBlock } from '../../../src/ports/piece-store.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import { BlockBudget } from '../../../src/torrent/pieces/block-budget.ts'
import { HostGate } from '../../../src/torrent/web-seeds/host-gate.ts'
import type { BlockRequest } from '../../../src/base/block-request.ts'
import { PiecePicker } from '../../../src/torrent/pieces/piece-picker.ts'
import { fullPieceSet } from '../../../src/base/piece-set.ts'
import { RateLimiter } from '../../../src/base/rate-limiter.ts'
import { TurnEnd } from '../../../src/base/turn-end.ts'
import type { WebSeedContent, WebSeedHost } from '../../../src/torrent/web-seeds/web-seed-host.ts'
import { WebSeeds } from '../../../src/torrent/web-seeds/web-seeds.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import type { Metainfo } from '../../../src/wire/metainfo/torrent-types.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import { MemoryPieceStores } from '../doubles/memory-piece-store.ts'
import { MemoryRanges } from '../doubles/memory-ranges.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

/** How a rig is made. */
export interface RigOptions {
  readonly urls: readonly string[]
  /** Slots of the block arena; default 1024. */
  readonly slots?: number
  /** Bytes/s, 0 = none. */
  readonly rate?: number
}

/** A torrent with web seeds. */
export class WebSeedRig implements WebSeedHost {
  readonly clock = new VirtualClock()
  readonly http = new MemoryRanges(this.clock)
  readonly gate = new HostGate()
  readonly torrent: MadeTorrent
  readonly metainfo: Metainfo
  readonly arena: SharedArena
  readonly diskTakesMore = true
  readonly blockRoom = Number.POSITIVE_INFINITY
  readonly budget: BlockBudget
  readonly downLimiter: RateLimiter
  readonly content: WebSeedContent
  readonly picker: PiecePicker
  readonly disk: MemoryPieceStores
  readonly seeds: WebSeeds
  readonly failedPieces: number[] = []
  readonly strangers: string[] = []
  readers = false
  working = true
  counted = 0
  readonly #store: PieceStore
  readonly #buffers = new Map<number, ReceivedBlock[]>()
  readonly #turnEnd = new TurnEnd(error => this.defect(error))
  readonly #ticks: { cancel(): void }
  #committing = 0

  constructor(torrent: MadeTorrent, options: RigOptions) {
    const metainfo = decodeMetainfo(torrent.torrent)
    const { totalLength, pieceLength, pieceCount } = metainfo
    const lengths = { totalLength, pieceLength, pieceCount }
    this.torrent = torrent
    this.metainfo = metainfo
    this.arena = new SharedArena({ id: 'block', bytes: (options.slots ?? 1024) * 16_384 })
    this.budget = new BlockBudget(this.arena, 0, this.#turnEnd)
    this.downLimiter = new RateLimiter(options.rate ?? 0)
    this.picker = new PiecePicker(lengths, new SeededRandom(3), 1000)
    const wanted = fullPieceSet(pieceCount)
    this.picker.setWanted(wanted)
    this.content = { metainfo, lengths, picker: this.picker, wanted }
    this.disk = new MemoryPieceStores(this.clock)
    this.#store = this.disk.open({ key: metainfo.infoHash, destination: '/memory', ...metainfo })
    this.seeds = new WebSeeds(this, options.urls)
    this.#ticks = this.clock.every(1000, () => this.seeds.tick(this.clock.now()))
  }

  /** Puts every file of the torrent on the server below `base`, which ends with a slash. */
  serve(base: string, files = this.torrent.files): void {
    if (!this.metainfo.multiFile) return void this.http.files.set(`${base}${this.metainfo.name}`, this.torrent.content)
    for (const file of files) {
      const path = [this.metainfo.name, ...file.path.split('/')].map(encodeURIComponent).join('/')
      if (!file.padding) this.http.files.set(`${base}${path}`, file.content)
    }
  }

  get complete(): boolean {
    return this.picker.needCount === 0 && this.#committing === 0
  }

  /** Lets time pass until everything is there; the ms it took. */
  finish(limitMs = 600_000): Promise<number> {
    return this.clock.until('complete', () => this.complete, limitMs)
  }

  assertHolds(): void {
    const bytes = this.disk.content(this.metainfo.infoHash)?.bytes ?? new Uint8Array(0)
    assert.ok(Buffer.compare(bytes, this.torrent.content) === 0, 'the bytes on disk are not those of the torrent')
  }

  /** As if a peer had sent the block. */
  deliver(piece: number, block: number): void {
    const begin = block * 16_384
    const offset = piece * this.metainfo.pieceLength + begin
    const bytes = this.torrent.content.subarray(offset, Math.min(offset + 16_384, this.torrent.content.length))
    assert.ok(this.budget.take())
    const slot = this.budget.lease() as Slot
    slot.bytes.set(bytes)
    this.received('10.0.0.1:1>', { piece, block, begin, length: bytes.length }, slot)
  }

  /** Ends the test. */
  async close(): Promise<void> {
    this.seeds.stop()
    this.#ticks.cancel()
    await this.clock.advance(60_000)
    for (const blocks of this.#buffers.values()) for (const { slot } of blocks) this.budget.release(slot)
    this.#buffers.clear()
    assert.equal(this.budget.used, 0, 'credits or slots were not given back')
    assert.equal(this.arena.freeCount, this.arena.slotCount)
    assert.equal(this.gate.taken, 0)
    assert.equal(this.http.active, 0)
    assert.equal(this.clock.pending, 0, 'a timer was left')
  }

  // --- WebSeedHost

  get needsPieces(): boolean {
    return this.working && this.picker.needCount > 0
  }

  readersWait(): boolean {
    return this.readers
  }

  lease(_piece: number, _block: number): Slot | null {
    return this.budget.lease()
  }

  received(key: string, request: BlockRequest, slot: Slot): void {
    const receipt = this.picker.received(key, request.piece, request.block)
    if (!receipt.accepted) return this.budget.release(slot)
    const blocks = this.#buffers.get(request.piece) ?? []
    blocks.push({ begin: request.begin, length: request.length, slot })
    this.#buffers.set(request.piece, blocks)
    if (receipt.complete) this.#commit(request.piece, blocks).catch((error: unknown) => this.defect(error))
  }

  count(bytes: number): void {
    this.counted += bytes
  }

  shortage(): void {}

  refillSoon(): void {}

  defect(error: unknown): void {
    throw error
  }

  async #commit(piece: number, blocks: readonly ReceivedBlock[]): Promise<void> {
    const senders = this.picker.senders(piece).map(key => (key ?? '').slice(0, (key ?? '').lastIndexOf(':')))
    this.#buffers.delete(piece)
    this.#committing += 1
    const verdict = await this.#store.commit(piece, blocks)
    for (const { slot } of blocks) this.budget.release(slot)
    this.#committing -= 1
    if (verdict === 'ok') return this.picker.pieceDone(piece)
    this.failedPieces.push(piece)
    this.picker.pieceFailed(piece)
    const [sole, ...others] = new Set(senders)
    if (sole !== undefined && others.length === 0) this.strangers.push(...this.seeds.blame([sole]))
    else this.picker.fetchAlone(piece)
  }
}
