// Progress journal and metadata chunks in memory: what they were told can be asked for.

import type { InfoHash } from '../../../src/base/ids.ts'
import type { MetadataChunks } from '../../../src/ports/metadata-chunks.ts'
import { type FileFacts, type FileMark, unfitFacts } from '../../../src/ports/piece-store.ts'
import type { FileRun, MadeFile, ProgressJournal, ResumeData } from '../../../src/ports/progress-journal.ts'

/** A journal that remembers. */
export class MemoryJournal implements ProgressJournal {
  readonly #verified = new Map<string, Set<number>>()
  readonly #checkpoints = new Map<string, { have: Uint8Array; files: readonly FileFacts[] }>()
  readonly #own = new Map<string, readonly FileRun[]>()
  readonly #made = new Map<string, Map<number, FileMark>>()
  resets = 0

  /** Pieces journalled for a torrent since its last checkpoint. */
  verified(infoHash: InfoHash): ReadonlySet<number> {
    return this.#verified.get(infoHash) ?? new Set()
  }

  /** What a new session would resume from. */
  resume(infoHash: InfoHash, pieceCount: number): ResumeData {
    const checkpoint = this.#checkpoints.get(infoHash)
    const have = Uint8Array.from(checkpoint?.have ?? new Uint8Array(Math.ceil(pieceCount / 8)))
    for (const piece of this.verified(infoHash)) have[piece >> 3] = (have[piece >> 3] ?? 0) | (0x80 >> (piece & 7))
    return { have, suspect: [], files: checkpoint?.files ?? [], newestMs: 0 }
  }

  async pieceVerified(infoHash: InfoHash, piece: number, _awaited: boolean): Promise<void> {
    const known = this.#verified.get(infoHash)
    if (known === undefined) this.#verified.set(infoHash, new Set([piece]))
    else known.add(piece)
  }

  async piecesDropped(infoHash: InfoHash, pieces: readonly number[]): Promise<void> {
    const checkpoint = this.#checkpoints.get(infoHash)
    for (const piece of pieces) {
      this.#verified.get(infoHash)?.delete(piece)
      if (checkpoint === undefined) continue
      checkpoint.have[piece >> 3] = (checkpoint.have[piece >> 3] ?? 0) & ~(0x80 >> (piece & 7))
    }
  }

  async checkpoint(infoHash: InfoHash, have: Uint8Array, files: readonly FileFacts[]): Promise<void> {
    this.#checkpoints.set(infoHash, { have: Uint8Array.from(have), files })
    this.#verified.delete(infoHash)
  }

  async doubt(infoHash: InfoHash, files: readonly number[]): Promise<void> {
    const { have = new Uint8Array(0), files: known = [] } = this.#checkpoints.get(infoHash) ?? {}
    const facts = [...known]
    for (const file of files) {
      facts[file] = unfitFacts(file)
      this.#made.get(infoHash)?.delete(file)
    }
    this.#checkpoints.set(infoHash, { have, files: facts })
  }

  async ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]> {
    return this.#own.get(infoHash) ?? []
  }

  async noteOwnFiles(infoHash: InfoHash, runs: readonly FileRun[]): Promise<void> {
    this.#own.set(infoHash, [...(this.#own.get(infoHash) ?? []), ...runs])
  }

  async madeFiles(infoHash: InfoHash): Promise<readonly MadeFile[]> {
    return [...(this.#made.get(infoHash) ?? [])]
  }

  async noteMadeFile(infoHash: InfoHash, file: number, mark: FileMark): Promise<void> {
    await this.noteOwnFiles(infoHash, [[file, file]])
    const known = this.#made.get(infoHash)
    if (known === undefined) this.#made.set(infoHash, new Map([[file, mark]]))
    else known.set(file, mark)
  }

  async keepMadeFiles(infoHash: InfoHash): Promise<void> {
    this.#made.delete(infoHash)
  }

  /** The download was removed. */
  forget(infoHash: InfoHash): void {
    for (const one of [this.#verified, this.#checkpoints, this.#own, this.#made]) one.delete(infoHash)
  }

  async reset(infoHash: InfoHash): Promise<void> {
    this.resets++
    this.#verified.delete(infoHash)
    this.#checkpoints.delete(infoHash)
  }
}

const CHUNK_BYTES = 16 * 1024

/** Info dictionaries in memory. */
export class MemoryMetadata implements MetadataChunks {
  readonly #parts = new Map<string, { total: number; chunks: Map<number, Uint8Array> }>()

  async begin(infoHash: InfoHash, totalBytes: number): Promise<void> {
    this.#parts.set(infoHash, { total: totalBytes, chunks: new Map() })
  }

  async put(infoHash: InfoHash, index: number, bytes: Uint8Array): Promise<void> {
    this.#parts.get(infoHash)?.chunks.set(index, Uint8Array.from(bytes))
  }

  async assemble(infoHash: InfoHash): Promise<Uint8Array> {
    const entry = this.#parts.get(infoHash)
    if (entry === undefined) throw new Error('no metadata was begun')
    const out = new Uint8Array(entry.total)
    for (const [index, bytes] of entry.chunks) out.set(bytes, index * CHUNK_BYTES)
    return out
  }

  async store(infoHash: InfoHash, infoBytes: Uint8Array): Promise<void> {
    const chunks = new Map<number, Uint8Array>()
    for (let at = 0; at < infoBytes.length; at += CHUNK_BYTES) {
      chunks.set(at / CHUNK_BYTES, infoBytes.slice(at, at + CHUNK_BYTES))
    }
    this.#parts.set(infoHash, { total: infoBytes.length, chunks })
  }

  async get(infoHash: InfoHash, index: number): Promise<Uint8Array | null> {
    return this.#parts.get(infoHash)?.chunks.get(index) ?? null
  }

  async remove(infoHash: InfoHash): Promise<void> {
    this.#parts.delete(infoHash)
  }

  async close(): Promise<void> {}
}
