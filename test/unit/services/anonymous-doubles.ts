// Doubles of the engines over circuits: one fake engine a hop count.

import { AppError } from '../../../src/base/errors.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import type { CircuitFacts } from '../../../src/ports/overlay-network.ts'
import type { ResumeData } from '../../../src/ports/progress-journal.ts'
import type { SourceFetch } from '../../../src/ports/source-fetch.ts'
import type { AnonymousEngines } from '../../../src/services/downloads/torrent-engine.ts'
import { FakeEngine } from './service-doubles.ts'

/** Engines over circuits that only remember. */
export class FakeAnonymousEngines implements AnonymousEngines {
  readonly engines = new Map<number, FakeEngine>()
  /** Thrown by check(). */
  forbidden: AppError | null = null
  /** What http sources answer, by hops and url: `2 http://x`. */
  readonly fetched = new Map<string, Uint8Array>()
  readonly resumes = new Map<InfoHash, ResumeData>()
  readonly known = new Map<number, CircuitFacts>()

  check(): void {
    if (this.forbidden !== null) throw this.forbidden
  }

  of(hops: number): FakeEngine {
    const engine = this.engines.get(hops) ?? new FakeEngine()
    this.engines.set(hops, engine)
    return engine
  }

  async engine(hops: number): Promise<FakeEngine> {
    return this.of(hops)
  }

  sources(hops: number): SourceFetch {
    return {
      fetch: async uri => {
        const bytes = this.fetched.get(`${hops} ${uri}`)
        if (bytes === undefined) throw new AppError('SourceFailed')
        return { kind: 'bytes', bytes }
      },
      close: async () => undefined,
    }
  }

  facts(hops: number): CircuitFacts {
    const none = { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }
    if (!this.known.has(hops)) this.known.set(hops, none)
    return this.known.get(hops) ?? none
  }

  async loadResume(infoHash: InfoHash): Promise<ResumeData | null> {
    return this.resumes.get(infoHash) ?? null
  }
}
