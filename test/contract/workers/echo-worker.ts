// Test worker: answers every job with the sample reply of the table, after checking that the request came as the
// sample.

import assert from 'node:assert/strict'
import { workerData } from 'node:worker_threads'
import { type JobHandlers, type JobName, jobs } from '../../../src/pools/contract/jobs.ts'
import { makeRunner, type RunnerParts } from '../../../src/pools/jobs/run-batch.ts'

/** Request as plain data, the way deepEqual compares it: bytes may come back as another Uint8Array class. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

function echo<Request, Reply>(sample: { request: Request; reply: Reply }): (request: Request) => Reply {
  return request => {
    assert.deepEqual(plain(request), plain(sample.request))
    return sample.reply
  }
}

export const runBatch = makeRunner(
  {
    'piece.commit': echo(jobs['piece.commit'].sample),
    'pieces.digest': echo(jobs['pieces.digest'].sample),
    'blocks.write': echo(jobs['blocks.write'].sample),
    'pieces.hash': echo(jobs['pieces.hash'].sample),
    'piece.leaves': echo(jobs['piece.leaves'].sample),
    'seal.verify': echo(jobs['seal.verify'].sample),
    'seal.sign': echo(jobs['seal.sign'].sample),
    'seal.answer': echo(jobs['seal.answer'].sample),
    'seal.finish': echo(jobs['seal.finish'].sample),
    'seal.layers': echo(jobs['seal.layers'].sample),
  } satisfies JobHandlers<JobName>,
  workerData as RunnerParts,
)
