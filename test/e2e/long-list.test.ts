// The dashboard in Chromium over a list of which it holds a window: what it asks for, scrolling, searching and sorting
// done by the node, selections and commands beyond the window, pages of downloads that are not in it, and a list that
// grows over a thousand and falls below, a node that starts again and requests that fail.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  axeFindings,
  CHROMIUM,
  startBrowser,
  untilInPage,
  type WatchedPage,
  watchedPage,
} from '../kit/nodes/browser.ts'
import { openDashboard } from '../kit/nodes/dashboard-page.ts'
import { addManyDownloads, WAITING_SETTINGS } from '../kit/nodes/many-downloads.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const skip = needs(CHROMIUM)
const COUNT = 3000
const ROW_HEIGHT = 38
const LOST = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_FAILED/

/** Texts and rows that must never be seen, and were. */
const WATCH = `
  globalThis.seen = new Set()
  new MutationObserver(() => {
    const text = document.body?.innerText ?? ''
    for (const words of ['no such download', 'Nothing here yet', 'Asking the node', 'Loading…']) if (text.includes(words)) seen.add(words)
    if (document.querySelector('.row.coming') !== null) seen.add('coming')
  }).observe(document, { subtree: true, childList: true, characterData: true })
`
const seen = (page: Page) => page.evaluate<string[]>(`[...seen]`)
const forget = (page: Page) => page.evaluate(`seen.clear()`)

/** Where the list is scrolled to. */
const scrollTo = (page: Page, index: number) =>
  page.evaluate(`document.querySelector('.list').scrollTop = ${index * ROW_HEIGHT}`)
const rowAt = (page: Page, index: number) => page.locator(`[data-infohash][aria-rowindex="${index + 2}"]`)
const infohashAt = async (page: Page, index: number) => (await rowAt(page, index).getAttribute('data-infohash')) ?? ''

const ROW_COUNT = `document.querySelector('[role=grid]').getAttribute('aria-rowcount')`

/** Requests for names of a selection. */
const NAMES_ALONE = /fields%5B%5D=infohash(&|$)/

