// The job table: one entry a job, with its number on the wire, its cost and a sample of each side. Types, packer
// structures, worker dispatch and the echo test come from it. Bytes never travel: a request names slots and
// descriptors. Invariant: samples hold every object shape that is ever packed; another shape would break the fixed
// structures.

/**
 * Bytes of one file. `fd` belongs to the main thread, which keeps it open during the job; -1 = padding: zeroes, no
 * file.
 */
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
 * -1 means zeroes, allowed only over padding.
 */
export interface Source {
  readonly arena: ArenaNumber
  readonly segments: readonly number[]
}

/** The hash tree over a piece's bytes (BEP 52). Made with its keys in this order. */
export interface TreeCheck {
  /** SHA-256, 32 bytes. */
  readonly root: Uint8Array
  /** Bytes of the piece below the tree; those behind them are padding. */
  readonly length: number
  /** Layers of the root above the leaves. */
  readonly height: number
}

/**
 * Hash the segments and, when all there is says that they are right, write them to the spans. `spans` may be [] to hash
 * only.
 */
export interface CommitRequest extends Source {
  /** SHA-1, 20 bytes; empty: none. */
  readonly hash: Uint8Array
  /** Null: none. A piece with neither is never right. */
  readonly tree: TreeCheck | null
  readonly spans: readonly Span[]
}
/** `bad-hash`: nothing was written. */
export interface CommitReply {
  readonly verdict: 'ok' | 'bad-hash'
}

/** Hash neighbouring pieces that are to become a torrent, as they are on disk. */
export interface DigestRequest {
  /** The bytes of all pieces; those of padding are of no file. */
  readonly spans: readonly Span[]
  /** Bytes of each piece but the last, which takes what is left. */
  readonly pieceLength: number
  /** Whether SHA-1 is wanted. */
  readonly sha1: boolean
  /**
   * The tree of each piece (BEP 52), flat: bytes below it (those behind them are padding), and layers of its root above
   * the leaves. [] = no trees are wanted.
   */
  readonly trees: readonly number[]
}
/** The hashes. */
export interface DigestReply {
  /** SHA-1, 20 bytes a piece; empty when not wanted. */
  readonly hashes: Uint8Array
  /** Roots of the trees, 32 bytes a piece; empty when not wanted. */
  readonly roots: Uint8Array
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
  /** SHA-1 of each piece, 20 bytes a piece; empty: none has any. */
  readonly hashes: Uint8Array
  /** The tree of each piece, null where none is known; [] when none has any. A piece with neither is never right. */
  readonly trees: readonly (TreeCheck | null)[]
  /** Bytes of each piece but the last, which takes what is left. */
  readonly pieceLength: number
  /** The bytes of all pieces. */
  readonly spans: readonly Span[]
}
/**
 * Whether the bytes on disk have the hash of a piece; `missing` = a file ends before its span does; `zeros` = they have
 * not, and there is nothing but zeros.
 */
export type HashVerdict = 'ok' | 'bad-hash' | 'zeros' | 'missing'
/** What was found. */
export interface HashReply {
  /** One a piece. */
  readonly verdicts: readonly HashVerdict[]
}

/** Make the leaf hashes (BEP 52) of the bytes on disk. */
export interface LeavesRequest {
  /** Together as many bytes as the leaves are over. */
  readonly spans: readonly Span[]
}
/** What was found. */
export interface LeavesReply {
  /** 32 bytes a leaf; empty when a file ends before its span does. */
  readonly leaves: Uint8Array
}

/** A slot of shared memory that holds what a job of the seal worker works on (seal-slot.ts). */
export interface SlotRequest {
  /** First byte of the slot. */
  readonly at: number
}
/** Whether it worked; the result is in the slot. */
export interface SlotReply {
  readonly done: boolean
}

/** Put layers around cells that lie in a slot, or take them off. */
export interface LayersRequest extends SlotRequest {
  /** How many keys are at the slot's start (layer-nonce.ts), in the order of their use. */
  readonly keys: number
  readonly open: boolean
  /** Flat pairs start, end of each cell's text, from the slot's start. */
  readonly cells: readonly number[]
}
/** The results; the texts are where they were, longer or shorter at both ends. */
export interface LayersReply {
  /** One byte a cell: 1 = all layers are on, or off. */
  readonly fine: Uint8Array
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

/** A layer takes as long as this many bytes of hashing. */
const LAYER_COST = 2_500

/** `cost`: bytes of hashing that take as long. */
function slotJob(number: number, cost: number): JobEntry<SlotRequest, SlotReply> {
  return { number, cost: () => cost, spread: false, sample: { request: { at: 4096 }, reply: { done: true } } }
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
const tree: TreeCheck = { root: new Uint8Array(32).fill(0x5a), length: 16_392, height: 1 }

/** The table. */
export const jobs = {
  'piece.commit': job<CommitRequest, CommitReply>({
    number: 1,
    cost: segmentBytes,
    spread: false,
    sample: { request: { arena: 0, segments, hash, tree, spans }, reply: { verdict: 'ok' } },
  }),
  'pieces.digest': job<DigestRequest, DigestReply>({
    number: 6,
    cost: spanBytes,
    spread: true,
    sample: {
      request: { spans, pieceLength: 32_768, sha1: true, trees: [16_384, 0] },
      reply: { hashes: hash, roots: new Uint8Array(32).fill(0x3c) },
    },
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
    sample: { request: { hashes: hash, trees: [tree], pieceLength: 32_768, spans }, reply: { verdicts: ['missing'] } },
  }),
  'piece.leaves': job<LeavesRequest, LeavesReply>({
    number: 5,
    cost: spanBytes,
    spread: true,
    sample: { request: { spans }, reply: { leaves: new Uint8Array(64).fill(0x5a) } },
  }),
  'seal.verify': slotJob(7, 100_000),
  'seal.sign': slotJob(8, 30_000),
  'seal.answer': slotJob(9, 160_000),
  'seal.finish': slotJob(10, 130_000),
  'seal.layers': job<LayersRequest, LayersReply>({
    number: 11,
    cost: request => request.keys * (request.cells.length / 2) * LAYER_COST,
    spread: false,
    sample: {
      request: { at: 0, keys: 3, open: true, cells: [200, 1200, 2248, 3248] },
      reply: { fine: Uint8Array.of(1, 0) },
    },
  }),
} as const

type JobTable = typeof jobs
/** A job of the table. */
export type JobName = keyof JobTable
/** What a job is sent. */
export type RequestOf<Name extends JobName> = JobTable[Name]['sample']['request']
/** What a job answers. */
export type ReplyOf<Name extends JobName> = JobTable[Name]['sample']['reply']
/** The jobs of the seal worker. */
export type SealJobName = Extract<JobName, `seal.${string}`>
/** The jobs of the piece worker. */
export type PieceJobName = Exclude<JobName, SealJobName>
/**
 * What a worker must implement: one synchronous function a job of its own. A throw is a failure, see JobFailureData.
 */
export type JobHandlers<Names extends JobName> = {
  readonly [Name in Names]: (request: RequestOf<Name>) => ReplyOf<Name>
}

/** The job names in a fixed order. */
export const jobNames = Object.keys(jobs) as readonly JobName[]
