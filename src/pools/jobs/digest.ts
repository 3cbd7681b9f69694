// Job pieces.digest: the hashes of neighbouring pieces that are to become a torrent, as they are on disk. SHA-1 is over
// whole pieces, padding too; a tree (BEP 52) is over a piece's bytes without padding. Reads in chunks through one
// buffer a thread.

import { createHash, type Hash } from 'node:crypto'
import { readSync } from 'node:fs'
import { LeafHasher } from '../../wire/metainfo/leaf-hasher.ts'
import { HASH_CHUNK_BYTES } from '../contract/limits.ts'
import type { DigestReply, DigestRequest, Span } from '../contract/jobs.ts'
import type { NativeHash } from './native-hash.ts'
import { JobFailure, onDescriptor } from './failure.ts'
import { digestsSideBySide } from './pieces-side-by-side.ts'
import { takeZeroes } from './segments.ts'

const SHA1_BYTES = 20
const ROOT_BYTES = 32

let chunk: Uint8Array | null = null

/**
 * Runs the job. `sha`: null = by node:crypto. Throws JobFailure with the errno of a failed read or `SHORT` (a file ends
 * before its span does), RangeError when spans and pieces do not agree.
 */
export function digestPieces(request: DigestRequest, sha: NativeHash | null = null): DigestReply {
  const bytes = request.spans.reduce((sum, { length }) => sum + length, 0)
  if (sha?.pays(Math.ceil(bytes / request.pieceLength)) === true) return digestsSideBySide(request, sha)
  const pieces = new NewPieceHashes(request)
  for (const span of request.spans) {
    if (span.fd < 0) takeZeroes(span.length, bytes => pieces.take(bytes))
    else readSpan(span, bytes => pieces.take(bytes))
  }
  return pieces.end()
}

function readSpan({ fd, position, length }: Span, take: (bytes: Uint8Array) => void): void {
  const buffer = (chunk ??= new Uint8Array(HASH_CHUNK_BYTES))
  let done = 0
  while (done < length) {
    const want = Math.min(length - done, buffer.length)
    const got = onDescriptor(fd, () => readSync(fd, buffer, 0, want, position + done))
    if (got === 0) throw new JobFailure('SHORT', 'the file is shorter than it was', fd)
    take(buffer.subarray(0, got))
    done += got
  }
}

/** Cuts a stream of bytes into pieces and hashes each. */
class NewPieceHashes {
  readonly #pieceLength: number
  readonly #trees: readonly number[]
  readonly #count: number
  readonly #hashes: Uint8Array
  readonly #roots: Uint8Array
  readonly #sha1: boolean
  #hash: Hash | null = null
  #leaves: LeafHasher | null = null
  #done = 0
  /** Bytes still to come of the present piece. */
  #left: number

  constructor({ spans, pieceLength, sha1, trees }: DigestRequest) {
    if (!(pieceLength > 0)) throw new RangeError(`pieces of ${pieceLength} bytes`)
    let total = 0
    for (const span of spans) total += span.length
    this.#count = Math.ceil(total / pieceLength)
    if (trees.length > 0 && trees.length !== 2 * this.#count)
      throw new RangeError(`bytes of ${this.#count} pieces, trees of ${trees.length / 2}`)
    this.#pieceLength = pieceLength
    this.#trees = trees
    this.#sha1 = sha1
    this.#hashes = new Uint8Array(sha1 ? this.#count * SHA1_BYTES : 0)
    this.#roots = new Uint8Array(trees.length > 0 ? this.#count * ROOT_BYTES : 0)
    this.#left = pieceLength
    this.#pieceStart()
  }

  /** The next bytes of the stream. */
  take(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      const count = Math.min(bytes.length - at, this.#left)
      const part = count === bytes.length ? bytes : bytes.subarray(at, at + count)
      this.#hash?.update(part)
      this.#leaves?.take(part)
      at += count
      this.#left -= count
      if (this.#left === 0) this.#pieceEnd()
    }
  }

  /** The stream has ended, perhaps within the last piece. */
  end(): DigestReply {
    if (this.#left < this.#pieceLength) this.#pieceEnd()
    if (this.#done !== this.#count) throw new RangeError(`bytes of ${this.#done} pieces, not ${this.#count}`)
    return { hashes: this.#hashes, roots: this.#roots }
  }

  #pieceStart(): void {
    if (this.#done >= this.#count) return
    this.#hash = this.#sha1 ? createHash('sha1') : null
    this.#leaves = this.#trees.length > 0 ? new LeafHasher(this.#trees[2 * this.#done] ?? 0) : null
  }

  #pieceEnd(): void {
    const height = this.#trees[2 * this.#done + 1] ?? 0
    if (this.#hash !== null) this.#hashes.set(this.#hash.digest(), this.#done * SHA1_BYTES)
    if (this.#leaves !== null) this.#roots.set(this.#leaves.root(height), this.#done * ROOT_BYTES)
    this.#hash = null
    this.#leaves = null
    this.#done += 1
    this.#left = this.#pieceLength
    this.#pieceStart()
  }
}
