// The piece worker: hashes, writes and rechecks pieces. Its workerData are the arenas' buffers by ArenaNumber, the ring
// of its batches, and the path of the machine code that hashes (null: node:crypto).

import { workerData } from 'node:worker_threads'
import type { JobHandlers, PieceJobName } from '../src/pools/contract/jobs.ts'
import type { PieceWorkerData } from '../src/pools/contract/piece-worker.ts'
import { PieceCommits } from '../src/pools/jobs/commits-side-by-side.ts'
import { hashLeaves, hashPieces } from '../src/pools/jobs/hash.ts'
import { writeBlocks } from '../src/pools/jobs/write.ts'
import { digestPieces } from '../src/pools/jobs/digest.ts'
import { makeRunner } from '../src/pools/jobs/run-batch.ts'
import { openHash } from '../src/pools/jobs/native-hash.ts'

const { arenas: buffers, hash, ring } = workerData as PieceWorkerData
const arenas = buffers.map(buffer => new Uint8Array(buffer))
const sha = openHash(hash)
const commits = new PieceCommits(arenas, sha)

const handlers = {
  'piece.commit': request => commits.commit(request),
  'pieces.digest': request => digestPieces(request, sha),
  'blocks.write': request => writeBlocks(arenas, request),
  'pieces.hash': request => hashPieces(request, sha),
  'piece.leaves': request => hashLeaves(request, sha),
} satisfies JobHandlers<PieceJobName>

/** Runs one packed batch; see src/pools/jobs/run-batch.ts. */
export const runBatch = makeRunner(handlers, { ring, lookAhead: batch => commits.lookAhead(batch) })
