// Scale: a node with 100,000 seeds (--counts for others). How soon its list can be asked for and all are loaded, also
// after kill -9; pages of the list with a filter; adding one; memory and CPU at rest; how it stops. Then how many
// announces come in time, with as many a second as that many torrents have at a tracker's usual half hour.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchPlace, inPlace, pass } from '../lib/bench-place.ts'
import { watchAnnounces } from '../lib/announce-times.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { call, callJson } from '../lib/local-http.ts'
import { makeManySeeds, tinySeed } from '../lib/many-seeds.ts'
import { type MeasuredNode, startMeasuredNode } from '../lib/measured-node.ts'
import { processCost } from '../lib/process-cost.ts'
import { type CaseResult, type Figures, type Metric, OURS } from '../lib/samples.ts'
import { runWrk, wrkMissing } from '../lib/wrk.ts'

/** V8 gives back what a start has used some seconds after it; the rows for pages go after a minute. */
const SETTLE_MS = 75_000
const IDLE_MS = 20_000
const PAGE_SEC = 4
const ADDED = 300
/** Trackers ask for this mostly, seconds; the shortest that a node keeps to. */
const USUAL_SEC = 1800
const SHORT_SEC = 60
const INTERVALS = 2
const LOOK_MS = 20

interface Page {
  readonly total: number
  readonly downloads: readonly unknown[]
}

/** A percentile of the times. */
function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN
}

async function pageOf({ node }: MeasuredNode, query: string): Promise<Page> {
  return callJson<Page>({ url: `${node.baseUrl}/downloads?${query}`, headers: { 'x-api-key': node.key } })
}

/** Starts a node on the state, and looks at it until all its torrents seed. */
async function startFigures(
  home: string,
  ip: string,
  count: number,
): Promise<{ node: MeasuredNode; figures: Figures }> {
  const beganMs = performance.now()
  const node = await startMeasuredNode(home, { 'libtorrent.interface': ip }, [], 'listening')
  while ((await pageOf(node, 'limit=100')).downloads.length < Math.min(100, count)) await pass(LOOK_MS)
  const pageMs = performance.now() - beganMs
  // What came before is the program being read.
  await node.takeLoopDelay()
  while ((await node.node.get<{ state: string }>('/state')).state !== 'STARTED') await pass(LOOK_MS * 5)
  const loop = await node.takeLoopDelay()
  while ((await pageOf(node, 'limit=1&filter=seeding')).total < count) await pass(LOOK_MS * 5)
  const allMs = performance.now() - beganMs
  return { node, figures: { 'first page ms': pageMs, 'all loaded ms': allMs, 'loop max ms': loop.max } }
}

/** The worst of some filters, to one client that asks again at once; the first question fills the view of its order. */
async function pageFigures(node: MeasuredNode, home: string): Promise<Figures> {
  const worst: number[] = []
  for (const filter of ['catalogue', 'seeding', 'item shelf-1', 'item-0012']) {
    const query = `limit=100&sort=name&filter=${encodeURIComponent(filter)}`
    if ((await pageOf(node, query)).total === 0) throw new Error(`nothing is called ${filter}`)
    const what = { url: `${node.node.baseUrl}/downloads?${query}`, headers: { 'x-api-key': node.node.key } }
    worst.push((await runWrk({ what, connections: 1, seconds: PAGE_SEC, home })).p99)
  }
  return { 'page p99 ms': Math.max(...worst) }
}

async function addFigures({ node }: MeasuredNode, content: string, from: number): Promise<Figures> {
  const times: number[] = []
  const url = `${node.baseUrl}/downloads?destination=${encodeURIComponent(content)}`
  const headers = { 'x-api-key': node.key, 'content-type': 'application/x-bittorrent' }
  for (let index = from; index < from + ADDED; index++) {
    const seed = tinySeed(index)
    writeFileSync(join(content, seed.name), seed.content)
    const beganMs = performance.now()
    const { status, body } = await call({ url, method: 'POST', headers, body: seed.torrentFile })
    times.push(performance.now() - beganMs)
    if (status >= 300) throw new Error(`POST /downloads: ${status} ${body.toString()}`)
  }
  return { 'add p99 ms': at(times, 0.99) }
}

