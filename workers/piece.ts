// The piece worker: hashes, writes and rechecks pieces. Its workerData are the arenas' buffers by ArenaNumber.

import { workerData } from 'node:worker_threads'
import type { JobHandlers, PieceJobName } from '../src/pools/contract/jobs.ts'
import { commitPiece } from '../src/pools/jobs/commit.ts'
import { hashLeaves, hashPieces } from '../src/pools/jobs/hash.ts'
import { writeBlocks } from '../src/pools/jobs/write.ts'
import { digestPieces } from '../src/pools/jobs/digest.ts'
import { makeRunner } from '../src/pools/jobs/run-batch.ts'

const { arenas: buffers } = workerData as { readonly arenas: readonly SharedArrayBuffer[] }
const arenas = buffers.map(buffer => new Uint8Array(buffer))

/** Runs one packed batch; see src/pools/jobs/run-batch.ts. */
export const runBatch = makeRunner({
  'piece.commit': request => commitPiece(arenas, request),
  'pieces.digest': request => digestPieces(request),
  'blocks.write': request => writeBlocks(arenas, request),
  'pieces.hash': request => hashPieces(request),
  'piece.leaves': request => hashLeaves(request),
} satisfies JobHandlers<PieceJobName>)
