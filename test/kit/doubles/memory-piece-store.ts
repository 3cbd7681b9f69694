// Piece stores in memory, with faults to switch on: disk full, slow, files gone. One object is one disk.

import { AppError } from '../../../src/base/errors.ts'
import { pieceBytes } from '../../../src/base/lengths.ts'
import type { PieceRun } from '../../../src/base/piece-run.ts'
import { PieceHash } from '../../../src/pools/jobs/piece-hash.ts'
import type { StoreVolume } from '../../../src/ports/volumes.ts'
import type { Arena, Slot } from '../../../src/ports/arena.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type {
  FileChoice,
  FileFacts,
  PieceStore,
  PieceStores,
  PieceVerdict,
  Punched,
  ReceivedBlock,
  StorageMove,
  StoreLayout,
} from '../../../src/ports/piece-store.ts'
import { leavesOf } from '../../../src/wire/metainfo/merkle.ts'
import { fileOfPiece, pieceTree } from '../../../src/wire/metainfo/piece-layers.ts'

/** The mark of every file that a store in memory makes. */
export const MEMORY_MARK = 'in memory'

/** What goes wrong now. */
export interface DiskFaults {
  /** Writes fail with DiskFull. */
  full: boolean
  /** So many reads and writes fail with EIO. */
  failing: number
  /** Everything fails with FileMissing. */
  missing: boolean
  /** Bytes cannot be given back. */
  noHoles: boolean
  /** There is no room for the notes of a hole. */
  noRoom: boolean
  /** Files that have other names too. */
  readonly linked: Set<number>
  /** The same, seen only when the hole is made. */
  readonly linkedLate: Set<number>
  /** Every read and write takes this long. */
  delayMs: number
  /** Keys of torrents whose volume does not answer. */
  readonly stalled: Set<string>
}

/** The bytes of one torrent on the disk. */
export interface DiskContent {
  readonly bytes: Uint8Array
  /** 1 for every byte-holding piece that was written. */
  readonly written: Uint8Array
}

/** Counted calls. */
export interface DiskCounts {
  commits: number
  badHashes: number
  blockWrites: number
  verifies: number
  reads: number
  syncs: number
}

/** A disk in memory. Contents outlive the stores, as files outlive a session. */
export class MemoryPieceStores implements PieceStores {
  readonly faults: DiskFaults = {
    full: false,
    failing: 0,
    missing: false,
    noHoles: false,
    noRoom: false,
    linked: new Set(),
    linkedLate: new Set(),
    delayMs: 0,
    stalled: new Set(),
  }
  readonly counts: DiskCounts = { commits: 0, badHashes: 0, blockWrites: 0, verifies: 0, reads: 0, syncs: 0 }
  /** Pieces whose bytes were given back, in that order. */
  readonly punched: number[] = []
  /** Called before the bytes of pieces go. */
  beforePunch: (pieces: readonly number[]) => void = () => undefined
  /** Called before bytes are read: throws what a look at their file shows. */
  beforeRead: () => void = () => undefined
  /** Pieces that were made ready for. */
  readonly readied = new Set<number>()
  /** Of each piece that was committed, whether nobody waited for it. */
  readonly patient = new Map<number, boolean>()
  /** `key destination` and `key left folder`, oldest first. */
  readonly moves: string[] = []
  readonly #clock: Clock
  readonly #contents = new Map<string, DiskContent>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  open(layout: StoreLayout): PieceStore {
    return new MemoryPieceStore(this, layout)
  }

  look(layout: StoreLayout): Promise<FileFacts[]> {
    return this.open(layout).facts()
  }

  /** What is on the disk for `key`; undefined when nothing was ever written. */
  content(key: string): DiskContent | undefined {
    return this.#contents.get(key)
  }

  /** Puts a complete torrent on the disk (a seeder to be). */
  put(key: string, bytes: Uint8Array, pieceCount: number): void {
    this.#contents.set(key, { bytes: Uint8Array.from(bytes), written: new Uint8Array(pieceCount).fill(1) })
  }

  /** For stores only. */
  make(layout: StoreLayout): DiskContent {
    let content = this.#contents.get(layout.key)
    if (content === undefined) {
      content = { bytes: new Uint8Array(layout.totalLength), written: new Uint8Array(layout.pieceCount) }
      this.#contents.set(layout.key, content)
    }
    return content
  }

  /** For stores only. */
  drop(key: string): void {
    this.#contents.delete(key)
  }

  /** For stores only: the time the disk takes, and its faults. */
  async access(writing: boolean): Promise<void> {
    const { delayMs } = this.faults
    if (delayMs > 0) await new Promise<void>(resolve => this.#clock.after(delayMs, resolve))
    if (this.faults.failing > 0) {
      this.faults.failing -= 1
      throw new AppError('DiskError', 'The disk reported an error', {
        cause: Object.assign(new Error('EIO'), { code: 'EIO' }),
      })
    }
    if (this.faults.missing) throw new AppError('FileMissing')
    if (writing && this.faults.full) throw new AppError('DiskFull')
  }
}