function restFigures({ node, unwatched }: MeasuredNode): Promise<Figures> {
  return unwatched(async () => {
    await pass(SETTLE_MS)
    const before = processCost(node.pid)
    await pass(IDLE_MS)
    const after = processCost(node.pid)
    return { 'RSS MiB': after.rssMiB, 'idle CPU %': ((after.cpuSec - before.cpuSec) / (IDLE_MS / 1000)) * 100 }
  })
}

async function stopFigures(node: MeasuredNode): Promise<Figures> {
  const beganMs = performance.now()
  const { code } = await node.node.stop()
  if (code !== 0) throw new Error(`the node ended with ${code}`)
  return { 'stopped ms': performance.now() - beganMs }
}

function caseOf(id: string, primary: Metric, figures: Figures): CaseResult {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${id}: ${JSON.stringify(figures)}\n`)
  return { id, primary, results: [{ client: OURS, runs: [figures] }] }
}

async function seedsOf(place: BenchPlace, count: number): Promise<CaseResult[]> {
  const home = await place.folder.sub(`seeds-${count}`)
  await makeManySeeds(home, count, null)
  const ip = place.hosts.next()
  const first = await startFigures(home, ip, count)
  const rest = await restFigures(first.node)
  const pages = await pageFigures(first.node, home)
  const added = await addFigures(first.node, join(home, 'content'), count)
  await first.node.node.kill('SIGKILL')
  const killed = await startFigures(home, ip, count + ADDED)
  const stopped = await stopFigures(killed.node)
  return [
    caseOf(`${count} seeds`, 'all loaded ms', { ...first.figures, ...rest, ...pages, ...added, ...stopped }),
    caseOf(`${count} seeds after kill -9`, 'all loaded ms', killed.figures),
  ]
}

/** As many announces a second as `count` torrents have whose tracker asks for half an hour. */
async function announcesOf(place: BenchPlace, count: number): Promise<CaseResult[]> {
  const some = Math.ceil((count * SHORT_SEC) / USUAL_SEC)
  const home = await place.folder.sub(`announces-${count}`)
  const ip = place.hosts.next()
  const tracker = await watchAnnounces(ip, SHORT_SEC)
  await makeManySeeds(home, some, tracker.url)
  const { node } = await startFigures(home, ip, some)
  while (tracker.announced(1) < some) await pass(LOOK_MS * 50)
  const before = processCost(node.node.pid)
  await pass(SHORT_SEC * INTERVALS * 1000)
  const cpu = processCost(node.node.pid).cpuSec - before.cpuSec
  const { due, inTime } = tracker.count(performance.now())
  await node.node.stop()
  await tracker.stop()
  const figures = { 'announced in time %': (inTime / due) * 100, 'CPU us/announce': (cpu / (some * INTERVALS)) * 1e6 }
  return [caseOf(`announces of ${count} seeds`, 'announced in time %', figures)]
}

export const scale: Flow = {
  name: 'scale',
  run: (options: FlowOptions) =>
    inPlace(async place => {
      const title = 'A hundred thousand seeds'
      if (wrkMissing() !== null) return { title, cases: [], notes: [`FAILED scale: ${wrkMissing()}`] }
      const cases: CaseResult[] = []
      for (const count of options.counts ?? [5000, 100_000])
        for (const measure of [seedsOf, announcesOf]) {
          const found = await measure(place, count)
          cases.push(...found)
          found.forEach(each => options.heard?.(each))
        }
      const notes = [
        'seeds have no tracker while memory and CPU at rest are looked at; what an announce costs stands beside it',
        `announces: as many torrents as have in ${SHORT_SEC} s what the number named has in ${USUAL_SEC} s`,
      ]
      return { title, cases, notes }
    }),
}

await runAlone(scale, import.meta.url)
