// A piece worker on a disk that takes its time for blocks.write, and for nothing else.

import { workerData } from 'node:worker_threads'
import type { PieceWorkerData } from '../../../src/pools/contract/piece-worker.ts'
import { commitPiece } from '../../../src/pools/jobs/commit.ts'
import { hashLeaves, hashPieces } from '../../../src/pools/jobs/hash.ts'
import { writeBlocks } from '../../../src/pools/jobs/write.ts'
import { digestPieces } from '../../../src/pools/jobs/digest.ts'
import { makeRunner } from '../../../src/pools/jobs/run-batch.ts'

const { arenas: buffers, ring } = workerData as PieceWorkerData
const arenas = buffers.map(buffer => new Uint8Array(buffer))
const never = new Int32Array(new SharedArrayBuffer(4))

export const runBatch = makeRunner(
  {
    'piece.commit': request => commitPiece(arenas, request),
    'pieces.digest': request => digestPieces(request),
    'blocks.write': request => {
      Atomics.wait(never, 0, 0, 400)
      return writeBlocks(arenas, request)
    },
    'pieces.hash': request => hashPieces(request),
    'piece.leaves': request => hashLeaves(request),
  },
  { ring },
)
