// The messages between main thread and workers: a batch of jobs there, a batch of results back, each packed to bytes
// that lie in a ring of shared memory (batch-ring.ts), or travel as they are. Failures are data: thrown errors would
// lose their code on the way.

import type { RingTicket } from './batch-ring.ts'
import { jobNames, jobs } from './jobs.ts'
import { makePacker, shapesOf } from './packer.ts'

/** A job on its way. */
export interface PackedJob {
  /** JobEntry.number. */
  readonly job: number
  readonly request: unknown
}

/** One message to a worker: 1 to 64 jobs. */
export interface JobBatch {
  readonly jobs: readonly PackedJob[]
}

/** Why a job failed. */
export interface JobFailureData {
  /** An errno name (`ENOSPC`), `GONE` (the file was deleted while open) or `BUG_IN_JOB`. */
  readonly code: string
  readonly text: string
  /** The descriptor it happened on, -1 when none. */
  readonly fd: number
}

/** The end of one job; exactly one of reply and failure is set. */
export interface JobResult {
  readonly reply: unknown
  readonly failure: JobFailureData | null
  /** Time in the job, microseconds. */
  readonly runUs: number
}

/** One message from a worker: a result for each job, in order. */
export interface ResultBatch {
  /** When the worker took the batch up: microseconds of the machine's monotonic clock, equal in all threads. */
  readonly startedUs: number
  readonly results: readonly JobResult[]
}

/** What is posted, in both directions: where the packed batch lies in the ring, or the packed batch. */
export type BatchMessage = RingTicket | Uint8Array

const failureSample: JobFailureData = { code: 'ENOSPC', text: 'no space left on device', fd: 20 }

/** Samples of everything that is packed; the structures of both ends come from here. */
const samples: readonly unknown[] = [
  { jobs: [{ job: 1, request: null }] } satisfies JobBatch,
  { startedUs: 1, results: [{ reply: null, failure: failureSample, runUs: 1 }] } satisfies ResultBatch,
  ...jobNames.flatMap(name => [jobs[name].sample.request, jobs[name].sample.reply]),
]

/** Packs and unpacks both kinds of batches. Each thread makes one. What it packs is to be copied at once (Packer). */
export interface BatchCodec {
  encodeJobs(batch: JobBatch): Uint8Array
  decodeJobs(bytes: Uint8Array): JobBatch
  encodeResults(batch: ResultBatch): Uint8Array
  decodeResults(bytes: Uint8Array): ResultBatch
}

/** Makes a codec. Messages come from our own threads, so shapes are trusted. */
export function makeBatchCodec(): BatchCodec {
  const packer = makePacker(shapesOf(samples))
  return {
    encodeJobs: batch => packer.pack(batch),
    decodeJobs: bytes => packer.unpack(bytes) as JobBatch,
    encodeResults: batch => packer.pack(batch),
    decodeResults: bytes => packer.unpack(bytes) as ResultBatch,
  }
}

/** Microseconds of the monotonic clock that all threads share. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
