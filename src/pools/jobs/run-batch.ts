// The shell that every worker shares: takes a packed batch, runs its jobs one after the other, answers with one packed
// result a job. It owns no state; a job that throws ends as a failure of that job alone.

import { makeBatchCodec, nowUs, type JobResult, type PackedJob } from '../contract/batch.ts'
import { type JobHandlers, type JobName, jobNames, jobs } from '../contract/jobs.ts'
import { failureOf } from './failure.ts'

type AnyHandler = (request: unknown) => unknown

/**
 * Makes the function that piscina calls in a worker: packed JobBatch in, packed ResultBatch out. Never throws on a job.
 * `lookAhead` sees each batch before its first job is run; it does not throw.
 */
export function makeRunner(
  handlers: Partial<JobHandlers<JobName>>,
  lookAhead: (batch: readonly PackedJob[]) => void = () => undefined,
): (message: Uint8Array) => Uint8Array {
  const codec = makeBatchCodec()
  const own = jobNames.filter(name => handlers[name] !== undefined)
  const byNumber = new Map<number, AnyHandler>(own.map(name => [jobs[name].number, handlers[name] as AnyHandler]))
  return message => {
    const startedUs = nowUs()
    const batch = codec.decodeJobs(message).jobs
    lookAhead(batch)
    // What was done for all of them is a part of each.
    const shareUs = Math.round((nowUs() - startedUs) / Math.max(1, batch.length))
    const results = batch.map(job => runJob(byNumber, job, shareUs))
    return codec.encodeResults({ startedUs, results })
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
