// Dashboard: the page in Debian's Chromium with many downloads. How soon it shows the list, what an update of a hundred
// rows costs in script, frames a second while the list is scrolled and updates come, and how many rows are in the page.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBrowser, untilInPage, watchedPage } from '../../test/kit/nodes/browser.ts'
import {
  addManyDownloads,
  labelAll,
  scrollFrames,
  updateCosts,
  WAITING_SETTINGS,
} from '../../test/kit/nodes/many-downloads.ts'
import { type NodeProcess, startNode } from '../../test/kit/nodes/node-process.ts'
import { killAtExit } from '../lib/owned-processes.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { median } from '../lib/report.ts'
import { type CaseResult, type Figures, OURS } from '../lib/samples.ts'

const UPDATED = 100
const UPDATES = 20
const SCROLL_SEC = 4

async function measure(node: NodeProcess, infohashes: readonly string[]): Promise<Figures> {
  const browser = await startBrowser()
  try {
    const { page } = await watchedPage(browser, node.baseUrl)
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    const begun = performance.now()
    await page.goto(node.baseUrl)
    await untilInPage(page, `document.querySelector('.dot.live') !== null`, 120_000)
    const shownMs = performance.now() - begun
    await page.getByRole('button', { name: 'Added' }).click()
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
      'rows in the page': Number(await page.evaluate(`document.querySelectorAll('[role=row]').length`)),
    }
  } finally {
    await browser.close()
  }
}

async function oneCase(count: number): Promise<CaseResult> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-dashboard-'))
  try {
    const settings = { ...WAITING_SETTINGS, 'download_defaults.saveas': join(folder, 'content') }
    const node = await startNode({ settings, stateDir: join(folder, 'state') })
    killAtExit(node.process)
    try {
      const figures = await measure(node, await addManyDownloads(node, count))
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
