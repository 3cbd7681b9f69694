// Job piece.commit: SHA-1, the hash tree of BEP 52, or both straight from the arena's slots, then the write. Invariant:
// a piece with a wrong hash leaves every file as it was.

import type { CommitReply, CommitRequest } from '../contract/jobs.ts'
import type { NativeHash } from './native-hash.ts'
import { PieceHash } from './piece-hash.ts'
import { segmentsRight } from './segment-hash.ts'
import { type ArenaBytes, forEachSegment } from './segments.ts'
import { writeSpans } from './write.ts'

const NO_SHA1 = new Uint8Array(0)

/**
 * Runs the job. `sha`: null = by node:crypto. `sha1Right`: what was found of its SHA-1 already, null = nothing. Throws
 * JobFailure as blocks.write does.
 */
export function commitPiece(
  arenas: ArenaBytes,
  request: CommitRequest,
  sha: NativeHash | null = null,
  sha1Right: boolean | null = null,
): CommitReply {
  if (!(sha1Right === null ? isRight(arenas, request, sha) : sha1Right && treeRight(arenas, request, sha))) {
    return { verdict: 'bad-hash' }
  }
  if (request.spans.length > 0) writeSpans(arenas, request, request.spans)
  return { verdict: 'ok' }
}

/** Whether its tree, where it has one, is right too. */
function treeRight(arenas: ArenaBytes, { arena, segments, tree }: CommitRequest, sha: NativeHash | null): boolean {
  return tree === null || isRight(arenas, { arena, segments, hash: NO_SHA1, tree, spans: [] }, sha)
}

function isRight(arenas: ArenaBytes, request: CommitRequest, sha: NativeHash | null): boolean {
  if (sha?.single === true) return segmentsRight(arenas, request, sha)
  const hash = new PieceHash(request.hash, request.tree)
  forEachSegment(arenas, request, bytes => hash.take(bytes))
  return hash.right()
}
