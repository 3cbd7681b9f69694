// What the HTTP front counts of its requests: how long until the answer began, with which status, and for streams how
// long until the first byte of the file.

import type { Clock } from '../ports/clock.ts'
import type { MetricFamily } from '../services/diagnostics/metrics-api.ts'
import { LatencyHistogram } from './latency-histogram.ts'

/** Statuses are below this. */
const MAX_STATUS = 600
/** Label of requests that no route was found for. */
const NO_ROUTE = 'none'

/** What times are counted by. */
interface MeteredRoute {
  readonly id: string
}

/** Of all requests since the start. */
export class RequestMeter {
  readonly #clock: Pick<Clock, 'now'>
  readonly #byRoute = new Map<MeteredRoute | null, LatencyHistogram>()
  readonly #byStatus = new Float64Array(MAX_STATUS)
  readonly #firstBytes = new LatencyHistogram()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** The time, milliseconds; only differences mean something. */
  now(): number {
    return this.#clock.now()
  }

  /** The head of an answer goes out; how long that took, milliseconds. */
  answered(route: MeteredRoute | null, status: number, beganMs: number): number {
    let times = this.#byRoute.get(route)
    if (times === undefined) this.#byRoute.set(route, (times = new LatencyHistogram()))
    const tookMs = this.#clock.now() - beganMs
    times.observe(tookMs)
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1
    return tookMs
  }

  /** The first byte of a file went out to a reader, that long after its request. */
  firstByte(tookMs: number): void {
    this.#firstBytes.observe(tookMs)
  }

  families(): MetricFamily[] {
    const statuses = [...this.#byStatus.entries()].filter(([, count]) => count > 0)
    return [
      {
        name: 'tributary_http_request_duration_seconds',
        help: 'From a request to the head of its answer, by route.',
        type: 'histogram',
        samples: [...this.#byRoute].flatMap(([route, times]) => times.samples({ route: route?.id ?? NO_ROUTE })),
      },
      {
        name: 'tributary_http_responses_total',
        help: 'Answers by status.',
        type: 'counter',
        samples: statuses.map(([code, value]) => ({ labels: { code: String(code) }, value })),
      },
      {
        name: 'tributary_stream_first_byte_seconds',
        help: 'From the request of a stream (a seek) to its first byte.',
        type: 'histogram',
        samples: this.#firstBytes.samples(),
      },
    ]
  }
}
