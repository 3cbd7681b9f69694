// What thousands of incomplete downloads cost that know nobody: memory, CPU and writes of a node after some minutes, and
// again after a restart. `make rest-10000`; COUNT and MINUTES change how many and how long.

import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { startHttpTracker } from './http-tracker.ts'
import { addManyDownloads } from './many-downloads.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import { residentMiB } from './resident-memory.ts'
import { waitFor } from './wait-for.ts'

const COUNT = Number(process.env['COUNT'] ?? 10_000)
const MINUTES = Number(process.env['MINUTES'] ?? 10)
/** CPU and writes are taken over this time at the end, seconds. */
const WATCH_SEC = Number(process.env['WATCH_SEC'] ?? 120)
const MAX_MIB = 200
const MAX_CPU = 1
/** Clock ticks of /proc a second. */
const TICKS = 100

function cpuSec(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Times of the last changes of all files and folders below, newest last, ms since 1970. */
async function changes(folder: string): Promise<{ name: string; atMs: number }[]> {
  const names = await readdir(folder, { recursive: true })
  const looks = names.map(async name => ({ name, atMs: (await stat(path.join(folder, name))).mtimeMs }))
  const found = (await Promise.allSettled(looks)).flatMap(look => (look.status === 'fulfilled' ? [look.value] : []))
  return found.sort((a, b) => a.atMs - b.atMs)
}

/** Figures of the last seconds; the exit code says whether they keep what is promised. */
async function measure(what: string, node: NodeProcess, data: string): Promise<void> {
  await pause(MINUTES * 60_000 - WATCH_SEC * 1000)
  const [sinceMs, cpu] = [Date.now(), cpuSec(node.pid)]
  const written = new Map<string, Set<number>>()
  for (let second = 0; second < WATCH_SEC; second += 1) {
    await pause(1000)
    for (const { name, atMs } of await changes(node.stateDir)) {
      if (atMs <= sinceMs) continue
      written.set(name, (written.get(name) ?? new Set()).add(atMs))
    }
  }
  const percent = ((cpuSec(node.pid) - cpu) / WATCH_SEC) * 100
  const mib = residentMiB(node.pid)
  const touched = (await changes(data)).filter(({ atMs }) => atMs > sinceMs)
  console.log(
    `${what}: ${COUNT} downloads, ${MINUTES} minutes: ${mib.toFixed(0)} MiB, ${percent.toFixed(2)} % of a core`,
  )
  console.log(`  data folders: ${touched.length} changes; state folder in ${WATCH_SEC} s:`)
  for (const [name, times] of written) console.log(`    ${name}: written ${times.size} times`)
  const often = [...written.values()].some(times => times.size > Math.ceil(WATCH_SEC / 60))
  if (mib > MAX_MIB || percent > MAX_CPU || touched.length > 0 || often) process.exitCode = 1
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-rest-'))
const data = path.join(folder, 'data')
const tracker = await startHttpTracker('127.0.0.1', { intervalSec: 1800, minIntervalSec: 900 })
const options = {
  stateDir: path.join(folder, 'state'),
  settings: {
    'download_defaults.saveas': data,
    'general.allowed_paths': folder,
    // The tracker knows who it is after a restart: else it would name the node that was.
    'libtorrent.port': await freePort(),
  },
}
let node = await startNode(options)
try {
  const { length } = await addManyDownloads(node, COUNT, tracker.url)
  console.log(`${length} added; ${residentMiB(node.pid).toFixed(0)} MiB`)
  await measure('added', node, data)
  await node.kill('SIGTERM')
  const beganMs = performance.now()
  node = await startNode({ ...options, until: 'listening' })
  await waitFor('ready', () => node.logs().stdout.includes('Ready.'), 300_000)
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1)
  console.log(`restarted, ready after ${seconds} s; ${residentMiB(node.pid).toFixed(0)} MiB`)
  await measure('restarted', node, data)
} finally {
  await node.kill('SIGTERM')
  await tracker.stop()
  await rm(folder, { recursive: true, force: true })
}
