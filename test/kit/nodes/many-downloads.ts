// A node with thousands of downloads that do nothing, and what an update of some of them costs the dashboard.

import type { Page } from 'playwright-core'
import { makeTorrent } from '../content/make-torrent.ts'
import type { NodeProcess } from './node-process.ts'

/** Requests under way at a time. */
const AT_ONCE = 32

/** Settings under which one of many downloads runs and the others wait, as rows. */
export const WAITING_SETTINGS = { 'libtorrent.active_downloads': 1, 'libtorrent.active_limit': 1 } as const

async function inLanes<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const lane = async () => {
    for (const item of waiting) await run(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** Adds `count` torrents of one small piece each, with this tracker or none; their info hashes. */
export async function addManyDownloads(node: NodeProcess, count: number, tracker?: string): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const made: string[] = []
  await inLanes(numbers, async number => {
    const { torrent, infoHash } = makeTorrent({
      name: `Film ${number}`,
      length: 100,
      seed: number + 1,
      ...(tracker === undefined ? {} : { announce: [[tracker]] }),
    })
    const headers = { 'x-api-key': node.key, 'content-type': 'application/x-bittorrent' }
    const body = new Blob([Buffer.from(torrent)])
    const reply = await fetch(`${node.baseUrl}/downloads`, { method: 'POST', headers, body })
    if (!reply.ok) throw new Error(`POST /downloads: ${reply.status} ${await reply.text()}`)
    made[number] = infoHash
  })
  return made
}

/** Gives each of the downloads this one label. */
export async function labelAll(node: NodeProcess, infohashes: readonly string[], label: string): Promise<void> {
  await inLanes(infohashes, async infohash => {
    const reply = await node.request('PATCH', `/downloads/${infohash}`, { labels: [label] })
    if (reply.status !== 200) throw new Error(`PATCH: ${reply.status} ${reply.body.toString()}`)
  })
}

/**
 * Resolves when every row in the page has the label; looks when the page changes, so that it adds little of its own.
 */
function untilAllHave(label: string): string {
  return `new Promise(resolve => {
    const list = document.querySelector('.list')
    const look = () => {
      const labels = [...list.querySelectorAll('.label')].filter(each => each.textContent === ${JSON.stringify(label)})
      if (labels.length < list.querySelectorAll('[data-infohash]').length) return
      observer.disconnect()
      resolve(true)
    }
    const observer = new MutationObserver(look)
    observer.observe(list, { subtree: true, childList: true, characterData: true })
    look()
  })`
}

/** Seconds of script that the page has run. */
async function scriptSec(client: Awaited<ReturnType<typeof cdpOf>>): Promise<number> {
  const { metrics } = await client.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0
}

async function cdpOf(page: Page) {
  const client = await page.context().newCDPSession(page)
  // What the page's thread has used of a processor: what others take of it meanwhile is not the page's.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  return client
}

/**
 * Milliseconds of script that the page needs for each of `rounds` updates of all `infohashes`, of which the first must
 * be in view: from the requests until the page shows the last of them, with everything else that it did meanwhile.
 */
export async function updateCosts(
  page: Page,
  node: NodeProcess,
  infohashes: readonly string[],
  rounds: number,
): Promise<number[]> {
  const client = await cdpOf(page)
  const costs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const label = `round ${round}`
    const before = await scriptSec(client)
    const shown = page.evaluate(untilAllHave(label))
    await labelAll(node, infohashes, label)
    await shown
    costs.push(((await scriptSec(client)) - before) * 1000)
  }
  await client.detach()
  return costs
}

/** Frames a second while the list is scrolled through for `seconds`, and the longest time between two of them, ms. */
export async function scrollFrames(page: Page, seconds: number): Promise<{ perSec: number; longestMs: number }> {
  const script = `new Promise(resolve => {
    const list = document.querySelector('.list')
    const begun = performance.now()
    let [frames, last, longestMs] = [0, begun, 0]
    const frame = now => {
      longestMs = Math.max(longestMs, now - last)
      last = now
      frames++
      list.scrollTop = list.scrollTop + 180 >= list.scrollHeight - list.clientHeight ? 0 : list.scrollTop + 180
      if (now - begun < ${seconds * 1000}) requestAnimationFrame(frame)
      else resolve({ perSec: (frames * 1000) / (now - begun), longestMs })
    }
    requestAnimationFrame(frame)
  })`
  return page.evaluate<{ perSec: number; longestMs: number }>(script)
}