class MemoryPieceStore implements PieceStore {
  readonly #disk: MemoryPieceStores
  readonly #layout: StoreLayout

  constructor(disk: MemoryPieceStores, layout: StoreLayout) {
    this.#disk = disk
    this.#layout = layout
  }

  async prepare(): Promise<void> {
    await this.#disk.access(false)
  }

  async facts(): Promise<FileFacts[]> {
    const content = this.#disk.content(this.#layout.key)
    return this.#layout.files.map(file => {
      const last = Math.floor((file.offset + Math.max(1, file.length) - 1) / this.#layout.pieceLength)
      const first = Math.floor(file.offset / this.#layout.pieceLength)
      const exists = !file.padding && (content?.written.subarray(first, last + 1).includes(1) ?? false)
      return { index: file.index, exists, sizeBytes: exists ? file.length : 0, mtimeMs: exists ? 1 : 0 }
    })
  }

  keptFacts(): Promise<FileFacts[]> {
    return this.facts()
  }

  // Nobody else changes what lies in memory.
  expect(): void {}

  accept(): void {}

  async unshared(indexes: readonly number[]): Promise<number[]> {
    return indexes.filter(index => !this.#disk.faults.linked.has(index))
  }

  makeReady(piece: number): Promise<void> | null {
    this.#disk.readied.add(piece)
    return null
  }

  async commit(piece: number, blocks: readonly ReceivedBlock[], patient = false): Promise<'ok' | 'bad-hash'> {
    this.#disk.patient.set(piece, patient)
    const bytes = new Uint8Array(pieceBytes(this.#layout, piece))
    for (const block of blocks) bytes.set(block.slot.bytes.subarray(0, block.length), block.begin)
    this.#disk.counts.commits++
    if (!this.#matches(piece, bytes)) {
      this.#disk.counts.badHashes++
      await this.#disk.access(false)
      return 'bad-hash'
    }
    await this.#disk.access(true)
    await this.#claim(piece)
    this.#write(piece, 0, bytes)
    return 'ok'
  }

  get volume(): StoreVolume {
    const stalled = this.#disk.faults.stalled.has(this.#layout.key)
    return {
      stalled,
      answers: !stalled,
      takesMore: !stalled,
      nextAnswer: () => Promise.resolve(),
      inTime: work => work,
    }
  }

  async writeBlocks(piece: number, blocks: readonly ReceivedBlock[]): Promise<void> {
    this.#disk.counts.blockWrites++
    const copies = blocks.map(block => ({ begin: block.begin, bytes: block.slot.bytes.slice(0, block.length) }))
    await this.#disk.access(true)
    await this.#claim(piece)
    for (const { begin, bytes } of copies) this.#write(piece, begin, bytes)
  }

  async check(first: number, count: number): Promise<readonly PieceVerdict[]> {
    const verdicts: PieceVerdict[] = []
    for (let piece = first; piece < first + count; piece++) verdicts.push(await this.verify(piece))
    return verdicts
  }

  async verify(piece: number): Promise<PieceVerdict> {
    this.#disk.counts.verifies++
    await this.#disk.access(false)
    const content = this.#disk.content(this.#layout.key)
    if (content?.written[piece] !== 1) return 'missing'
    const start = piece * this.#layout.pieceLength
    const bytes = content.bytes.subarray(start, start + pieceBytes(this.#layout, piece))
    return this.#matches(piece, bytes) ? 'ok' : 'bad-hash'
  }

  async read(offset: number, length: number, _arena: Arena, slot: Slot): Promise<number> {
    this.#disk.counts.reads++
    await this.#disk.access(false)
    this.#disk.beforeRead()
    const content = this.#disk.content(this.#layout.key)
    if (content === undefined) throw new AppError('FileMissing')
    // A piece that was taken away is where the file ends.
    const { pieceLength } = this.#layout
    const gone = content.written.indexOf(0, Math.floor(offset / pieceLength))
    const end = Math.min(offset + length, gone < 0 ? content.bytes.length : Math.max(offset, gone * pieceLength))
    const bytes = content.bytes.subarray(offset, end)
    slot.bytes.set(bytes)
    return bytes.length
  }

  async leaves(piece: number): Promise<Uint8Array | null> {
    const { v2, pieceLength } = this.#layout
    const file = v2 === null ? null : fileOfPiece(v2, piece)
    const content = this.#disk.content(this.#layout.key)
    if (file === null || content?.written[piece] !== 1) return null
    const start = piece * pieceLength
    const end = Math.min(start + pieceLength, file.firstPiece * pieceLength + file.length)
    return leavesOf(content.bytes.subarray(start, end))
  }

  async punch(runs: readonly PieceRun[], may: () => boolean): Promise<Punched> {
    await this.#disk.access(false)
    if (!may()) return { gone: [], kept: [], ended: 'told' }
    if (this.#disk.faults.noHoles) return { gone: [], kept: [], ended: 'unable' }
    if (this.#disk.faults.noRoom) return { gone: [], kept: [], ended: 'later' }
    const content = this.#disk.make(this.#layout)
    const { claims, files, pieceLength } = this.#layout
    await claims?.known()
    const mine = (index: number): boolean =>
      claims?.madeMark(index) === MEMORY_MARK && !this.#disk.faults.linkedLate.has(index)
    const kept = new Set(files.filter(({ index }) => !mine(index)).map(({ index }) => index))
    const isKept = (piece: number): boolean =>
      files.some(
        ({ index, offset, length }) =>
          kept.has(index) && offset < (piece + 1) * pieceLength && offset + length > piece * pieceLength,
      )
    const asked = runs.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i))
    const pieces = asked.filter(piece => !isKept(piece))
    const going = pieces.filter(piece => content.written[piece] === 1)
    this.#disk.beforePunch(going)
    this.#disk.punched.push(...going)
    for (const piece of pieces) {
      content.written[piece] = 0
      content.bytes.fill(0, piece * this.#layout.pieceLength, (piece + 1) * this.#layout.pieceLength)
    }
    return { gone: pieces.map(piece => ({ first: piece, count: 1 })), kept: [...kept], ended: null }
  }

  async sync(): Promise<void> {
    this.#disk.counts.syncs++
  }

  async close(): Promise<void> {}

  async move(move: StorageMove): Promise<void> {
    await this.#disk.access(true)
    if (move.signal.aborted) throw new AppError('Aborted')
    await move.commit()
    this.#disk.moves.push(`${this.#layout.key} ${move.destination}`)
  }

  async leave(folder: string): Promise<void> {
    this.#disk.moves.push(`${this.#layout.key} left ${folder}`)
  }

  async remove(keeps?: FileChoice): Promise<void> {
    const stay = this.#layout.files.some(({ index, length }) => keeps?.(index, length, MEMORY_MARK) === true)
    if (!stay) this.#disk.drop(this.#layout.key)
  }

  /** Files are noted as the torrent's own before they are written to. */
  async #claim(piece: number): Promise<void> {
    const { claims, files, pieceLength } = this.#layout
    if (claims === undefined) return
    await claims.known()
    const end = piece * pieceLength + pieceBytes(this.#layout, piece)
    const touched = files.filter(({ offset, length }) => offset < end && offset + length > piece * pieceLength)
    const content = this.#disk.content(this.#layout.key)
    for (const { index, offset, length } of touched) {
      const pieces = content?.written.subarray(
        Math.floor(offset / pieceLength),
        Math.ceil((offset + length) / pieceLength),
      )
      // Made where there was nothing: then no piece of it was written.
      if (pieces?.includes(1) === true || claims.isOwn(index)) await claims.note([index])
      else await claims.note([index], MEMORY_MARK)
    }
  }

  #write(piece: number, begin: number, bytes: Uint8Array): void {
    const content = this.#disk.make(this.#layout)
    content.bytes.set(bytes, piece * this.#layout.pieceLength + begin)
    content.written[piece] = 1
  }

  #matches(piece: number, bytes: Uint8Array): boolean {
    const { pieceHashes, pieceLength, v2 } = this.#layout
    const hash = new PieceHash(
      pieceHashes.subarray(piece * 20, piece * 20 + 20),
      v2 === null ? null : pieceTree(v2, pieceLength, piece),
    )
    hash.take(bytes)
    return hash.right()
  }
}