interface Opened extends WatchedPage {
  /** Addresses of requests, without the host. */
  readonly asked: string[]
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function totalOf(node: NodeProcess, query: string): Promise<number> {
  return (await node.get<{ total: number }>(`/downloads?limit=1&${query}`)).total
}

describe('a list of which the dashboard holds a window', { skip, concurrency: 1, timeout: 600_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let hashes: readonly string[]
  let browser: Browser
  /** What a test has removed. */
  let removed: ReadonlySet<string> = new Set()

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-long-list-'))
    const settings = { ...WAITING_SETTINGS, 'download_defaults.saveas': join(folder, 'content') }
    const args = ['--port', String(await freePort())]
    node = await startNode({ settings, stateDir: join(folder, 'state'), args })
    hashes = await addManyDownloads(node, COUNT)
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** What the node should find, in the order of names. */
  function namesWith(...words: readonly string[]): string[] {
    const all = hashes.map((infohash, number) => ({
      infohash,
      name: `Film ${number}`,
      text: `film ${number} ${infohash}`,
    }))
    const found = all
      .filter(({ infohash, text }) => !removed.has(infohash) && words.every(word => text.includes(word)))
      .map(({ name }) => name)
    return found.sort()
  }

  async function opened(of: NodeProcess, at = '', prepare?: (page: Page) => Promise<void>): Promise<Opened> {
    const asked: string[] = []
    const watched = await openDashboard(browser, of, {
      at,
      script: WATCH,
      async prepare(page) {
        page.on('request', request => asked.push(request.url().slice(of.baseUrl.length)))
        await prepare?.(page)
      },
    })
    return { ...watched, asked }
  }

  test('few bytes and few rows, true counts; every place of the list can be scrolled to', async () => {
    let bytes = 0
    const watched = await opened(node, '', async page => {
      const client = await page.context().newCDPSession(page)
      await client.send('Network.enable')
      client.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength))
    })
    const { page, asked } = watched
    await page.getByText('All3,000').waitFor()
    const begunMs = performance.now()
    await waitFor('three seconds', () => Promise.resolve(performance.now() - begunMs > 3000))
    assert.ok(bytes > 0 && bytes < 1_000_000, `${bytes} bytes`)
    assert.ok(!asked.some(address => /events.*downloads/.test(address)), asked.join('\n'))
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), '3001')
    const all = await node.get<{ downloads: { infohash: string }[] }>(
      '/downloads?limit=1000&offset=1400&sort=-time_added&fields=infohash',
    )
    for (const index of [1500, 2300, 1400]) {
      await scrollTo(page, index)
      assert.equal(await infohashAt(page, index + 5), all.downloads[index + 5 - 1400]?.infohash)
      assert.ok(Number(await page.evaluate(`document.querySelectorAll('[role=row]').length`)) <= 200)
    }
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    const last = await infohashAt(page, COUNT - 1)
    await untilInPage(page, `location.hash === '#/downloads/${last}'`)
    await page.keyboard.press('Escape')
    await page.locator('.detail').waitFor({ state: 'detached' })
    assert.deepEqual(await axeFindings(page), [])
    watched.check()
    await page.context().close()
  })

  test('the node searches, narrows and sorts', async () => {
    const watched = await opened(node)
    const { page, asked } = watched
    await page.getByRole('searchbox').fill('film 29')
    const found = namesWith('film', '29')
    await untilInPage(page, `${ROW_COUNT} === '${found.length + 1}'`)
    await page.getByRole('button', { name: 'Name' }).click()
    await untilInPage(page, `document.querySelector('[data-infohash] .name-text')?.textContent === '${found[0]}'`)
    await page.getByRole('button', { name: 'Name' }).click()
    await untilInPage(page, `document.querySelector('[data-infohash] .name-text')?.textContent === '${found.at(-1)}'`)
    await page.getByRole('button', { name: /^Seeding/ }).click()
    await page.getByText('No downloads match.').waitFor()
    await page.getByRole('button', { name: /^Stopped/ }).click()
    await page.getByRole('searchbox').fill(hashes[77] ?? '')
    await untilInPage(page, `document.querySelectorAll('[data-infohash]').length === 1`)
    assert.equal(await infohashAt(page, 0), hashes[77])
    // Trackers are much of a record: they come while their column is shown.
    const withTrackers = () => asked.filter(address => /fields.*trackers/.test(address)).length
    assert.equal(withTrackers(), 0)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Tracker' }).check()
    await waitFor('they are asked for', () => Promise.resolve(withTrackers() > 0))
    await page.getByRole('checkbox', { name: 'Tracker' }).uncheck()
    await page.keyboard.press('Escape')
    watched.check()
    await page.context().close()
  })

  test('five hundred rows are selected, also those that are not in the window, and everything is done to them', async () => {
    const watched = await opened(node)
    const { page } = watched
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await rowAt(page, 0).click({ modifiers: ['Control'] })
    const first = await infohashAt(page, 0)
    await scrollTo(page, 490)
    await rowAt(page, 499).click({ modifiers: ['Shift'] })
    await page.getByText('500 selected').waitFor()
    await scrollTo(page, 2500)
    await rowAt(page, 2505).waitFor()
    const bar = page.getByRole('toolbar', { name: 'Selected downloads' })
    const choose = async (name: string) => {
      await bar.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    const dialog = page.getByRole('dialog')
    const told = async (words: string | RegExp) => {
      const notice = page.locator('.notice').filter({ hasText: words })
      await notice.getByRole('button', { name: 'Dismiss' }).click({ timeout: 60_000 })
      await notice.waitFor({ state: 'detached' })
    }
    await bar.getByRole('button', { name: 'Stop' }).click()
    await waitFor('500 are paused', async () => (await totalOf(node, 'filter=paused')) === 500, 60_000)
    assert.equal(await totalOf(node, `filter=paused&infohash=${first}`), 1)
    await choose('Announce now')
    await told('0 of 500 downloads are asked')
    await choose('Labels')
    await dialog.getByLabel('Add labels').fill('bulk, of many')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await told('Changed.')
    assert.equal(await totalOf(node, `filter=${encodeURIComponent('label:bulk label:"of many"')}`), 500)
    await choose('Limits')
    await dialog.getByRole('combobox', { name: 'Download speed' }).selectOption('value')
    await dialog.getByRole('textbox', { name: 'Download speed' }).fill('100')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await told('Changed.')
    const { downloads } = await node.get<{ downloads: { infohash: string; own_max_download_speed?: number }[] }>(
      '/downloads?limit=1000&sort=-time_added&fields=infohash,own_max_download_speed',
    )
    const changed = downloads.filter(one => one.own_max_download_speed === 102_400).map(({ infohash }) => infohash)
    assert.deepEqual([changed.length, changed.at(-1)], [500, downloads[499]?.infohash])
    await choose('Move to folder')
    await dialog.getByLabel('Folder').fill('no path')
    await dialog.getByRole('button', { name: 'Move' }).click()
    await told(/It did not work for 500 of 500 downloads\..Film \d+, Film \d+, Film \d+ and 497 more: ./s)
    await choose('Copy magnet links')
    await told('500 magnet links copied.')
    const magnets = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\n')
    assert.deepEqual([new Set(magnets).size, magnets.some(one => one.includes(first))], [500, true])
    const saved = page.waitForEvent('download', { timeout: 60_000 })
    await choose('Save torrent files')
    const archive = await readFile(await (await saved).path())
    assert.equal(archive.readUInt16LE(archive.length - 12), 500)
    await choose('Remove')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('500 downloads will be removed.').waitFor()
    await page.getByRole('button', { name: 'Remove now' }).click()
    await told('Removed.')
    assert.equal(await totalOf(node, ''), COUNT - 500)
    removed = new Set(changed)
    await bar.waitFor({ state: 'detached' })
    watched.check(/400/)
    await page.context().close()
  })

  test('all of a search are selected by the node; what is given up does not come later; removed rows are gone', async () => {
    const watched = await opened(node)
    const { page, asked } = watched
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+a')
    await page.getByText('2,500 selected').waitFor()
    assert.ok(asked.filter(address => NAMES_ALONE.test(address)).length >= 3, asked.join('\n'))
    await page.keyboard.press('Escape')
    await page.getByText('2,500 selected').waitFor({ state: 'detached' })
    let letGo: () => void = () => undefined
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    await page.route(NAMES_ALONE, async route => {
      await held
      await route.continue().catch(() => undefined)
    })
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Escape')
    letGo()
    await page.unroute(NAMES_ALONE)
    const found = namesWith('film', '123').length
    await page.getByRole('searchbox').fill('film 123')
    await untilInPage(page, `${ROW_COUNT} === '${found + 1}'`)
    assert.equal(await page.locator('.selection').count(), 0, 'no selection came after Escape')
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+a')
    await page.getByText(`${found} selected`).waitFor()
    // One of them somebody else removes meanwhile.
    await node.request('DELETE', `/downloads/${hashes[1234]}`, { remove_data: false })
    await page.keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Remove now' }).click()
    await page.getByText('No downloads match.').waitFor()
    await page.getByText('Removed.').waitFor()
    await page.locator('.selection').waitFor({ state: 'detached' })
    await page.getByText(`All${(COUNT - 500 - found).toLocaleString('en')}`).waitFor()
    watched.check(/404/)
    await page.context().close()
  })

  test('the page of a download that is not in the window, by a link and while the list is scrolled', async () => {
    const far = hashes[5] ?? ''
    const watched = await opened(node, `#/downloads/${far}`)
    const { page } = watched
    await page.getByRole('heading', { level: 2, name: 'Film 5', exact: true }).waitFor()
    assert.ok(!(await seen(page)).includes('no such download'))
    await page.getByRole('toolbar', { name: 'This download' }).getByRole('button', { name: 'Stop' }).waitFor()
    await forget(page)
    await scrollTo(page, 1500)
    await rowAt(page, 1505).waitFor()
    await page.getByRole('toolbar', { name: 'This download' }).getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('toolbar', { name: 'This download' }).getByRole('button', { name: 'Resume' }).waitFor()
    assert.equal(await totalOf(node, `filter=paused&infohash=${far}`), 1)
    await page.getByRole('link', { name: 'Trackers' }).click()
    assert.ok(!(await seen(page)).some(words => /Asking|no such/.test(words)), 'the page stayed')
    await page.goto(`${node.baseUrl}/#/downloads/${'0'.repeat(40)}`)
    await page.getByText('The node has no such download.').waitFor()
    watched.check(/404/)
    await page.context().close()
  })

  test('requests that fail at first: events alone are followed meanwhile, never the whole list', async () => {
    let failing = true
    let failed = 0
    const watched = await watchedPage(browser, node.baseUrl)
    const { page } = watched
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await page.route(/\/downloads\?/, route => {
      if (!failing) return route.continue()
      failed += 1
      return route.abort()
    })
    await page.goto(node.baseUrl)
    await page.getByText('Connection lost.').waitFor()
    await waitFor('it was tried again', () => Promise.resolve(failed >= 2))
    failing = false
    await page.getByText(/^All[23],\d{3}$/).waitFor()
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    assert.ok(asked.some(address => address.includes('/events')))
    assert.ok(!asked.some(address => /events.*downloads/.test(address)), asked.join('\n'))
    watched.check(LOST)
    await page.context().close()
  })

  test('a node that starts again: what is known stays readable, and what happened meanwhile is shown', async () => {
    const watched = await opened(node, `#/downloads/${hashes[5]}`)
    const { page } = watched
    await page.getByRole('heading', { level: 2, name: 'Film 5', exact: true }).waitFor()
    await scrollTo(page, 1000)
    const known = await infohashAt(page, 1005)
    await forget(page)
    const { stateDir } = node
    const args = ['--port', String(node.port)]
    await node.stop()
    await page.getByText('Connection lost.').waitFor()
    assert.ok(await page.locator(`#row-${known}`).isVisible())
    node = await startNode({ settings: WAITING_SETTINGS, stateDir, args })
    await node.request('PATCH', `/downloads/${known}`, { labels: ['meanwhile'] })
    await page.getByText('Connection lost.').waitFor({ state: 'detached' })
    await page.locator(`#row-${known} .label`).getByText('meanwhile').waitFor({ state: 'attached' })
    assert.deepEqual(await seen(page), [])
    watched.check(new RegExp(`503|${LOST.source}`))
    await page.context().close()
  })

  test('a list that grows over a thousand and falls below: nothing that is shown goes, the open page stays', async () => {
    const settings = { ...WAITING_SETTINGS, 'download_defaults.saveas': join(folder, 'few') }
    const few = await startNode({ settings })
    try {
      const made = await addManyDownloads(few, 1010, 'http://127.0.0.1:9/announce')
      await Promise.all(made.slice(990).map(one => few.request('DELETE', `/downloads/${one}`, { remove_data: false })))
      const watched = await opened(few, `#/downloads/${made[3]}`)
      const { page, asked } = watched
      await page.getByText('All990').waitFor()
      await page.getByRole('heading', { level: 2, name: 'Film 3', exact: true }).waitFor()
      const whole = () => asked.filter(address => /events.*downloads/.test(address)).length
      assert.equal(whole(), 1)
      await page.evaluate(`document.querySelector('.detail').sameElement = true`)
      await rowAt(page, 3).click({ modifiers: ['Control'] })
      await forget(page)
      await addManyDownloads(few, 1010, 'http://127.0.0.1:9/announce')
      await page.getByText('All1,010').waitFor()
      await waitFor('the window is followed', () => Promise.resolve(asked.some(address => address.includes('offset='))))
      await scrollTo(page, 900)
      await rowAt(page, 905).waitFor()
      assert.ok(await page.getByText('1 selected').isVisible())
      await Promise.all(made.slice(890).map(one => few.request('DELETE', `/downloads/${one}`, { remove_data: false })))
      await page.getByText('All890').waitFor()
      await waitFor('the whole list is followed again', () => Promise.resolve(whole() === 2))
      await few.request('PATCH', `/downloads/${made[3]}`, { labels: ['again'] })
      await page.locator('.detail').getByRole('heading', { name: 'Film 3', exact: true }).waitFor()
      assert.deepEqual(await seen(page).then(words => words.filter(one => one !== 'coming')), [])
      assert.equal(await page.evaluate(`document.querySelector('.detail').sameElement`), true)
      watched.check()
      await page.context().close()
    } finally {
      await few.stop()
    }
  })
})
