// Test worker: answers piece.leaves with as many counted bytes as its first span is long.

import { workerData } from 'node:worker_threads'
import { makeRunner, type RunnerParts } from '../../../src/pools/jobs/run-batch.ts'

export const runBatch = makeRunner(
  { 'piece.leaves': ({ spans }) => ({ leaves: new Uint8Array(spans[0]?.length ?? 0).map((_, at) => at & 0xff) }) },
  workerData as RunnerParts,
)
