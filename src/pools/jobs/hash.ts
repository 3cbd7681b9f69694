// Job pieces.hash: SHA-1 of neighbouring pieces as they are on disk. Reads in chunks through one buffer a thread, whatever
// the pieces' length; holes read as zeroes. Invariant: one verdict a piece, in order.

import { createHash, type Hash } from 'node:crypto'
import { readSync } from 'node:fs'
import { HASH_CHUNK_BYTES } from '../contract/limits.ts'
import type { HashReply, HashRequest, HashVerdict, Span } from '../contract/jobs.ts'
import { onDescriptor } from './failure.ts'
import { takeZeroes } from './segments.ts'

let chunk: Uint8Array | null = null

/** Runs the job. Throws JobFailure with the errno of a failed read, RangeError when spans and pieces do not agree. */
export function hashPieces(request: HashRequest): HashReply {
  const pieces = new PieceHashes(request)
  for (const span of request.spans) {
    if (span.fd < 0) takeZeroes(span.length, bytes => pieces.take(bytes))
    else hashSpan(pieces, span)
  }
  return { verdicts: pieces.end() }
}

function hashSpan(pieces: PieceHashes, { fd, position, length }: Span): void {
  const buffer = (chunk ??= new Uint8Array(HASH_CHUNK_BYTES))
  let done = 0
  while (done < length) {
    const want = Math.min(length - done, buffer.length)
    const got = onDescriptor(fd, () => readSync(fd, buffer, 0, want, position + done))
    if (got === 0) return pieces.skip(length - done)
    pieces.take(got === buffer.length ? buffer : buffer.subarray(0, got))
    done += got
  }
}

/** Cuts a stream of bytes into pieces and compares their hashes. */
class PieceHashes {
  readonly #hashes: Uint8Array
  readonly #pieceLength: number
  readonly #verdicts: HashVerdict[] = []
  #hash: Hash = createHash('sha1')
  /** Bytes still to come of the present piece, and whether some of it is missing. */
  #left: number
  #missing = false

  constructor({ hashes, pieceLength }: HashRequest) {
    if (!(pieceLength > 0)) throw new RangeError(`pieces of ${pieceLength} bytes`)
    this.#hashes = hashes
    this.#pieceLength = pieceLength
    this.#left = pieceLength
  }

  /** The next bytes of the stream. */
  take(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      const count = Math.min(bytes.length - at, this.#left)
      this.#hash.update(count === bytes.length ? bytes : bytes.subarray(at, at + count))
      at += count
      this.#advance(count)
    }
  }

  /** The next `length` bytes of the stream do not exist. */
  skip(length: number): void {
    for (let left = length; left > 0; ) {
      const count = Math.min(left, this.#left)
      this.#missing = true
      left -= count
      this.#advance(count)
    }
  }

  /** The stream has ended, perhaps within the last piece. */
  end(): readonly HashVerdict[] {
    if (this.#left < this.#pieceLength) this.#pieceEnd()
    if (this.#verdicts.length * 20 !== this.#hashes.length)
      throw new RangeError(`${this.#verdicts.length} pieces for ${this.#hashes.length} bytes of hashes`)
    return this.#verdicts
  }

  #advance(count: number): void {
    this.#left -= count
    if (this.#left === 0) this.#pieceEnd()
  }

  #pieceEnd(): void {
    const at = this.#verdicts.length * 20
    const right = this.#hash.digest().equals(this.#hashes.subarray(at, at + 20))
    this.#verdicts.push(this.#missing ? 'missing' : right ? 'ok' : 'bad-hash')
    this.#hash = createHash('sha1')
    this.#left = this.#pieceLength
    this.#missing = false
  }
}
