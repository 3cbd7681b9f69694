// Loaded into the measured node with `--import`: watches the delay of its main loop. On SIGUSR2, and when the process
// ends, it writes the figures since the last time as JSON to the file BENCH_LOOP_DELAY and begins again, or rests while
// a file of that name with `.rest` is there: 200 looks a second are some 1 % of a core where nothing else happens.

import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const path = process.env['BENCH_LOOP_DELAY']

if (isMainThread && path !== undefined) {
  const resolutionMs = 5
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let written = 0
  // The histogram counts the timer's own period: what is above it is the delay. It is NaN where nothing was counted.
  const above = (nanoseconds: number) => Math.max(0, (nanoseconds || 0) / 1e6 - resolutionMs)
  const write = () => {
    const figures = {
      p50: above(histogram.percentile(50)),
      p99: above(histogram.percentile(99)),
      max: histogram.count === 0 ? 0 : above(histogram.max),
      written: ++written,
    }
    histogram.reset()
    if (existsSync(`${path}.rest`)) histogram.disable()
    else histogram.enable()
    writeFileSync(`${path}.new`, JSON.stringify(figures))
    renameSync(`${path}.new`, path)
  }
  process.on('SIGUSR2', write)
  process.on('exit', write)
}
