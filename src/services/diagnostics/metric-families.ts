// Families of figures, made in one line each. Pure.

import type { MetricFamily, MetricSample } from './metrics-api.ts'

/** Numbers that only grow while the process runs; the name ends in `_total`. */
export function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'counter', samples }
}

/** Numbers that go both ways. */
export function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'gauge', samples }
}
