// Start: from the start of the process to its first answer, to STARTED and to a list that names every torrent; memory
// and CPU when idle; with no torrents and with thousands that seed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, inPlace, pass } from '../lib/bench-place.ts'
import { type BenchTorrent, makeTinyTorrents } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { processCost } from '../lib/process-cost.ts'
import { median } from '../lib/report.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { Client, ClientKind } from '../lib/rivals/client.ts'
import { startPlain } from '../lib/rivals/tributary.ts'
import { type CaseResult, type Figures, OURS } from '../lib/samples.ts'
import { takeTurns, type Turn } from '../lib/turns.ts'

const SETTLE_MS = { quick: 1000, standard: 1500, all: 1500 }
/** V8 gives back what a start has used some eight seconds after it: memory of these is looked at when it has. */
const ON_V8 = new Set([OURS, 'webtorrent'])
const V8_SETTLE_MS = 10_000
const BARE_RUNS = 3
const IDLE_MS = { quick: 2000, standard: 4000, all: 4000 }

/** These check each torrent again, or only so many a second: they keep their torrents stopped. */
const STOPPED = new Set(['transmission', 'aria2'])
const RIVALS_MOST = 5000

/** Memory after it has settled, and CPU in the stretch after that. */
async function restFigures(client: Client, level: FlowOptions['level'], onV8: boolean): Promise<Figures> {
  const ms = IDLE_MS[level]
  await pass(onV8 ? V8_SETTLE_MS : SETTLE_MS[level])
  const before = processCost(client.pid)
  await pass(ms)
  const after = processCost(client.pid)
  const idle = ((after.cpuSec - before.cpuSec) / (ms / 1000)) * 100
  return { 'RSS MiB': after.rssMiB, 'anon MiB': after.anonMiB, 'idle CPU %': idle }
}

function starter(kind: ClientKind): ClientKind['start'] {
  return kind.name === OURS ? startPlain : kind.start
}

/** How long Node itself takes to start, run nothing and end, ms: the median of some runs, in the same round. */
async function bareNodeMs(): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < BARE_RUNS; run++) {
    const begin = performance.now()
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close')
    times.push(performance.now() - begin)
  }
  return median(times)
}

async function startOnce(kind: ClientKind, where: Where, count: number, level: FlowOptions['level']): Promise<Figures> {
  const early = kind.name === OURS && count > 0 ? await listEarly(kind, where, count) : {}
  const bareMs = kind.name === OURS ? await bareNodeMs() : null
  const begin = performance.now()
  const { client, firstAnswerMs, startedMs } = await starter(kind)(where.home, where.ip)
  try {
    const figures: Figures = { 'first answer ms': firstAnswerMs, 'started ms': await startedMs }
    if (bareMs !== null) figures['x node -e 0'] = firstAnswerMs / bareMs
    const listed = count > 0 ? await untilListed(client, count, begin) : {}
    const onV8 = ON_V8.has(kind.name)
    return { ...figures, ...listed, ...early, ...(await restFigures(client, level, onV8)) }
  } finally {
    await client.stop()
  }
}

/** In a start of its own: what others do with the list only after they have started, ours can be asked before. */
async function listEarly(kind: ClientKind, where: Where, count: number): Promise<Figures> {
  const begin = performance.now()
  const { client, startedMs } = await starter(kind)(where.home, where.ip)
  try {
    const [listed] = await Promise.all([untilListed(client, count, begin), startedMs])
    return listed
  } finally {
    await client.stop()
  }
}

/** Until a list names every torrent. */
async function untilListed(client: Client, count: number, beginMs: number): Promise<Figures> {
  while ((await client.count()) < count) {
    if (performance.now() - beginMs > 300_000) throw new Error('not all torrents came back')
    await pass(5)
  }
  return { 'all listed ms': performance.now() - beginMs }
}

/** One client's folder, and the address that its settings there name. */
interface Where {
  readonly home: string
  readonly ip: string
}

/** Starts `kind` once, gives it the torrents and stops it: what is measured is a start with them there. */
async function prepare(place: BenchPlace, kind: ClientKind, torrents: readonly BenchTorrent[]): Promise<Where> {
  const home = await place.folder.sub(`start-${kind.name}-${torrents.length}`)
  const where = { home, ip: place.hosts.next() }
  if (torrents.length === 0) return where
  const { client, startedMs } = await starter(kind)(where.home, where.ip)
  try {
    await startedMs
    const dir = torrents[0]?.dir ?? ''
    await client.addMany(torrents, dir, STOPPED.has(kind.name) ? 'stopped' : 'seeding')
  } finally {
    await client.stop()
  }
  return where
}

async function startsWith(
  place: BenchPlace,
  options: FlowOptions,
  kinds: readonly ClientKind[],
  torrents: readonly BenchTorrent[],
  failures: string[],
): Promise<CaseResult> {
  const count = torrents.length
  const able = kinds.filter(kind => kind.name === OURS || count === 0 || kind.can.has('restart'))
  const playing = able.filter(kind => kind.name === OURS || count <= RIVALS_MOST || options.level === 'all')
  const turns: Turn[] = []
  for (const kind of playing) {
    try {
      const where = await prepare(place, kind, torrents)
      const name = count > 0 && STOPPED.has(kind.name) ? `${kind.name} (stopped)` : kind.name
      turns.push({ client: name, run: () => startOnce(kind, where, count, options.level) })
    } catch (error) {
      failures.push(`FAILED start with ${count}: ${kind.name}: ${String(error)}`)
    }
  }
  const found = await takeTurns(`start with ${count}`, 'first answer ms', turns, options, failures)
  for (const kind of playing)
    await rm(join(place.folder.path, `start-${kind.name}-${count}`), { recursive: true, force: true })
  return found
}

export const start: Flow = {
  name: 'start',
  run: options =>
    inPlace(async place => {
      const { kinds, notes } = clientsThatCan(['start'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const counts = options.counts ?? (options.level === 'quick' ? [0] : [0, 1000, 5000, 10_000])
      const [dir, metainfo] = [await place.folder.sub('content'), await place.folder.sub('metainfo')]
      const torrents = await makeTinyTorrents(dir, metainfo, Math.max(...counts))
      for (const count of counts)
        cases.push(await startsWith(place, options, kinds, torrents.slice(0, count), failures))
      failures.push('libtorrent and webtorrent keep no list of torrents between two starts')
      return { title: 'Start and rest', cases, notes: failures }
    }),
}

await runAlone(start, import.meta.url)
