// Info dictionaries in <folder>/<info hash>, read and written in 16 KiB chunks by fs-chunk-store. One that is still
// arriving lies in <info hash>.part; store() writes <info hash>.new and renames it, so a file under the plain name is
// whole. Invariants: paths are made from info hashes alone; all work runs in order, one step at a time (it is small and
// rare, and so no file is closed under an operation); few files stay open.

import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type FSChunkStore from 'fs-chunk-store'
import { AppError } from '../../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { MetadataChunks } from '../../ports/metadata-chunks.ts'
import { MAX_METAINFO_BYTES } from '../../wire/metainfo/metainfo-length.ts'
import { METADATA_PIECE_BYTES } from '../../wire/peer/ut-metadata.ts'
import { diskError, errnoOf } from './disk-errors.ts'

/** Files open at a time. fs-chunk-store keeps its file open until it is closed. */
const MAX_OPEN = 16
/** A file that was not used this long is closed. */
const IDLE_MS = 30_000
/** Operations that may wait: as many as the largest metadata has pieces. */
const MAX_PENDING = 1024

/** One open file. */
interface OpenChunks {
  readonly file: FSChunkStore
  readonly totalBytes: number
  usedMs: number
}

/** MetadataChunks in files under `folder`, which belongs to this node alone. */
export class ChunkFileMetadata implements MetadataChunks {
  readonly #folder: string
  readonly #clock: Clock
  readonly #maxOpen: number
  /** By path, least recently used first. */
  readonly #open = new Map<string, OpenChunks>()
  /** Partial ones: length and chunks put; kept while their file is closed. */
  readonly #arriving = new Map<InfoHash, { readonly totalBytes: number; readonly put: Set<number> }>()
  #tail: Promise<unknown> = Promise.resolve()
  #pending = 0
  #idleTimer: Timer | null = null
  #closed = false

  constructor(options: { readonly folder: string; readonly maxOpen?: number }, deps: { readonly clock: Clock }) {
    this.#folder = options.folder
    this.#maxOpen = Math.max(1, options.maxOpen ?? MAX_OPEN)
    this.#clock = deps.clock
    this.#tail = this.#forgetLeftBehind().catch(() => undefined)
  }

