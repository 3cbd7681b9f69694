// Films with something wrong in them and the segments that are asked of them, worked on by a thread: what became of
// each, what the node's own thread had to do for the one that cost it most, and what memory the process held at most.

import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DecodeError } from '../../../../src/base/errors.ts'
import type { SegmentJob } from '../../../../src/chapters/hls/convert/thread-messages.ts'
import {
  headName,
  orderOf,
  planOf,
  type PlanWays,
  segmentName,
  type SegmentPlan,
} from '../../../../src/chapters/hls/core/segment-plan.ts'
import type { SegmentThread } from '../../../../src/chapters/hls/io/segment-thread.ts'
import type { ByteRange } from '../../../../src/chapters/media/core/byte-source.ts'
import type { ReadableFilm } from '../../../../src/chapters/media/ports/film-reader.ts'
import { readFacts } from '../../../../src/chapters/media/probe/read-facts.ts'
import { cpuTimeMs, mainThreadMs } from '../../../kit/nodes/cpu-time.ts'
import { MemorySource } from '../../media/kit/memory-source.ts'
import { mutated } from '../../media/kit/mutations.ts'

const MIB = 1024 * 1024
/** Made before they are worked on: what is left over of making them is collected then, and not meanwhile. */
const BATCH = 25
/** Bytes from a key frame on in which pictures and sound have their heads. */
const CLUSTER_BYTES = 3000
/** One of so many segments is the head that all have in common. */
const HEAD_EVERY = 8
/** What a segment may take, ms of the processor. */
export const MOST_JOB_MS = 3000
/** So often a machine that is busy with others may have no processor for one. */
const MOST_LATE = 20
const never = new AbortController().signal

/** A film that is not damaged. */
export interface GoodFilm {
  readonly name: string
  readonly bytes: Uint8Array
  readonly plan: SegmentPlan
  /** Where it is damaged: its tables and what its key frames begin with most of all, and anywhere. */
  readonly places: readonly ByteRange[]
  readonly ways: PlanWays | undefined
}

/** A segment that is asked of a film. */
export interface DamagedJob {
  readonly job: SegmentJob
  readonly film: Uint8Array
}

/** What came of many. */
export interface Tally {
  readonly made: number
  readonly unreadable: number
  /** The longest that this thread worked without a turn of its loop while they were made, ms of the processor. */
  readonly mainMs: number
  /** The most that the process worked for one, with all threads that it has started for it, ms of the processor. */
  readonly jobMs: number
  /** What the process held more than before, MiB. */
  readonly grownMib: number
}

/** How a film says that it is cut; null = it is not. */
async function planIn(
  bytes: Uint8Array,
  ways?: PlanWays,
): Promise<{ plan: SegmentPlan; index: readonly ByteRange[] } | null> {
  const outcome = await readFacts(new MemorySource(bytes))
  const facts = outcome.kind === 'read' ? outcome.reading.facts : null
  try {
    return facts === null ? null : { plan: planOf(facts, bytes.length, null, ways), index: facts.index }
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** Reads a film that is to be damaged. */
export async function goodFilm(name: string, bytes: Uint8Array, ways?: PlanWays): Promise<GoodFilm> {
  const own = await planIn(bytes, ways)
  assert.ok(own !== null, name)
  const keys = own.plan.cuts.map(({ startByte }) => ({ start: startByte, end: startByte + CLUSTER_BYTES }))
  return { name, bytes, plan: own.plan, places: [...own.index, ...keys, { start: 0, end: bytes.length }], ways }
}

/** Segment of film number `seed`: its facts are of before it was damaged, or its own. */
export async function damagedJob({ name, bytes, plan, places, ways }: GoodFilm, seed: number): Promise<DamagedJob> {
  const film = mutated(bytes, places, seed)
  const asked = (seed % 2 === 0 ? await planIn(film, ways) : null)?.plan ?? plan
  const { picture, sound } = asked.byProgram
  const isCut = picture !== null || sound !== null
  const head = seed % HEAD_EVERY === 0 && !isCut ? headName(asked) : null
  const order = orderOf(asked, head ?? segmentName(asked, seed % asked.cuts.length))
  assert.ok(order !== null)
  const job = { tag: `${name}-${seed}`, size: film.length, order }
  return { job: isCut ? { ...job, cut: asked.byProgram } : job, film }
}

/** Lets the thread work on `count` of them, one after the other; each is made, or refused with a word. */
export async function workOn(
  thread: SegmentThread,
  count: number,
  make: (at: number) => Promise<DamagedJob>,
): Promise<Tally> {
  const collect = collector()
  const before = process.memoryUsage.rss()
  const most = { mainMs: 0, jobMs: 0, rss: before }
  let [made, unreadable] = [0, 0]
  // The thread is started, and what it runs is compiled.
  await isMade(thread, await make(0), { ...most })
  const stretches = new Stretches(ms => (most.mainMs = Math.max(most.mainMs, ms)))
  for (let first = 0; first < count; first += BATCH) {
    const batch: DamagedJob[] = []
    for (let at = first; at < Math.min(count, first + BATCH); at += 1) batch.push(await make(at))
    collect()
    stretches.begin()
    for (const one of batch) {
      if (await isMade(thread, one, most)) made += 1
      else unreadable += 1
    }
    stretches.end()
  }
  const { mainMs, jobMs, rss } = most
  return { made, unreadable, mainMs, jobMs, grownMib: Math.round((rss - before) / MIB) }
}

/** What one of them took at most so far. */
interface Most {
  mainMs: number
  jobMs: number
  rss: number
}

/** It was; else it was refused for what is in it. What the machine was too slow for is asked again, as players do. */
async function isMade(thread: SegmentThread, { job, film }: DamagedJob, most: Most): Promise<boolean> {
  const watch = (): void => void (most.rss = Math.max(most.rss, process.memoryUsage.rss()))
  for (let late = 0; ; late += 1) {
    const all = cpuTimeMs()
    const outcome = await thread.make(job, readable(film, watch), never)
    most.jobMs = Math.max(most.jobMs, cpuTimeMs() - all)
    watch()
    if (outcome.kind === 'made') return true
    if (outcome.kind === 'late' && late < MOST_LATE && cpuTimeMs() - all < MOST_JOB_MS) continue
    const what = `${job.tag}: ${JSON.stringify(outcome)}`
    assert.equal(outcome.kind, 'unreadable', what)
    assert.ok('why' in outcome && !('isCostly' in outcome), what)
    return false
  }
}

function readable(bytes: Uint8Array, watch: () => void): ReadableFilm {
  return {
    size: bytes.length,
    async read(start, length, into) {
      assert.ok(start >= 0 && length > 0 && start + length <= bytes.length, `${start}, ${length} of ${bytes.length}`)
      watch()
      into.set(bytes.subarray(start, start + length))
      return length
    },
  }
}

/** How long this thread works between two looks, of which there is one each millisecond that it has time for. */
class Stretches {
  readonly #found: (ms: number) => void
  #before = 0
  #looks: NodeJS.Timeout | null = null

  constructor(found: (ms: number) => void) {
    this.#found = found
  }

  begin(): void {
    this.#before = mainThreadMs()
    this.#looks = setInterval(() => this.#look(), 1)
  }

  end(): void {
    this.#look()
    if (this.#looks !== null) clearInterval(this.#looks)
  }

  #look(): void {
    const now = mainThreadMs()
    this.#found(now - this.#before)
    this.#before = now
  }
}

/** Collects what nobody holds any more. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
