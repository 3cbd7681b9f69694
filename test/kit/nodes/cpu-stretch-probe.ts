// Loaded into a node with `--import`: watches how long its main thread works without a turn of the loop, in time on a
// processor, so that a busy machine changes nothing. The file CPU_STRETCH has the longest, ms, since the last SIGUSR2.
// CPU_STRETCH_EXACT=1: every turn is looked at, which keeps the thread busy; else some are, and a count is longer than
// the turn. Linux alone.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Between two looks; what lies between them is at most one stretch and this, ms. */
const LOOK_MS = 5

const path = process.env['CPU_STRETCH']

if (isMainThread && path !== undefined) {
  // The first field: ns on a processor (proc(5) of the kernel, schedstat).
  const usedMs = (): number =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  let before = usedMs()
  let longest = 0
  let resets = 0
  const write = (): void => {
    writeFileSync(`${path}.new`, JSON.stringify({ longest, resets }))
    renameSync(`${path}.new`, path)
  }
  const look = (): void => {
    const now = usedMs()
    const stretch = now - before
    before = now
    if (stretch <= longest) return
    longest = stretch
    write()
    before = usedMs()
  }
  const lookEachTurn = (): void => {
    look()
    setImmediate(lookEachTurn).unref()
  }
  if (process.env['CPU_STRETCH_EXACT'] === '1') lookEachTurn()
  else setInterval(look, LOOK_MS).unref()
  process.on('SIGUSR2', () => {
    before = usedMs()
    longest = 0
    resets += 1
    write()
  })
}
