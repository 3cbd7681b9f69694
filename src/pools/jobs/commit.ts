// Job piece.commit: SHA-1 straight from the arena's slots, then the write. Invariant: a piece with a wrong hash leaves
// every file as it was.

import { createHash } from 'node:crypto'
import type { CommitReply, CommitRequest } from '../contract/jobs.ts'
import { type ArenaBytes, forEachSegment } from './segments.ts'
import { writeSpans } from './write.ts'

/** Runs the job. Throws JobFailure as blocks.write does. */
export function commitPiece(arenas: ArenaBytes, request: CommitRequest): CommitReply {
  const hash = createHash('sha1')
  forEachSegment(arenas, request, bytes => hash.update(bytes))
  if (!hash.digest().equals(request.hash)) return { verdict: 'bad-hash' }
  if (request.spans.length > 0) writeSpans(arenas, request, request.spans)
  return { verdict: 'ok' }
}
