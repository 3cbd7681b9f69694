// Dashboard: the page in Debian's Chromium with many downloads. How soon it shows the list, what an update of a
// hundred rows costs in script, frames a second while the list is scrolled and updates come, how many rows are in the
// page, what comes over the wire in its first seconds, and what a page that is open costs the node at rest. --counts
// 100000 too.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser, untilInPage, watchedPage } from '../../test/kit/nodes/browser.ts'
import {
  addManyDownloads,
  labelAll,
  scrollFrames,
  updateCosts,
  WAITING_SETTINGS,
} from '../../test/kit/nodes/many-downloads.ts'
import { type NodeProcess, startNode } from '../../test/kit/nodes/node-process.ts'
import { pass } from '../lib/bench-place.ts'
import { makeManySeeds } from '../lib/many-seeds.ts'
import { processCost } from '../lib/process-cost.ts'
import { killAtExit } from '../lib/owned-processes.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { median } from '../lib/report.ts'
import { type CaseResult, type Figures, OURS } from '../lib/samples.ts'

const UPDATED = 100
const UPDATES = 20
const SCROLL_SEC = 4
const FIRST_SEC = 3
const REST_SEC = 10
/** So many and more are put into the store, as seeds; fewer are added by requests, and wait. */
const MANY = 50_000

/** Counts what comes over the wire, as it is coded there. */
async function countBytes(page: Page): Promise<() => number> {
  let bytes = 0
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  client.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return () => bytes
}

async function restCpu(node: NodeProcess): Promise<number> {
  const before = processCost(node.pid)
  await pass(REST_SEC * 1000)
  return ((processCost(node.pid).cpuSec - before.cpuSec) / REST_SEC) * 100
}

async function measure(node: NodeProcess, infohashes: readonly string[]): Promise<Figures> {
  const browser = await startBrowser()
  try {
    const { page } = await watchedPage(browser, node.baseUrl)
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    const bytes = await countBytes(page)
    const begun = performance.now()
    await page.goto(node.baseUrl)
    await untilInPage(page, `document.querySelector('.dot.live') !== null`, 120_000)
    const shownMs = performance.now() - begun
    await pass(Math.max(0, FIRST_SEC * 1000 - shownMs))
    const firstKb = bytes() / 1000
    const cpu = await restCpu(node)
    const first = `document.querySelector('[data-infohash]').dataset.infohash`
    const newest = await page.evaluate<string>(first)
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await untilInPage(page, `${first} !== '${newest}'`)
    const shown = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-infohash]')].map(row => row.dataset.infohash)`,
    )
    const updated = [...shown, ...infohashes.filter(each => !shown.includes(each))].slice(0, UPDATED)
    const costs = await updateCosts(page, node, updated, UPDATES)
    const frames = scrollFrames(page, SCROLL_SEC)
    for (let round = 0; round < SCROLL_SEC; round++) await labelAll(node, updated, `scrolled ${round}`)
    const { perSec, longestMs } = await frames
    return {
      'script ms/update': median(costs),
      'list shown ms': shownMs,
      'frames/s': perSec,
      'longest frame ms': longestMs,
      'kB in the first 3 s': firstKb,
      'node CPU % at rest': cpu,
      'rows in the page': Number(await page.evaluate(`document.querySelectorAll('[role=row]').length`)),
    }
  } finally {
    await browser.close()
  }
}

/** Some of the seeds, when all are loaded. */
async function seedsOf(node: NodeProcess, count: number): Promise<string[]> {
  const page = (query: string) =>
    node.get<{ total: number; downloads: { infohash: string }[] }>(`/downloads?fields=infohash&${query}`)
  while ((await page('limit=1&filter=seeding')).total < count) await pass(500)
  return (await page('limit=1000')).downloads.map(({ infohash }) => infohash)
}

async function oneCase(count: number): Promise<CaseResult> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-dashboard-'))
  try {
    const settings = { ...WAITING_SETTINGS, 'download_defaults.saveas': join(folder, 'content') }
    const seeds = count >= MANY
    if (seeds) await makeManySeeds(folder, count, null)
    const until = seeds ? 'listening' : 'ready'
    const node = await startNode({ settings: seeds ? {} : settings, stateDir: join(folder, 'state'), until })
    killAtExit(node.process)
    try {
      const figures = await measure(node, seeds ? await seedsOf(node, count) : await addManyDownloads(node, count))
      return {
        id: `dashboard with ${count}`,
        primary: 'script ms/update',
        results: [{ client: OURS, runs: [figures] }],
      }
    } finally {
      await node.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const dashboard: Flow = {
  name: 'dashboard',
  async run(options: FlowOptions) {
    const cases: CaseResult[] = []
    for (const count of options.counts ?? [100, 10_000]) cases.push(await oneCase(count))
    return { title: 'The dashboard with many downloads', cases, notes: [] }
  },
}

await runAlone(dashboard, import.meta.url)
