// Counts of times by how long they were: plain arrays, some ten nanoseconds a time.

import type { MetricSample } from '../services/diagnostics/metrics-api.ts'

/** Upper ends of the buckets, milliseconds: from a cached range to a first piece from a slow swarm. */
const EDGES_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000]

/** Times since the start. */
export class LatencyHistogram {
  readonly #counts = new Float64Array(EDGES_MS.length + 1)
  #sumMs = 0

  /** Counts one time, milliseconds. */
  observe(ms: number): void {
    let bucket = 0
    while (bucket < EDGES_MS.length && ms > (EDGES_MS[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sumMs += ms
  }

  /** The samples of a Prometheus histogram in seconds; each bucket holds those before it. */
  samples(labels: Readonly<Record<string, string>> = {}): MetricSample[] {
    let count = 0
    const buckets = [...this.#counts].map((own, at): MetricSample => {
      count += own
      const edge = EDGES_MS[at]
      const le = edge === undefined ? '+Inf' : String(edge / 1000)
      return { suffix: '_bucket', labels: { ...labels, le }, value: count }
    })
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sumMs / 1000 },
      { suffix: '_count', labels, value: count },
    ]
  }
}
