// Test worker that fails in the ways a worker can: pieces.hash throws, blocks.write fails with an errno, piece.commit
// ends the thread when its hash begins with 0xff and else works.

import { workerData } from 'node:worker_threads'
import { JobFailure } from '../../../src/pools/jobs/failure.ts'
import { makeRunner, type RunnerParts } from '../../../src/pools/jobs/run-batch.ts'

export const runBatch = makeRunner(
  {
    'piece.commit': request => {
      if (request.hash[0] === 0xff) process.exit(3)
      return { verdict: 'ok' }
    },
    'pieces.digest': () => {
      throw new TypeError('a bug')
    },
    'blocks.write': request => {
      throw new JobFailure('ENOSPC', 'no space left on device', request.spans[0]?.fd ?? -1)
    },
    'pieces.hash': () => {
      throw new TypeError('a bug')
    },
    'piece.leaves': () => {
      throw new TypeError('a bug')
    },
  },
  workerData as RunnerParts,
)
