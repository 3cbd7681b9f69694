// The text format of Prometheus, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). Pure.

import type { MetricFamily, MetricSample } from '../services/diagnostics/metrics-api.ts'

/** Type of the answer. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The families in their order; those without samples are left out. */
export function expositionText(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const rows = samples.map(sample => `${name}${sample.suffix ?? ''}${labelText(sample)} ${sample.value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${rows.join('')}`
    })
    .join('')
}

function labelText({ labels = {} }: MetricSample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, character => (character === '\n' ? '\\n' : `\\${character}`))
}
