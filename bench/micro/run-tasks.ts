// Runs the tasks of a tinybench and prints a row of each.

import type { Bench } from 'tinybench'
import { report, round, type Row } from '../lib/report.ts'

/** `title` is printed above the table: operations a second; mean, median and 99th percentile in microseconds. */
export async function runTasks(title: string, bench: Bench): Promise<void> {
  await bench.run()
  const rows = bench.tasks.map((task): Row => {
    const result = task.result
    if (result.state !== 'completed') return { task: task.name, failed: result.state }
    return {
      task: task.name,
      'ops/s': round(result.throughput.mean, 0),
      'mean us': round(result.latency.mean * 1000, 1),
      'p50 us': round(result.latency.p50 * 1000, 1),
      'p99 us': round(result.latency.p99 * 1000, 1),
    }
  })
  report(title, rows)
}
