// Figures for a monitoring system, in the terms of Prometheus (https://prometheus.io/docs/concepts/data_model/).

/** One number; `suffix` and labels tell it from the others of its family. */
export interface MetricSample {
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Numbers of one name. Counters only grow while the process runs; units are seconds and bytes. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly samples: readonly MetricSample[]
}

/** GET /metrics, without what the HTTP front itself counts. */
export interface MetricsService {
  families(): Promise<readonly MetricFamily[]>
}
