// The job table: one entry a job, with its number on the wire, its cost and a sample of each side. Types, packer
// structures, worker dispatch and the echo test come from it. Bytes never travel: a request names slots and descriptors.
// Invariant: samples hold every object shape that is ever packed; another shape would break the fixed structures.

/** Bytes of one file. `fd` belongs to the main thread, which keeps it open during the job; -1 = padding: zeroes, no file. */
export interface Span {
  readonly fd: number
  /** First byte in the file. */
  readonly position: number
  readonly length: number
}

/** Which arena the segments lie in: 0 = block, 1 = range. */
export type ArenaNumber = 0 | 1

/**
 * Received bytes: flat pairs offset, length into the arena, in the order of the stream that `spans` describes. Offset
 * -1 stands for zeroes, allowed only over padding.
 */
export interface Source {
  readonly arena: ArenaNumber
  readonly segments: readonly number[]
}

/** Hash the segments and, when the hash is right, write them to the spans. `spans` may be [] to hash only. */
export interface CommitRequest extends Source {
  /** SHA-1, 20 bytes. */
  readonly hash: Uint8Array
  readonly spans: readonly Span[]
}
/** `bad-hash`: nothing was written. */
export interface CommitReply {
  readonly verdict: 'ok' | 'bad-hash'
}

/** Write the segments to the spans, unverified. */
export interface WriteRequest extends Source {
  readonly spans: readonly Span[]
}
/** Bytes that went to files. */
export interface WriteReply {
  readonly written: number
}

/** Hash neighbouring pieces as they are on disk. */
export interface HashRequest {
  /** SHA-1 of each piece, 20 bytes a piece. */
  readonly hashes: Uint8Array
  /** Bytes of each piece but the last, which takes what is left. */
  readonly pieceLength: number
  /** The bytes of all pieces. */
  readonly spans: readonly Span[]
}
/** Whether the bytes on disk have the hash of a piece; `missing` = a file ends before its span does. */
export type HashVerdict = 'ok' | 'bad-hash' | 'missing'
/** What was found. */
export interface HashReply {
  /** One a piece. */
  readonly verdicts: readonly HashVerdict[]
}

/** One job of the table. */
export interface JobEntry<Request, Reply> {
  /** Its number in messages; never reused. */
  readonly number: number
  /** Bytes of work, for batch sizes. */
  readonly cost: (request: Request) => number
  /** Starts as many threads as there may be when jobs of this kind have to wait; sent after all others. */
  readonly spread: boolean
  readonly sample: { readonly request: Request; readonly reply: Reply }
}

function job<Request, Reply>(entry: JobEntry<Request, Reply>): JobEntry<Request, Reply> {
  return entry
}

function segmentBytes(source: Source): number {
  let bytes = 0
  for (let i = 1; i < source.segments.length; i += 2) bytes += source.segments[i] ?? 0
  return bytes
}

function spanBytes(request: { readonly spans: readonly Span[] }): number {
  let bytes = 0
  for (const span of request.spans) bytes += span.length
  return bytes
}

const spans: readonly Span[] = [
  { fd: 20, position: 5_000_000_000, length: 16_384 },
  { fd: -1, position: 0, length: 8 },
]
const segments: readonly number[] = [32_768, 16_384, -1, 8]
const hash = new Uint8Array(20).fill(0xa5)

/** The table. */
export const jobs = {
  'piece.commit': job<CommitRequest, CommitReply>({
    number: 1,
    cost: segmentBytes,
    spread: false,
    sample: { request: { arena: 0, segments, hash, spans }, reply: { verdict: 'ok' } },
  }),
  'blocks.write': job<WriteRequest, WriteReply>({
    number: 2,
    cost: segmentBytes,
    spread: false,
    sample: { request: { arena: 1, segments, spans }, reply: { written: 16_384 } },
  }),
  'pieces.hash': job<HashRequest, HashReply>({
    number: 4,
    cost: spanBytes,
    spread: true,
    sample: { request: { hashes: hash, pieceLength: 32_768, spans }, reply: { verdicts: ['missing'] } },
  }),
} as const

type JobTable = typeof jobs
/** A job of the table. */
export type JobName = keyof JobTable
/** What a job is sent. */
export type RequestOf<Name extends JobName> = JobTable[Name]['sample']['request']
/** What a job answers. */
export type ReplyOf<Name extends JobName> = JobTable[Name]['sample']['reply']
/** What a worker must implement: one synchronous function a job. A throw is a failure, see JobFailureData. */
export type JobHandlers = { readonly [Name in JobName]: (request: RequestOf<Name>) => ReplyOf<Name> }

/** The job names in a fixed order. */
export const jobNames = Object.keys(jobs) as readonly JobName[]
