// The dashboard in Debian's Chromium against a real node with a real peer: from the first visit to a film that plays
// while it is being downloaded, every page in two widths and both colour schemes through axe-core, and what goes wrong.
// With PICTURES=folder the pictures of the README are made.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
import { allColumns } from '../../src/web/model/list-columns.ts'
import { addDownload, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { addManyDownloads, updateCosts, WAITING_SETTINGS } from '../kit/nodes/many-downloads.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { type DashboardScene, FILM_NAME, HOSTILE_NAME, makeDashboardScene } from './dashboard-scene.ts'
import { useFileTree } from './file-tree-steps.ts'
import { useTrackers } from './tracker-steps.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs(CHROMIUM, 'ffmpeg')
const pictures = process.env['PICTURES'] ?? ''

/** The probe for a node without a key, on every first visit. */
const PROBE = /401 \(Unauthorized\)/
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** Seconds of the film that were shown. */
const PLAYED = `(document.querySelector('video')?.currentTime ?? 0)`

/** Kept only where pictures are made; `seconds`: what the graphs are to show before. */
async function picture(page: Page, name: string, seconds = 1): Promise<void> {
  if (pictures === '') return
  await page.waitForTimeout(seconds * 1000)
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/**
 * A port that nobody has. The kernel lets a server have a fixed port again at once, one that it chose itself only
 * later.
 */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('dashboard', { skip, concurrency: 1, timeout: 300_000 }, () => {
  let folder = ''
  let scene: DashboardScene & { magnet: string }
  let browser: Browser

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-dashboard-'))
    scene = await makeDashboardScene(folder, false)
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await scene?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A page that has the key already. */
  async function signedIn(at = '', options: Parameters<typeof watchedPage>[2] = WIDE): Promise<WatchedPage> {
    const watched = await watchedPage(browser, scene.node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(scene.node.key)})`)
    await watched.page.goto(`${scene.node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  test('first visit: a wrong key is refused, the right one kept; a magnet is added and played while it comes in', async () => {
    const watched = await watchedPage(browser, scene.node.baseUrl, WIDE)
    const { page } = watched
    await page.goto(scene.node.baseUrl)
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('This is not the key of this node').waitFor()
    assert.equal(await page.evaluate(`localStorage.getItem('tributary.key')`), null)
    await page.getByLabel('API key').fill(scene.node.key)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('grid', { name: 'Downloads' }).waitFor()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByLabel('Magnet links').fill(scene.magnet)
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: FILM_NAME }).waitFor()
    await page.getByText(/^Downloading at \S+ [KM]iB\/s, connected to 1 peer/).waitFor()
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('link', { name: 'Play Tears of Steel.webm' }).click()
    await untilInPage(page, `${PLAYED} > 1.5`, 60_000)
    const first = Number(await page.evaluate(PLAYED))
    await untilInPage(page, `${PLAYED} > ${first + 0.5}`)
    const record = await scene.node.get<{ download: { progress: number } }>(`/downloads/${scene.film}`)
    assert.ok(record.download.progress < 0.9, `it played while ${record.download.progress} was there`)
    const source = String(await page.evaluate(`document.querySelector('video').src`))
    assert.match(source, /\?token=\d+\./)
    assert.ok(!source.includes(scene.node.key), 'the key is in no address')
    assert.deepEqual(await page.context().cookies(), [])
    if (pictures !== '') await page.screenshot({ path: join(pictures, 'player.jpg'), type: 'jpeg', quality: 80 })
    await page.reload()
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    watched.check(PROBE)
    await page.context().close()
  })

  test('the pictures of the README, while the film comes in', { skip: pictures === '' }, async () => {
    const at = `#/downloads/${scene.film}`
    for (const [name, size, colorScheme, address, seconds] of [
      ['downloads', WIDE, 'light', '', 2],
      ['download', WIDE, 'dark', at, 30],
      ['phone', PHONE, 'dark', '', 2],
      ['phone-download', PHONE, 'light', at, 20],
    ] as const) {
      const { page } = await signedIn(address, { ...size, colorScheme })
      await picture(page, name, seconds)
      await page.context().close()
    }
  })

  const places = [
    ['downloads', ''],
    ['overview', '#/downloads/FILM'],
    ['files', '#/downloads/FILM/files'],
    ['peers', '#/downloads/FILM/peers'],
    ['trackers', '#/downloads/FILM/trackers'],
    ['options', '#/downloads/FILM/options'],
    ['play', '#/play/FILM/0'],
    ['statistics', '#/statistics'],
    ['events', '#/events'],
    ['settings', '#/settings'],
  ] as const

  /** Where the navigation leads beside those: pages of chapters, each with its name. */
  async function chapterPlaces(page: Page): Promise<[name: string, address: string][]> {
    const links = `[...document.querySelectorAll('nav[aria-label=Pages] a')].map(a => a.getAttribute('href'))`
    const addresses = await page.evaluate<string[]>(links)
    assert.ok(addresses.length >= 4, 'the navigation is there')
    const known = new Set<string>(['#/downloads', ...places.map(([, address]) => address)])
    return addresses.filter(address => !known.has(address)).map(address => [address.slice(2), address])
  }

  for (const [name, size] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const)
    for (const colorScheme of ['dark', 'light'] as const)
      test(`every page, ${name} and ${colorScheme}: nothing serious for axe-core, nothing wider than the screen`, async () => {
        const watched = await signedIn('', { ...size, colorScheme })
        const { page } = watched
        for (const [place, address] of [...places, ...(await chapterPlaces(page))]) {
          await page.goto(`${scene.node.baseUrl}/${address.replace('FILM', scene.film)}`)
          await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
          await untilInPage(page, `(document.querySelector('#content')?.childElementCount ?? 0) > 0`)
          await untilInPage(page, `!/Asking the node…|Loading…|Finding the file…/.test(document.body.innerText)`)
          assert.deepEqual(await axeFindings(page), [], `${place}, ${name}, ${colorScheme}`)
          const wider = Number(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`))
          assert.ok(wider <= 0, `${place} is ${wider} pixels wider than the screen`)
          await picture(page, `${place}-${name}-${colorScheme}`, place === 'overview' && name === 'wide' ? 45 : 1)
        }
        watched.check()
        await page.context().close()
      })

  test('a name with markup and right-to-left text is text, and stays in its place', async () => {
    const watched = await signedIn(`#/downloads/${scene.hostile}`)
    const { page } = watched
    await page.getByRole('heading', { level: 2, name: '<img src=x' }).waitFor()
    assert.equal(await page.locator('main img, main b').count(), 0)
    assert.equal(await page.evaluate(`window.hacked`), undefined)
    const row = page.locator(`#row-${scene.hostile}`)
    // What turns the direction round is shown as what it is: `gpj.exe` must not be read as `exe.jpg`.
    const shown = HOSTILE_NAME.replace('\u202e', '\ufffd')
    assert.equal(await row.locator('.name-text').textContent(), shown)
    assert.equal(await page.getByRole('heading', { level: 2, name: '<img src=x' }).textContent(), shown)
    const [box, other] = await Promise.all([
      row.boundingBox(),
      page.locator('.row[data-infohash]').first().boundingBox(),
    ])
    assert.equal(box?.width, other?.width)
    assert.equal(box?.height, other?.height)
    const labels = ['<b>bold</b>', 'שלום', 'l'.repeat(30), 'm'.repeat(30)]
    await scene.node.request('PATCH', `/downloads/${scene.hostile}`, { labels })
    await row.locator('.label').nth(3).waitFor({ state: 'attached' })
    const [line, name] = await Promise.all([
      row.locator('.name-line').boundingBox(),
      row.locator('.name-text').boundingBox(),
    ])
    assert.ok(
      (name?.width ?? 0) > (line?.width ?? 0) * 0.4,
      `labels leave ${name?.width} of ${line?.width} to the name`,
    )
    await scene.node.request('PATCH', `/downloads/${scene.hostile}`, { labels: [] })
    watched.check()
    await page.context().close()
  })

  test('a dropped file that is no torrent is refused with its name and the reason', async () => {
    const watched = await signedIn()
    const { page } = watched
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['these are notes'], 'notes.torrent', { type: 'application/x-bittorrent' }))
      return data
    })()`)
    await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('alert').getByText('notes.torrent').waitFor()
    assert.match(await dialog.getByRole('alert').innerText(), /torrent/i)
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    watched.check(/400 \(Bad Request\)/)
    await page.context().close()
  })

  test('a download that stopped at a file of somebody else: overwriting is asked for with its name, and then done', async () => {
    const made = makeTorrent({ name: 'diary.txt', length: 200_000, seed: 500 })
    const [file, to] = [join(folder, 'diary.torrent'), join(folder, 'diaries')]
    await mkdir(to)
    await writeFile(file, made.torrent)
    await writeFile(join(to, 'diary.txt'), Buffer.alloc(200_000, 'my own words '))
    const infohash = await addDownload(scene.node, file, to)
    await downloadUntil(scene.node, infohash, ({ status }) => status === 'DLSTATUS_STOPPED_ON_ERROR')
    const watched = await signedIn(`#/downloads/${infohash}`)
    const { page } = watched
    const ask = page.getByRole('button', { name: 'Resume, overwriting…' })
    await ask.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(join(to, 'diary.txt')).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await dialog.getByRole('button', { name: 'Keep the files' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await downloadRecord(scene.node, infohash)).status, 'DLSTATUS_STOPPED_ON_ERROR')
    await ask.click()
    await dialog.getByRole('button', { name: 'Overwrite' }).click()
    await downloadUntil(scene.node, infohash, ({ status }) => status === 'DLSTATUS_DOWNLOADING', 20_000)
    await ask.waitFor({ state: 'detached' })
    await scene.node.request('DELETE', `/downloads/${infohash}`, { remove_data: false })
    watched.check()
    await page.context().close()
  })

  test('keyboard alone: find, move, mark, open, remove', async () => {
    const watched = await signedIn()
    const { page } = watched
    await page.keyboard.press('/')
    await page.keyboard.type('musopen')
    await untilInPage(page, `document.querySelectorAll('.row[data-infohash]').length === 1`)
    await page.getByRole('searchbox').fill('')
    await page.getByRole('grid', { name: 'Downloads' }).focus()
    const active = `document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))`
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await untilInPage(page, `${active}?.getAttribute('aria-rowindex') === '3'`)
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.locator('.detail').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.detail').waitFor({ state: 'detached' })
    const { downloads } = await scene.node.get<{ downloads: unknown[] }>('/downloads')
    await page.getByRole('grid', { name: 'Downloads' }).focus()
    // The heads: the next stop, arrows among them, Enter sorts.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.locator('[role=columnheader][aria-sort=ascending]').filter({ hasText: 'Name' }).waitFor()
    assert.equal(
      (await page.getByRole('dialog').count()) + (await page.locator('.detail').count()),
      0,
      'no row was opened',
    )
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    // The last column that there is room for beside the side bar.
    const heads = `[...document.querySelectorAll('[role=columnheader]')].filter(head => head.checkVisibility())`
    await untilInPage(page, `${heads}.at(-1).getAttribute('aria-sort') !== 'none'`)
    await page.getByRole('grid', { name: 'Downloads' }).focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Delete')
    await page.getByRole('dialog', { name: 'Remove' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The focus comes back with the next frame.
    await untilInPage(page, `document.activeElement?.getAttribute('role') === 'grid'`)
    await page.keyboard.press('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Remove now' }).click()
    await untilInPage(page, `document.querySelectorAll('.row[data-infohash]').length === ${downloads.length - 1}`)
    const left = await scene.node.get<{ downloads: unknown[] }>('/downloads')
    assert.equal(left.downloads.length, downloads.length - 1)
    watched.check()
    await page.context().close()
  })

  test('another language: chosen in the settings, kept, and numbers as it writes them', async () => {
    const watched = await signedIn('#/settings')
    const { page } = watched
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('navigation', { name: 'Seiten' }).getByRole('link', { name: 'Einstellungen' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.goto(`${scene.node.baseUrl}/#/circuits`)
    await page.getByText('Noch keine.').waitFor()
    await page.getByText('Eigener UDP-Port').waitFor()
    watched.check()
    await page.context().close()
  })

  test('files: priorities and selection; options: labels; the list shows it', async () => {
    const watched = await signedIn(`#/downloads/${scene.film}/files`)
    const { page } = watched
    await page.getByLabel('Priority of Extras/storyboard.pdf').selectOption({ label: 'Skip' })
    await page.getByText('5 files, 4 chosen').waitFor()
    await page.getByRole('button', { name: 'Fetch all' }).click()
    await page.getByText('5 files, 5 chosen').waitFor()
    await useFileTree(page)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Playlist' }).click()
    const download = await saved
    assert.equal(download.suggestedFilename(), `${FILM_NAME}.m3u`)
    assert.match(await readFile(await download.path(), 'utf8'), /^#EXTM3U[\s\S]*Tears%20of%20Steel[\s\S]*token=/)
    await page.getByRole('link', { name: 'Options' }).click()
    await page.getByLabel('Labels', { exact: true }).fill('mango, שלום')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator(`#row-${scene.film} .label`).filter({ hasText: 'mango' }).waitFor()
    watched.check()
    await page.context().close()
  })

  test('a link that has expired is asked for anew, and the film goes on', async () => {
    // An earlier test has played it: without a place the page does not ask where to begin.
    await scene.node.request('DELETE', `/downloads/${scene.film}/watching/0`)
    const watched = await signedIn()
    const { page } = watched
    let refused = 0
    await page.route(/\/stream\/0/, route => {
      if (refused++ > 0) return route.fallback()
      const error = { handled: true, code: 'LinkInvalid', message: 'expired' }
      return route.fulfill({ status: 403, contentType: 'application/json', body: JSON.stringify({ error }) })
    })
    await page.goto(`${scene.node.baseUrl}/#/play/${scene.film}/0`)
    await untilInPage(page, `${PLAYED} > 0.5`, 60_000)
    assert.ok(refused > 1)
    watched.check(/403/)
    await page.context().close()
  })

  test('a lost connection is told and comes back by itself, with what happened meanwhile', async () => {
    const stateDir = join(folder, 'other')
    const args = ['--port', String(await freePort())]
    let node = await startNode({ stateDir, args })
    const watched = await watchedPage(browser, node.baseUrl, WIDE)
    const { page } = watched
    try {
      await page.addInitScript(`localStorage.setItem('tributary.key', '${node.key}')`)
      await page.goto(node.baseUrl)
      await page.locator('.dot.live').waitFor({ state: 'attached' })
      const hash = (digits: string) => digits.repeat(20)
      const add = (digits: string) =>
        node.request('PUT', '/downloads', {
          uri: `magnet:?xt=urn:btih:${hash(digits)}&dn=${digits}`,
          destination: folder,
        })
      await add('aa')
      await page.locator(`#row-${hash('aa')}`).waitFor()
      await page.evaluate(`window.sameDocument = true`)
      await node.stop()
      await page.getByText('Connection lost.').waitFor()
      const told = await page.locator('.connection-line').innerText()
      assert.match(told, /The node (ended the connection|does not answer)/, 'in words for people')
      assert.equal(await page.title(), 'Downloads – Tributary')
      assert.deepEqual(await axeFindings(page), [])
      assert.ok(await page.locator(`#row-${hash('aa')}`).isVisible(), 'what it knows stays readable')
      node = await startNode({ stateDir, args })
      await node.request('DELETE', `/downloads/${hash('aa')}`, { remove_data: false })
      await add('bb')
      await page.locator(`#row-${hash('bb')}`).waitFor()
      await page.getByText('Connection lost.').waitFor({ state: 'detached' })
      await page.locator(`#row-${hash('aa')}`).waitFor({ state: 'detached' })
      assert.equal(await page.evaluate(`window.sameDocument`), true, 'without reload')
      watched.check(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/)
    } finally {
      await page.context().close()
      await node.stop()
    }
  })

  test('the first rows are there before the whole list is', async () => {
    const watched = await watchedPage(browser, scene.node.baseUrl, WIDE)
    const { page } = watched
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(scene.node.key)})`)
    let asked = ''
    page.on('request', request => {
      if (request.url().includes('/downloads?')) asked = request.url()
    })
    await page.route(/\/events/, () => undefined)
    await page.goto(scene.node.baseUrl)
    await page.locator(`#row-${scene.film}`).waitFor()
    assert.match(asked, /limit=100&sort=-time_added/)
    await page.unroute(/\/events/)
    await page.reload()
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    watched.check()
    await page.context().close()
  })

  test('a key that is not taken any more is asked for again', async () => {
    const watched = await watchedPage(browser, scene.node.baseUrl, WIDE)
    const { page } = watched
    await page.addInitScript(`localStorage.setItem('tributary.key', 'of yesterday')`)
    await page.goto(scene.node.baseUrl)
    await page.getByText('does not accept this key any more').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    watched.check(/401/)
    await page.context().close()
  })

  test('trackers and bans are changed', async () => useTrackers((await signedIn()).page, scene.node, scene.hostile))

  test('ten thousand downloads: at most 200 rows in the page, an update of 100 under 8 ms of script', async () => {
    const settings = { ...WAITING_SETTINGS, 'download_defaults.saveas': join(folder, 'many') }
    const node = await startNode({ settings })
    try {
      const hashes = await addManyDownloads(node, 10_000)
      const watched = await watchedPage(browser, node.baseUrl, WIDE)
      const { page } = watched
      const columns = JSON.stringify(allColumns.map(({ sort }) => ({ sort })))
      await page.addInitScript(
        `localStorage.setItem('tributary.key', '${node.key}');localStorage.setItem('tributary.list.columns', '${columns}')`,
      )
      await page.goto(node.baseUrl)
      await page.getByText('All10,000').waitFor()
      await page.locator('.dot.live').waitFor({ state: 'attached' })
      const rows = `document.querySelectorAll('[role=row]').length`
      assert.ok(Number(await page.evaluate(rows)) <= 200)
      assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), '10001')
      assert.equal(await page.getByRole('columnheader').count(), allColumns.length + 1)
      const inView = await page.evaluate<string[]>(
        `[...document.querySelectorAll('[data-infohash]')].map(each => each.dataset.infohash)`,
      )
      const updated = [...inView, ...hashes.filter(hash => !inView.includes(hash))].slice(0, 100)
      const costs = await updateCosts(page, node, updated, 20)
      // What others take of the machine meanwhile is not the page's: the cheaper ones tell.
      const cost = costs.toSorted((a, b) => a - b)[2] ?? 0
      assert.ok(cost > 0 && cost < 8, `${costs.map(cost => cost.toFixed(1)).join(' ')} ms`)
      await page.getByRole('grid').focus()
      await page.keyboard.press('End')
      await untilInPage(page, `document.querySelector('[aria-rowindex="10001"]') !== null`)
      assert.ok(Number(await page.evaluate(rows)) <= 200)
      await page.getByRole('searchbox').fill(hashes[4321] ?? '')
      await untilInPage(page, `${rows} === 2`)
      assert.deepEqual(await axeFindings(page), [])
      watched.check()
      await page.context().close()
    } finally {
      await node.stop()
    }
  })
})
