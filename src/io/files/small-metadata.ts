// Keeps small info dictionaries in memory while they arrive from peers, so that a magnet does not wait for the disk.
// Larger ones, and those that find no room, go to files. Invariant: what is held is bounded, by each and in all,
// however many strangers announce metadata.

import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { MetadataChunks } from '../../ports/metadata-chunks.ts'
import { METADATA_PIECE_BYTES } from '../../wire/peer/ut-metadata.ts'
import { chunkLength } from './metadata-chunk-files.ts'

/** Kept in memory up to this size: a torrent of 10,000 pieces has 200 KiB of hashes. */
const SMALL_BYTES = 256 * 1024
/** All that are arriving together. */
const MAX_HELD_BYTES = 4 * 1024 * 1024

interface Arriving {
  readonly bytes: Uint8Array
  readonly put: Set<number>
}

/** MetadataChunks in front of `files`. */
export class SmallMetadata implements MetadataChunks {
  readonly #files: MetadataChunks
  readonly #arriving = new Map<InfoHash, Arriving>()
  #held = 0

  constructor(files: MetadataChunks) {
    this.#files = files
  }

  /** Bytes held now. */
  get heldBytes(): number {
    return this.#held
  }

  async begin(infoHash: InfoHash, totalBytes: number): Promise<void> {
    this.#drop(infoHash)
    const small = Number.isInteger(totalBytes) && totalBytes > 0 && totalBytes <= SMALL_BYTES
    if (!small || this.#held + totalBytes > MAX_HELD_BYTES) return this.#files.begin(infoHash, totalBytes)
    this.#held += totalBytes
    this.#arriving.set(infoHash, { bytes: new Uint8Array(totalBytes), put: new Set() })
  }

  async put(infoHash: InfoHash, index: number, bytes: Uint8Array): Promise<void> {
    const arriving = this.#arriving.get(infoHash)
    if (arriving === undefined) return this.#files.put(infoHash, index, bytes)
    if (bytes.length === 0 || bytes.length !== chunkLength(arriving.bytes.length, index))
      throw new RangeError(`chunk ${index} has ${bytes.length} bytes`)
    arriving.bytes.set(bytes, index * METADATA_PIECE_BYTES)
    arriving.put.add(index)
  }

  async assemble(infoHash: InfoHash): Promise<Uint8Array> {
    const arriving = this.#arriving.get(infoHash)
    if (arriving === undefined) return this.#files.assemble(infoHash)
    const count = Math.ceil(arriving.bytes.length / METADATA_PIECE_BYTES)
    if (arriving.put.size < count)
      throw new AppError('MetadataNotFound', `${arriving.put.size} of ${count} pieces of the metadata are here.`)
    return arriving.bytes.slice()
  }

  store(infoHash: InfoHash, infoBytes: Uint8Array): Promise<void> {
    this.#drop(infoHash)
    return this.#files.store(infoHash, infoBytes)
  }

  get(infoHash: InfoHash, index: number): Promise<Uint8Array | null> {
    return this.#files.get(infoHash, index)
  }

  remove(infoHash: InfoHash): Promise<void> {
    this.#drop(infoHash)
    return this.#files.remove(infoHash)
  }

  close(): Promise<void> {
    this.#arriving.clear()
    this.#held = 0
    return this.#files.close()
  }

  #drop(infoHash: InfoHash): void {
    this.#held -= this.#arriving.get(infoHash)?.bytes.length ?? 0
    this.#arriving.delete(infoHash)
  }
}
