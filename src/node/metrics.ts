// GET /metrics put together, and the figures of the process. Loaded when it is asked for: a node that is not scraped
// has no watch on its event loop, which costs 0.2 % of a core.

import { readdir } from 'node:fs/promises'
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Clock, Timer } from '../ports/clock.ts'
import type { OverlayNetwork } from '../ports/overlay-network.ts'
import type { VolumeFacts } from '../ports/volumes.ts'
import type { MetricFamily } from '../services/diagnostics/metrics-api.ts'
import { type EngineMetrics, NodeMetrics, type ProcessFigures } from '../services/diagnostics/metrics.ts'

/** Milliseconds between two looks at the loop. Its histogram counts from one look to the next. */
const RESOLUTION_MS = 20
/** So long without a scrape: none comes any more. */
const UNASKED_MS = 10 * 60_000
const QUANTILES = [0.5, 0.9, 0.99, 1]
const NS = 1e9

/** How late the event loop is, watched while scrapes come. */
class LoopDelay {
  readonly #clock: Clock
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #sumSeconds = 0
  #count = 0
  #unasked: Timer | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Since the last call. */
  read(): ProcessFigures['loopDelay'] {
    const watched = this.#histogram
    const { count, mean } = watched
    const quantiles = QUANTILES.map((quantile): [number, number] => [
      quantile,
      lateness(watched.percentile(quantile * 100)),
    ])
    if (count > 0) this.#sumSeconds += count * lateness(mean)
    this.#count += count
    // A reset takes the next look's begin away too: scrapes in between two looks would never see any.
    if (count > 0) watched.reset()
    watched.enable()
    this.#unasked?.cancel()
    this.#unasked = this.#clock.after(UNASKED_MS, () => this.stop())
    return { quantiles: count > 0 ? quantiles : [], sumSeconds: this.#sumSeconds, count: this.#count }
  }

  stop(): void {
    this.#unasked?.cancel()
    this.#histogram.disable()
    this.#histogram.reset()
  }
}

function lateness(ns: number): number {
  return Math.max(0, ns / NS - RESOLUTION_MS / 1000)
}

/** What the node gives. */
export interface MetricsParts {
  readonly clock: Clock
  readonly version: string
  databaseBytes(): Promise<number>
  volumes(): readonly VolumeFacts[]
  engine(): EngineMetrics | null
  overlay(): OverlayNetwork | null
  others(): readonly MetricFamily[]
}

/** The figures of this process; stop() ends the watch on its event loop. */
export function makeMetrics({ clock, ...parts }: MetricsParts): {
  readonly service: NodeMetrics
  stop(): void
} {
  const loop = new LoopDelay(clock)
  const process = async (): Promise<ProcessFigures> => ({ ...(await processFigures()), loopDelay: loop.read() })
  return {
    service: new NodeMetrics({ ...parts, process }),
    stop: () => loop.stop(),
  }
}

async function processFigures(): Promise<Omit<ProcessFigures, 'loopDelay'>> {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  const descriptors = await readdir('/proc/self/fd').catch(() => null)
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapUsedBytes: heapUsed,
    heapTotalBytes: heapTotal,
    startedAtSeconds: performance.timeOrigin / 1000,
    // Without the one that the list is read from.
    openDescriptors: descriptors === null ? null : descriptors.length - 1,
    loopBusySeconds: performance.eventLoopUtilization().active / 1000,
  }
}
