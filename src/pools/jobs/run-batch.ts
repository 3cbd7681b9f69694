// The shell that every worker shares: takes a packed batch, runs its jobs one after the other, answers with one packed
// result a job, there where the batch lay. It owns no state; a job that throws ends as a failure of that job alone.

import { type BatchMessage, type JobResult, makeBatchCodec, nowUs, type PackedJob } from '../contract/batch.ts'
import { RingEnd } from '../contract/batch-ring.ts'
import { type JobHandlers, type JobName, jobNames, jobs } from '../contract/jobs.ts'
import { ownBytes } from '../contract/packer.ts'
import { failureOf } from './failure.ts'

type AnyHandler = (request: unknown) => unknown

/** What a worker's shell works with. */
export interface RunnerParts {
  /** The ring that PoolOptions.workerData was given. */
  readonly ring: SharedArrayBuffer
  /** Sees each batch before its first job is run; does not throw. */
  readonly lookAhead?: (batch: readonly PackedJob[]) => void
}

/**
 * Makes the function that piscina calls in a worker: JobBatch in, ResultBatch out. Never throws on a job; throws
 * RangeError on a ticket that names nothing.
 */
export function makeRunner(
  handlers: Partial<JobHandlers<JobName>>,
  { ring, lookAhead = () => undefined }: RunnerParts,
): (message: BatchMessage) => BatchMessage {
  const codec = makeBatchCodec()
  const end = new RingEnd(ring)
  const own = jobNames.filter(name => handlers[name] !== undefined)
  const byNumber = new Map<number, AnyHandler>(own.map(name => [jobs[name].number, handlers[name] as AnyHandler]))
  return message => {
    const startedUs = nowUs()
    const batch = codec.decodeJobs(typeof message === 'number' ? end.take(message) : message).jobs
    lookAhead(batch)
    // What was done for all of them is a part of each.
    const shareUs = Math.round((nowUs() - startedUs) / Math.max(1, batch.length))
    const results = batch.map(job => runJob(byNumber, job, shareUs))
    const packed = codec.encodeResults({ startedUs, results })
    return typeof message === 'number' && end.give(message, packed) ? message : ownBytes(packed)
  }
}

function runJob(byNumber: ReadonlyMap<number, AnyHandler>, { job, request }: PackedJob, shareUs: number): JobResult {
  const beganUs = nowUs()
  try {
    const handler = byNumber.get(job)
    if (handler === undefined) throw new Error(`there is no job ${job}`)
    return { reply: handler(request), failure: null, runUs: nowUs() - beganUs + shareUs }
  } catch (error) {
    return { reply: null, failure: failureOf(error), runUs: nowUs() - beganUs + shareUs }
  }
}
