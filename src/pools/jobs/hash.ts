// Job pieces.hash: neighbouring pieces as they are on disk against their hashes. Reads in chunks through one buffer a
// thread, whatever the pieces' length; holes read as zeroes. Invariant: one verdict a piece, in order. Also job
// piece.leaves. By node:crypto; with machine code pieces-side-by-side.ts does both.

import { readSync } from 'node:fs'
import { LeafHasher } from '../../wire/metainfo/leaf-hasher.ts'
import { HASH_CHUNK_BYTES } from '../contract/limits.ts'
import type {
  HashReply,
  HashRequest,
  HashVerdict,
  LeavesReply,
  LeavesRequest,
  Span,
  TreeCheck,
} from '../contract/jobs.ts'
import { onDescriptor } from './failure.ts'
import type { NativeHash } from './native-hash.ts'
import { leavesSideBySide, verdictsSideBySide } from './pieces-side-by-side.ts'
import { PieceHash } from './piece-hash.ts'
import { isZeroes, takeZeroes } from './segments.ts'

/** Where the bytes that are read go. */
interface ByteSink {
  /** The next bytes of the stream. */
  take(bytes: Uint8Array): void
  /** The next `length` bytes of the stream do not exist. */
  skip(length: number): void
}

let chunk: Uint8Array | null = null

/**
 * Runs the job. `sha`: null = by node:crypto. Throws JobFailure with the errno of a failed read, RangeError when spans
 * and pieces do not agree.
 */
export function hashPieces(request: HashRequest, sha: NativeHash | null = null): HashReply {
  const count = Math.max(request.trees.length, request.hashes.length / 20)
  if (sha?.pays(count) === true) return { verdicts: verdictsSideBySide(request, sha) }
  const pieces = new PieceHashes(request)
  readSpans(pieces, request.spans)
  return { verdicts: pieces.end() }
}

/** Runs job piece.leaves. Throws as hashPieces does. */
export function hashLeaves({ spans }: LeavesRequest, sha: NativeHash | null = null): LeavesReply {
  if (sha !== null) return { leaves: leavesSideBySide(spans, sha) }
  const hasher = new LeafHasher(spans.reduce((sum, span) => sum + span.length, 0))
  let missing = false
  const skip = (): void => {
    missing = true
  }
  readSpans({ take: bytes => hasher.take(bytes), skip }, spans)
  return { leaves: missing ? new Uint8Array(0) : hasher.leaves() }
}

function readSpans(sink: ByteSink, spans: readonly Span[]): void {
  for (const span of spans) {
    if (span.fd < 0) takeZeroes(span.length, bytes => sink.take(bytes))
    else readSpan(sink, span)
  }
}

function readSpan(sink: ByteSink, { fd, position, length }: Span): void {
  const buffer = (chunk ??= new Uint8Array(HASH_CHUNK_BYTES))
  let done = 0
  while (done < length) {
    const want = Math.min(length - done, buffer.length)
    const got = onDescriptor(fd, () => readSync(fd, buffer, 0, want, position + done))
    if (got === 0) return sink.skip(length - done)
    sink.take(got === buffer.length ? buffer : buffer.subarray(0, got))
    done += got
  }
}

/** Cuts a stream of bytes into pieces and compares their hashes. */
class PieceHashes implements ByteSink {
  readonly #hashes: Uint8Array
  readonly #trees: readonly (TreeCheck | null)[]
  readonly #pieceLength: number
  readonly #count: number
  readonly #verdicts: HashVerdict[] = []
  #hash: PieceHash
  /** Bytes still to come of the present piece, and whether some of it is missing. */
  #left: number
  #missing = false
  /** Nothing but zeros came of it so far. */
  #blank = true

  constructor({ hashes, trees, pieceLength }: HashRequest) {
    if (!(pieceLength > 0)) throw new RangeError(`pieces of ${pieceLength} bytes`)
    this.#count = trees.length > 0 ? trees.length : hashes.length / 20
    if (hashes.length > 0 && hashes.length !== this.#count * 20)
      throw new RangeError(`${hashes.length} bytes of hashes for ${this.#count} trees`)
    this.#hashes = hashes
    this.#trees = trees
    this.#pieceLength = pieceLength
    this.#left = pieceLength
    this.#hash = this.#nextHash()
  }

  take(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      const count = Math.min(bytes.length - at, this.#left)
      const part = count === bytes.length ? bytes : bytes.subarray(at, at + count)
      this.#hash.take(part)
      this.#blank &&= isZeroes(part)
      at += count
      this.#advance(count)
    }
  }

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
    if (this.#verdicts.length !== this.#count)
      throw new RangeError(`bytes of ${this.#verdicts.length} pieces, hashes of ${this.#count}`)
    return this.#verdicts
  }

  #advance(count: number): void {
    this.#left -= count
    if (this.#left === 0) this.#pieceEnd()
  }

  #pieceEnd(): void {
    this.#verdicts.push(this.#verdict())
    this.#hash = this.#nextHash()
    this.#left = this.#pieceLength
    this.#missing = false
    this.#blank = true
  }

  #verdict(): HashVerdict {
    if (this.#missing) return 'missing'
    if (this.#hash.right()) return 'ok'
    return this.#blank ? 'zeros' : 'bad-hash'
  }

  /** For the piece whose verdict comes next; beyond the last one nothing is right. */
  #nextHash(): PieceHash {
    const piece = this.#verdicts.length
    return new PieceHash(this.#hashes.subarray(piece * 20, piece * 20 + 20), this.#trees[piece] ?? null)
  }
}
