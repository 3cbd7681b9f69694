// Loaded into the measured node with `--import`: watches the delay of its main loop and writes the figures, as JSON, to
// the file BENCH_LOOP_DELAY when the process ends.

import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const path = process.env['BENCH_LOOP_DELAY']

if (isMainThread && path !== undefined) {
  const resolutionMs = 5
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  // The histogram counts the timer's own period: what is above it is the delay.
  const above = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  process.on('SIGUSR2', () => histogram.reset())
  process.on('exit', () => {
    const figures = {
      p50: above(histogram.percentile(50)),
      p99: above(histogram.percentile(99)),
      max: above(histogram.max),
    }
    writeFileSync(path, JSON.stringify(figures))
  })
}
