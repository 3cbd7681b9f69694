// Measures what thousands of incomplete downloads without known peers cost: memory, CPU and writes of a node after some
// minutes, and again after a restart, and how soon it wakes. `make rest-10000`; COUNT, MINUTES and WATCH_SEC change how
// many and how long, DEAD how many dead addresses the tracker names to each, FRESH=1: others at each announce. Ends
// with 1 when a target is missed.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { idleFigures } from '../nodes/idle-node.ts'
import { addManyDownloads } from '../nodes/many-downloads.ts'
import type { NodeProcess } from '../nodes/node-process.ts'
import { residentMiB } from '../nodes/resident-memory.ts'
import {
  allLoaded,
  type IdleTracker,
  suspendedNode,
  startIdleTracker,
  wokenByPeer,
  wokenByReader,
  wokenByTracker,
} from '../nodes/suspended-downloads.ts'

const COUNT = Number(process.env['COUNT'] ?? 10_000)
const MINUTES = Number(process.env['MINUTES'] ?? 10)
/** CPU and writes are taken over this time at the end, seconds. */
const WATCH_SEC = Number(process.env['WATCH_SEC'] ?? 120)
const DEAD = Number(process.env['DEAD'] ?? 3)
const MAX_MIB = 200
const MAX_CPU = 1
/**
 * A peer and a tracker wake one at once; a reader has the tracker asked, which may have to wait for its min interval.
 */
const MAX_WAKE_MS = { peer: 2000, tracker: 2000, reader: 10_000 } as const

/** Prints what was found; what is beyond its target makes the run fail. */
function say(what: string, value: string, kept: boolean): void {
  console.log(`  ${what}: ${value}${kept ? '' : '  MISSED'}`)
  if (!kept) process.exitCode = 1
}

/** Figures of the last seconds of some minutes. */
async function measure(what: string, node: NodeProcess, tracker: IdleTracker, data: string): Promise<void> {
  await pause(Math.max(0, MINUTES * 60_000 - WATCH_SEC * 1000))
  const announcesBefore = tracker.announces.length
  const { mib, cpuPercent, writtenBytes, stateWrites, dataChanges } = await idleFigures(node, data, WATCH_SEC)
  const announces = tracker.announces.length - announcesBefore
  console.log(
    `${what}: ${COUNT} downloads, after ${MINUTES} minutes; the last ${WATCH_SEC} s (${announces} announces):`,
  )
  say('memory', `${mib.toFixed(0)} MiB of ${MAX_MIB}`, mib <= MAX_MIB)
  say('CPU', `${cpuPercent.toFixed(2)} % of a core of ${MAX_CPU}`, cpuPercent <= MAX_CPU)
  const most = Math.max(0, ...stateWrites.values())
  const names = [...stateWrites].map(([name, times]) => `${name} ${times} x`).join(', ')
  say(
    'state folder',
    `${writtenBytes} bytes; ${names === '' ? 'no file' : names}`,
    most <= Math.floor(WATCH_SEC / 60) + 1,
  )
  say('data folder', `${dataChanges.length} changes`, dataChanges.length === 0)
}

/** Of three downloads that are suspended: how soon each is awake. */
async function wake(node: NodeProcess, tracker: IdleTracker, infoHashes: readonly string[]): Promise<void> {
  const [peer = '', named = '', reader = ''] = infoHashes
  const times = {
    peer: await wokenByPeer(node, peer),
    tracker: await wokenByTracker(node, tracker, named),
    reader: await wokenByReader(node, tracker, reader),
  }
  for (const [who, ms] of Object.entries(times)) {
    const limit = MAX_WAKE_MS[who as keyof typeof MAX_WAKE_MS]
    say(`woken by a ${who}`, `${ms.toFixed(0)} ms of ${limit}`, ms <= limit)
  }
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-rest-'))
const data = path.join(folder, 'data')
const tracker = await startIdleTracker(DEAD, process.env['FRESH'] === '1')
const start = await suspendedNode(folder, data)
let node = await start()
try {
  await allLoaded(node)
  const infoHashes = await addManyDownloads(node, COUNT, tracker.url)
  console.log(
    `${infoHashes.length} added; ${residentMiB(node.pid).toFixed(0)} MiB; the tracker names 1 to ${DEAD} dead addresses`,
  )
  await measure('added', node, tracker, data)
  await wake(node, tracker, infoHashes.slice(0, 3))
  await node.kill('SIGTERM')
  const beganMs = performance.now()
  node = await start()
  await allLoaded(node)
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1)
  console.log(`restarted, ready after ${seconds} s; ${residentMiB(node.pid).toFixed(0)} MiB`)
  await measure('restarted', node, tracker, data)
  await wake(node, tracker, infoHashes.slice(3, 6))
} finally {
  await node.kill('SIGTERM')
  await tracker.stop()
  await rm(folder, { recursive: true, force: true })
}
