// Segments of a film on disk, made without a thread.

import assert from 'node:assert/strict'
import { SegmentMaking } from '../../../../src/chapters/hls/convert/make-segment.ts'
import type { SegmentJob, SegmentOutcome } from '../../../../src/chapters/hls/convert/thread-messages.ts'
import {
  orderOf,
  planOf,
  type PlanWays,
  segmentName,
  type SegmentPlan,
} from '../../../../src/chapters/hls/core/segment-plan.ts'
import { readFacts } from '../../../../src/chapters/media/probe/read-facts.ts'
import { DiskSource } from '../../media/kit/memory-source.ts'

/** The bytes of a segment that was made. */
export function madeBytes(outcome: SegmentOutcome): Uint8Array {
  if (outcome.kind !== 'made') throw new Error(JSON.stringify(outcome))
  return outcome.bytes
}

/** A film that is cut; the caller closes it. */
export class CutFilm {
  readonly plan: SegmentPlan
  readonly source: DiskSource
  readonly #path: string

  private constructor(path: string, source: DiskSource, plan: SegmentPlan) {
    this.#path = path
    this.source = source
    this.plan = plan
  }

  /** `sound`: number of its sound track; null = the default one. */
  static async open(path: string, sound: number | null = null, ways?: PlanWays): Promise<CutFilm> {
    const source = new DiskSource(path)
    const outcome = await readFacts(source)
    const facts = outcome.kind === 'read' ? outcome.reading.facts : null
    assert.ok(facts !== null, JSON.stringify(outcome))
    return new CutFilm(path, source, planOf(facts, source.size, sound, ways))
  }

  /** What a thread is told to make segment `number`. */
  job(number: number): SegmentJob {
    return this.named(segmentName(this.plan, number))
  }

  /** The same by its name. */
  named(name: string): SegmentJob {
    const order = orderOf(this.plan, name)
    assert.ok(order !== null)
    return { tag: this.#path, size: this.source.size, order }
  }

  /** Makes one, by what has made none before. */
  segment(number: number, making = new SegmentMaking()): Promise<Uint8Array> {
    return this.made(this.job(number), making)
  }

  /** Does a job. */
  async made(job: SegmentJob, making = new SegmentMaking()): Promise<Uint8Array> {
    const outcome = await making.make(job, this.source, () => undefined)
    return madeBytes(outcome)
  }

  /** All of them, the last first, in their order. */
  async all(): Promise<Uint8Array[]> {
    const segments: Uint8Array[] = []
    for (let number = this.plan.cuts.length - 1; number >= 0; number -= 1) segments.unshift(await this.segment(number))
    return segments
  }
}
