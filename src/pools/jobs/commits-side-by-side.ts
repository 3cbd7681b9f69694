// The commits of one batch: their SHA-1 by one call of the machine code, which takes as many pieces at a time as it has
// lanes; the rest of each by itself. What cannot be hashed together is hashed alone, with the failure that belongs to
// it.

import type { PackedJob } from '../contract/batch.ts'
import { type CommitReply, type CommitRequest, jobs } from '../contract/jobs.ts'
import { sameHash } from '../../wire/metainfo/merkle.ts'
import { commitPiece } from './commit.ts'
import { CONTEXT_BYTES, digestBytes, type NativeHash } from './native-hash.ts'
import type { ArenaBytes } from './segments.ts'

const { sha1: SHA1_BYTES } = digestBytes

/** The job piece.commit of a thread. */
export class PieceCommits {
  readonly #arenas: ArenaBytes
  readonly #sha: NativeHash | null
  /** Whether the SHA-1 of a request of the present batch is right. */
  readonly #sha1Right = new Map<CommitRequest, boolean>()

  /** `sha`: null = by node:crypto. */
  constructor(arenas: ArenaBytes, sha: NativeHash | null) {
    this.#arenas = arenas
    this.#sha = sha
  }

  /** A batch has come: its commits are hashed. */
  lookAhead(batch: readonly PackedJob[]): void {
    this.#sha1Right.clear()
    const sha = this.#sha
    if (sha === null) return
    const commits = batch.filter(({ job }) => job === jobs['piece.commit'].number)
    const requests = commits.map(({ request }) => request as CommitRequest).filter(({ hash }) => hash.length > 0)
    for (const arena of new Set(requests.map(request => request.arena))) {
      this.#hash(
        requests.filter(request => request.arena === arena),
        this.#arenas[arena],
        sha,
      )
    }
  }

  /** Runs one; see commitPiece. */
  commit(request: CommitRequest): CommitReply {
    return commitPiece(this.#arenas, request, this.#sha, this.#sha1Right.get(request) ?? null)
  }

  #hash(requests: readonly CommitRequest[], bytes: Uint8Array | undefined, sha: NativeHash): void {
    if (requests.length < 2 || bytes === undefined || !sha.pays(requests.length)) return
    const digests = new Uint8Array(requests.length * SHA1_BYTES)
    try {
      const contexts = new Uint8Array(requests.length * CONTEXT_BYTES)
      sha.update('sha1', contexts, bytes, partsOf(requests))
      sha.finish('sha1', contexts, requests.length, digests)
    } catch {
      // One of them names what is no part of the arena: alone each has its own end.
      return
    }
    requests.forEach((request, i) => {
      const digest = digests.subarray(i * SHA1_BYTES, (i + 1) * SHA1_BYTES)
      this.#sha1Right.set(request, sameHash(digest, request.hash))
    })
  }
}

/** Message, offset and length of each segment. */
function partsOf(requests: readonly CommitRequest[]): Float64Array {
  const parts = new Float64Array(requests.reduce((sum, { segments }) => sum + (segments.length / 2) * 3, 0))
  let to = 0
  requests.forEach(({ segments }, message) => {
    for (let from = 0; from < segments.length; from += 2, to += 3) {
      parts[to] = message
      parts[to + 1] = segments[from] as number
      parts[to + 2] = segments[from + 1] as number
    }
  })
  return parts
}