  begin(infoHash: InfoHash, totalBytes: number): Promise<void> {
    if (!Number.isInteger(totalBytes) || totalBytes <= 0 || totalBytes > MAX_METAINFO_BYTES)
      return Promise.reject(new AppError('TorrentUnreadable', `Metadata of ${totalBytes} bytes is not accepted.`))
    return this.#inOrder(infoHash, async () => {
      await this.#dropPartial(infoHash)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      this.#arriving.set(infoHash, { totalBytes, put: new Set() })
    })
  }

  put(infoHash: InfoHash, index: number, bytes: Uint8Array): Promise<void> {
    // Copied now: the caller may use its memory again before the turn of this put has come.
    const copy = bytes.slice()
    return this.#inOrder(infoHash, async () => {
      const arriving = this.#arrivingOf(infoHash)
      if (copy.length !== chunkLength(arriving.totalBytes, index))
        throw new RangeError(`chunk ${index} has ${copy.length} bytes`)
      const chunks = await this.#use(`${this.#path(infoHash)}.part`, arriving.totalBytes)
      await putChunk(chunks.file, index, copy)
      arriving.put.add(index)
    })
  }

  assemble(infoHash: InfoHash): Promise<Uint8Array> {
    return this.#inOrder(infoHash, async () => {
      const { totalBytes, put } = this.#arrivingOf(infoHash)
      const count = Math.ceil(totalBytes / METADATA_PIECE_BYTES)
      if (put.size < count)
        throw new AppError('MetadataNotFound', `${put.size} of ${count} pieces of the metadata are here.`)
      const { file } = await this.#use(`${this.#path(infoHash)}.part`, totalBytes)
      const whole = new Uint8Array(totalBytes)
      for (let index = 0; index < count; index++) whole.set(await getChunk(file, index), index * METADATA_PIECE_BYTES)
      return whole
    })
  }

  store(infoHash: InfoHash, infoBytes: Uint8Array): Promise<void> {
    if (infoBytes.length === 0 || infoBytes.length > MAX_METAINFO_BYTES)
      return Promise.reject(new AppError('TorrentUnreadable', `Metadata of ${infoBytes.length} bytes is not accepted.`))
    return this.#inOrder(infoHash, async () => {
      const path = this.#path(infoHash)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await this.#shut(path)
      await rm(`${path}.new`, { force: true })
      const chunks = await this.#use(`${path}.new`, infoBytes.length)
      for (let at = 0; at < infoBytes.length; at += METADATA_PIECE_BYTES)
        await putChunk(chunks.file, at / METADATA_PIECE_BYTES, infoBytes.subarray(at, at + METADATA_PIECE_BYTES))
      await this.#shut(`${path}.new`)
      await rename(`${path}.new`, path)
      await this.#dropPartial(infoHash)
    })
  }

  get(infoHash: InfoHash, index: number): Promise<Uint8Array | null> {
    return this.#inOrder(infoHash, async () => {
      const path = this.#path(infoHash)
      const totalBytes = this.#open.get(path)?.totalBytes ?? (await sizeOf(path))
      if (totalBytes === null || totalBytes === 0 || chunkLength(totalBytes, index) === 0) return null
      const { file } = await this.#use(path, totalBytes)
      return getChunk(file, index)
    })
  }

  remove(infoHash: InfoHash): Promise<void> {
    return this.#inOrder(infoHash, async () => {
      const path = this.#path(infoHash)
      await this.#dropPartial(infoHash)
      await this.#shut(path)
      await rm(path, { force: true })
      await rm(`${path}.new`, { force: true })
    })
  }

  /** Waits for posted work, then closes every file. Later calls reject with Aborted. */
  async close(): Promise<void> {
    this.#closed = true
    this.#idleTimer?.cancel()
    await this.#tail
    for (const path of [...this.#open.keys()]) await this.#shut(path)
  }

  /** Files open now, for tests and debugging. */
  get openCount(): number {
    return this.#open.size
  }

  /** Runs `work` after all earlier work; errors of the disk become AppErrors. */
  async #inOrder<T>(infoHash: InfoHash, work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new AppError('Aborted')
    if (this.#pending >= MAX_PENDING) throw new AppError('PoolBusy', 'Too much metadata waits for the disk.')
    this.#pending++
    const done = this.#tail.then(work)
    this.#tail = done.catch(() => undefined)
    try {
      return await done
    } catch (error) {
      throw error instanceof RangeError ? error : diskError(error, this.#path(infoHash))
    } finally {
      this.#pending--
    }
  }

  /** What a killed process had not finished is not continued. */
  async #forgetLeftBehind(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (/^[0-9a-f]{40}\.(part|new)$/.test(name)) await rm(join(this.#folder, name), { force: true })
    }
  }

  #path(infoHash: InfoHash): string {
    const checked = parseInfoHash(infoHash)
    if (checked === null) throw new AppError('UnsafePath', 'This is not an info hash.')
    return join(this.#folder, checked)
  }

  #arrivingOf(infoHash: InfoHash): { readonly totalBytes: number; readonly put: Set<number> } {
    const arriving = this.#arriving.get(infoHash)
    if (arriving === undefined)
      throw new AppError('MetadataNotFound', 'No metadata is being assembled for this info hash.')
    return arriving
  }

  async #dropPartial(infoHash: InfoHash): Promise<void> {
    const path = `${this.#path(infoHash)}.part`
    this.#arriving.delete(infoHash)
    await this.#shut(path)
    await rm(path, { force: true })
  }

  /** The open file at `path`, opened when needed; older ones are closed to make room. */
  async #use(path: string, totalBytes: number): Promise<OpenChunks> {
    let chunks = this.#open.get(path)
    if (chunks === undefined) {
      // Loaded by the first magnet, not by the start.
      const { default: ChunkStore } = await import('fs-chunk-store')
      const file = new ChunkStore(METADATA_PIECE_BYTES, { path, length: totalBytes })
      chunks = { file, totalBytes, usedMs: 0 }
    }
    chunks.usedMs = this.#clock.now()
    this.#open.delete(path)
    this.#open.set(path, chunks)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= this.#maxOpen) break
      await this.#shut(oldest)
    }
    this.#idleTimer ??= this.#clock.after(IDLE_MS, () => this.#closeIdle())
    return chunks
  }

  #closeIdle(): void {
    this.#idleTimer = null
    this.#tail = this.#tail.then(async () => {
      const now = this.#clock.now()
      for (const [path, chunks] of [...this.#open]) if (now - chunks.usedMs >= IDLE_MS) await this.#shut(path)
      if (this.#open.size > 0 && !this.#closed) this.#idleTimer ??= this.#clock.after(IDLE_MS, () => this.#closeIdle())
    })
  }

  async #shut(path: string): Promise<void> {
    const chunks = this.#open.get(path)
    this.#open.delete(path)
    if (chunks !== undefined) await new Promise<void>(resolve => chunks.file.close(() => resolve()))
  }
}

/** Bytes of chunk `index` of a whole of `totalBytes`; 0 when there is no such chunk. */
export function chunkLength(totalBytes: number, index: number): number {
  if (!Number.isInteger(index) || index < 0) return 0
  return Math.max(0, Math.min(METADATA_PIECE_BYTES, totalBytes - index * METADATA_PIECE_BYTES))
}

function putChunk(file: FSChunkStore, index: number, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => file.put(index, bytes, error => (error ? reject(error) : resolve())))
}

function getChunk(file: FSChunkStore, index: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    file.get(index, (error, bytes) =>
      error || bytes === undefined ? reject(error ?? new Error('no bytes')) : resolve(bytes),
    )
  })
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const stats = await stat(path)
    return stats.isFile() ? stats.size : null
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}
