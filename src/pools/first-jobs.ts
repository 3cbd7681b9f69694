// Jobs done without a worker thread while none is up: a thread takes 50 ms and more to start, and the first piece of a
// stream is waited for. Hashing runs on the main thread in portions, the write in libuv's threads, one at a time.
// Invariants: the verdict comes before the write, as in a worker; what is under way is bounded, the rest is the pool's.

import { fstat, writev } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DiskLanes } from '../io/files/disk-lanes.ts'
import { nowUs } from './contract/batch.ts'
import {
  type CommitReply,
  type CommitRequest,
  type JobName,
  jobs,
  type ReplyOf,
  type RequestOf,
} from './contract/jobs.ts'
import { MAX_WRITE_BUFFERS } from './contract/limits.ts'
import { failureOf, JobFailure } from './jobs/failure.ts'
import { PieceHash } from './jobs/piece-hash.ts'
import { forEachSegment } from './jobs/segments.ts'
import { afterWrite, checkLinks, type SpanWrite, spanWrites } from './jobs/write.ts'
import { JobFailed, type WorkerPool } from './pool.ts'

const statDescriptor = promisify(fstat)
const writeBuffers = promisify(writev)

/** Hashed in one go: a millisecond at most on a slow core. */
const PORTION_BYTES = 1024 * 1024
/** Jobs under way here; more than that means that the disk is slow, which is what threads are for. */
const MAX_HERE = 4
/** Work within a second that makes a thread worth its start (45 ms of a core, 15 of them on the main thread). */
const THREAD_BYTES = 8 * 1024 * 1024
const SECOND_US = 1_000_000

/** What the jobs here need. */
export interface FirstJobsDeps {
  readonly pool: Pick<WorkerPool, 'cold' | 'warm' | 'run'>
  /** The arenas' buffers by ArenaNumber. */
  readonly arenas: readonly SharedArrayBuffer[]
  /** A turn in libuv's threads for a call on the files of these jobs. */
  readonly turn: <T>(call: () => Promise<T>) => Promise<T>
  /** Microseconds of a clock that never goes back; default: the monotonic one. */
  readonly nowUs?: () => number
}

/** The way to a job: here, or by the pool. */
export class FirstJobs {
  readonly #pool: FirstJobsDeps['pool']
  readonly #arenas: readonly Uint8Array[]
  readonly #turn: FirstJobsDeps['turn']
  readonly #nowUs: () => number
  /** One write at a time, so that a stalled disk costs readers one lane. */
  readonly #turns = new DiskLanes(1)
  readonly #here = new Set<Promise<unknown>>()
  #secondUs = 0
  #secondBytes = 0

  constructor(deps: FirstJobsDeps) {
    this.#pool = deps.pool
    this.#arenas = deps.arenas.map(buffer => new Uint8Array(buffer))
    this.#turn = deps.turn
    this.#nowUs = deps.nowUs ?? nowUs
  }

  /** Runs a job. Whatever the request names in memory must stay until then. Rejects like WorkerPool.run. */
  run<Name extends JobName>(name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>> {
    const work = this.#pool.cold && this.#here.size < MAX_HERE ? this.#work(name, request) : null
    if (work === null) return this.#pool.run(name, request)
    this.#count((jobs[name].cost as (request: RequestOf<Name>) => number)(request))
    const done = work
      .catch((error: unknown) => {
        throw new JobFailed(failureOf(error))
      })
      .finally(() => this.#here.delete(done))
    this.#here.add(done)
    return done as Promise<ReplyOf<Name>>
  }

  /** Resolves when nothing is under way here. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#here)
  }

  /** Null for what only threads do. */
  #work(name: JobName, request: RequestOf<JobName>): Promise<unknown> | null {
    if (name === 'piece.commit') return this.#commit(request as CommitRequest)
    if (name === 'blocks.write') return this.#write(request as RequestOf<'blocks.write'>).then(written => ({ written }))
    return null
  }

  #count(bytes: number): void {
    const now = this.#nowUs()
    if (now - this.#secondUs > SECOND_US) {
      this.#secondUs = now
      this.#secondBytes = 0
    }
    this.#secondBytes += bytes
    if (this.#secondBytes > THREAD_BYTES) this.#pool.warm()
  }

  async #commit(request: CommitRequest): Promise<CommitReply> {
    const hash = new PieceHash(request.hash, request.tree)
    let sinceTurn = 0
    for (const bytes of this.#portions(request)) {
      if (sinceTurn >= PORTION_BYTES) {
        await nextTurn()
        sinceTurn = 0
      }
      hash.take(bytes)
      sinceTurn += bytes.length
    }
    if (!hash.right()) return { verdict: 'bad-hash' }
    if (request.spans.length > 0) await this.#write(request)
    return { verdict: 'ok' }
  }

  /** The bytes in order, in views of at most a portion. */
  #portions(source: CommitRequest): Uint8Array[] {
    const portions: Uint8Array[] = []
    forEachSegment(this.#arenas, source, bytes => {
      for (let at = 0; at < bytes.length; at += PORTION_BYTES) portions.push(bytes.subarray(at, at + PORTION_BYTES))
    })
    return portions
  }

  async #write(request: RequestOf<'blocks.write'>): Promise<number> {
    let written = 0
    for (const write of spanWrites(this.#arenas, request, request.spans)) {
      await this.#turns.run(() => this.#turn(() => writeSpan(write)))
      written += write.length
    }
    return written
  }
}

async function writeSpan({ fd, position, buffers }: SpanWrite): Promise<void> {
  checkLinks(fd, await onDescriptor(fd, statDescriptor(fd)))
  let left = buffers
  let at = position
  while (left.length > 0) {
    const { bytesWritten } = await onDescriptor(fd, writeBuffers(fd, left.slice(0, MAX_WRITE_BUFFERS), at))
    left = afterWrite(fd, left, bytesWritten)
    at += bytesWritten
  }
}

/** Names the descriptor in what the system says. */
async function onDescriptor<T>(fd: number, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw code === undefined ? error : new JobFailure(code, message, fd)
  }
}
