// The overlay as the rest of the node has it: started when circuits or channels are first asked for (or with the node,
// where settings say so), stopped with the node. Before that it is a few empty lists, and none of its code is loaded.

import { makeDeferred } from '../../../base/deferred.ts'
import { AppError, errorText } from '../../../base/errors.ts'
import type { Communities, OverlayDht, SignatureCheck } from '../core/index.ts'
import type { Log } from '../../../ports/log.ts'
import type { CircuitEvent, OverlayFacts } from '../ports/overlay-facts.ts'
import { nothingRuns } from './overlay-nothing.ts'
import type { OverlayRider } from './overlay-rider.ts'
import type { OverlayStartDeps, RunningOverlay } from './overlay-start.ts'
import { overlaysOff, switchedOff } from './overlay-switch.ts'
import type { OverlaySettings } from './settings-overlay.ts'

/** What it needs of the node. */
export interface OverlayPartsDeps extends OverlayStartDeps {
  readonly log: Log
  settings(): OverlaySettings
  /** Starts it; tests replace it. */
  readonly start?: (settings: OverlaySettings, deps: OverlayStartDeps) => Promise<RunningOverlay>
}

/** Overlays of the node with their DHT. */
export interface OverlaysWithDht {
  readonly communities: Communities
  readonly dht: OverlayDht
  readonly check: SignatureCheck
}

type Happened = (event: CircuitEvent) => void

/**
 * The overlay as the rest of the node has it: started when circuits or channels are first asked for (or with the node,
 * where settings say so), stopped with the node.
 */
export class OverlayParts {
  readonly #deps: OverlayPartsDeps
  readonly #watches = new Set<Happened>()
  #starting: Promise<RunningOverlay> | null = null
  #running: RunningOverlay | null = null
  #endWatch: () => void = () => undefined
  #stopped = false

  constructor(deps: OverlayPartsDeps) {
    this.#deps = deps
  }

  /** What it reports; empty before it runs. Events come from then on. */
  readonly facts: OverlayFacts = this.#makeFacts()

  /** AppError CircuitsUnavailable where the settings forbid them. */
  check(): void {
    const setting = switchedOff(this.#deps.settings())
    if (setting !== '') throw new AppError('CircuitsUnavailable', `Setting ${setting} forbids circuits.`)
    if (this.#stopped) throw new AppError('CircuitsUnavailable', 'The node is stopping.')
  }

  /** Starts the overlay where it does not run, and what runs on it; rejects with AppError CircuitsUnavailable. */
  async open(): Promise<OverlayRider> {
    this.check()
    const { rider } = await this.#start()
    rider.open()
    return rider
  }

  /**
   * Overlays that the caller may open. AppError CircuitsUnavailable: settings forbid overlays, or it could not be
   * started now.
   */
  async communities(): Promise<Communities> {
    const setting = overlaysOff(this.#deps.settings())
    if (setting !== '') throw new AppError('CircuitsUnavailable', `Setting ${setting} forbids overlays.`)
    if (this.#stopped) throw new AppError('CircuitsUnavailable', 'The node is stopping.')
    return (await this.#start()).communities
  }

  /** With what overlays of their own are made, and their DHT. AppError CircuitsUnavailable, as communities(). */
  async withDht(): Promise<OverlaysWithDht> {
    await this.communities()
    const { communities, dht, check } = await this.#start()
    return { communities, dht, check }
  }

  /** Starts it where the settings ask for that; a failure is logged. Never rejects. */
  async startIfAsked(wanted: boolean): Promise<void> {
    if (!wanted || this.#stopped) return
    try {
      const running = await this.#start()
      if (!this.#stopped && switchedOff(this.#deps.settings()) === '') running.rider.open()
    } catch (error) {
      this.#deps.log.error('the overlay could not be started', { error: errorText(error) })
    }
  }

  /** Ends it within `deadlineMs`. No event comes and nothing is sent after it. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true
    this.#endWatch()
    this.#watches.clear()
    this.#running = null
    const stopped = this.#starting?.catch(() => null).then(running => running?.stop(deadlineMs))
    // A start that hangs is not waited for either; what comes of it is stopped then.
    const late = makeDeferred<undefined>()
    const timer = this.#deps.clock.after(deadlineMs, () => late.resolve(undefined))
    await Promise.race([stopped, late.promise])
    timer.cancel()
  }

  /** One start at a time; one that failed may be tried again. */
  #start(): Promise<RunningOverlay> {
    this.#starting ??= this.#make().catch((error: unknown) => {
      this.#starting = null
      const reason = `The overlay could not be started: ${errorText(error)}`
      throw new AppError('CircuitsUnavailable', reason, { cause: error })
    })
    return this.#starting
  }

  async #make(): Promise<RunningOverlay> {
    const start = this.#deps.start ?? (await import('./overlay-start.ts')).startOverlay
    const running = await start(this.#deps.settings(), this.#deps)
    if (this.#stopped) return running
    this.#running = running
    this.#endWatch = running.facts.watch(event => {
      for (const happened of this.#watches) happened(event)
    })
    return running
  }

  #makeFacts(): OverlayFacts {
    const now = (): OverlayFacts => this.#running?.facts ?? nothingRuns
    const isRunning = (): boolean => this.#running !== null
    return {
      get running() {
        return isRunning()
      },
      wanAddress: () => now().wanAddress(),
      lanAddress: () => now().lanAddress(),
      runtimeS: () => now().runtimeS(),
      overlays: () => now().overlays(),
      circuits: () => now().circuits(),
      joined: () => now().joined(),
      places: () => now().places(),
      traffic: () => now().traffic(),
      candidates: () => now().candidates(),
      watch: happened => {
        this.#watches.add(happened)
        return () => this.#watches.delete(happened)
      },
    }
  }
}
