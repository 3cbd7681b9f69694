// The engines of downloads over circuits, one a hop count, each made when a download first asks for it: a node without
// such downloads loads nothing of them. Passes everything through; decides nothing of a torrent.

import { AppError } from '../../../base/errors.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { CircuitFacts } from '../../../ports/overlay-network.ts'
import type { Circuits, HopCount } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { SessionFigures } from '../../../ports/engine-figures.ts'
import type { Log } from '../../../ports/log.ts'
import type { ResumeData } from '../../../ports/progress-journal.ts'
import type { FetchedSource, SourceFetch } from '../../../ports/source-fetch.ts'
import type { FurtherEngines } from '../../../node/engine/engine-additions.ts'
import type { TorrentEngine } from '../../../services/downloads/torrent-engine.ts'
import type { IpFilter } from '../../../torrent/index.ts'
import type { AnonymousEngine, AnonymousEngineDeps, AnonymousEngineOptions } from './anonymous-engine.ts'
import type { LateLane } from './late-lane.ts'

/** Circuits as the composition hands them in. */
export interface CircuitsSource {
  /** AppError CircuitsUnavailable where the settings forbid them. */
  check(): void
  /** Starts the overlay where it does not run; rejects with AppError CircuitsUnavailable. */
  open(): Promise<Circuits>
}

/** What the engines are made with; the lane is added here. */
export interface AnonymousEnginesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly circuits: CircuitsSource
  /** The settings now. */
  options(): AnonymousEngineOptions
  readonly parts: Omit<AnonymousEngineDeps, 'lane' | 'clock' | 'log'>
  loadResume(infoHash: InfoHash): Promise<ResumeData | null>
}

interface Started {
  readonly engine: AnonymousEngine
  readonly lane: LateLane
}

const NOTHING_KNOWN: CircuitFacts = { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }

/**
 * The engines of downloads over circuits, one a hop count, each made when a download first asks for it: a node without
 * such downloads loads nothing of them.
 */
export class NodeAnonymousEngines implements FurtherEngines {
  readonly #deps: AnonymousEnginesDeps
  readonly #making = new Map<HopCount, Promise<Started>>()
  readonly #started = new Map<HopCount, Started>()
  #filter: IpFilter | null = null
  #stopping = false

  constructor(deps: AnonymousEnginesDeps) {
    this.#deps = deps
  }

  check(): void {
    this.#deps.circuits.check()
  }

  async engine(hops: number): Promise<TorrentEngine> {
    return (await this.#of(hopCountOf(hops))).engine.session
  }

  sources(hops: number): SourceFetch {
    return {
      fetch: async (uri: string, signal?: AbortSignal): Promise<FetchedSource> =>
        (await this.#of(hopCountOf(hops))).engine.sources.fetch(uri, signal),
      close: () => Promise.resolve(),
    }
  }

  facts(hops: number): CircuitFacts {
    return this.#started.get(hopCountOf(hops))?.lane.facts() ?? NOTHING_KNOWN
  }

  loadResume(infoHash: InfoHash): Promise<ResumeData | null> {
    return this.#deps.loadResume(infoHash)
  }

  /** Of all that run. */
  figures(): SessionFigures[] {
    return [...this.#started.values()].map(({ engine }) => engine.figures())
  }

  /** Follows changed settings. */
  follow(changed: Pick<AnonymousEngineOptions, 'limits' | 'spread' | 'pex'>): void {
    for (const { engine } of this.#started.values()) engine.follow(changed)
  }

  setIpFilter(filter: IpFilter): void {
    this.#filter = filter
    for (const { engine } of this.#started.values()) engine.setIpFilter(filter)
  }

  /** As Session.stop(), for all. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#making.values()].map(one => this.#end(one, deadlineMs)))
  }

  async #end(making: Promise<Started>, deadlineMs: number): Promise<void> {
    const started = await making.catch(() => null)
    await started?.engine.stop(deadlineMs)
    await started?.lane.close()
  }

  #of(hops: HopCount): Promise<Started> {
    const known = this.#making.get(hops)
    if (known !== undefined) return known
    if (this.#stopping) return Promise.reject(new AppError('Aborted', 'The node is stopping.'))
    const making = this.#make(hops)
    this.#making.set(hops, making)
    making.catch(() => this.#making.delete(hops))
    return making
  }

  async #make(hops: HopCount): Promise<Started> {
    const { clock, log, circuits, parts } = this.#deps
    const [{ LateLane }, { startAnonymousEngine }] = await Promise.all([
      import('./late-lane.ts'),
      import('./anonymous-engine.ts'),
    ])
    const open = async () => (await circuits.open()).lane(hops)
    const lane = new LateLane(hops, { clock, log: log.part('anonymous'), open })
    const engine = await startAnonymousEngine(this.#deps.options(), { ...parts, clock, log, lane })
    const started = { engine, lane }
    this.#started.set(hops, started)
    if (this.#filter !== null) engine.setIpFilter(this.#filter)
    return started
  }
}

function hopCountOf(hops: number): HopCount {
  if (hops === 1 || hops === 2 || hops === 3) return hops
  throw new RangeError(`no circuits of ${hops} hops`)
}
