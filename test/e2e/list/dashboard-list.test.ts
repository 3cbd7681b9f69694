// The list of the dashboard in Chromium over a real node: marking, order, the bar of a phone.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { axeFindings, CHROMIUM, startBrowser, untilInPage } from '../../kit/nodes/browser.ts'
import { openDashboard, PHONE } from '../../kit/nodes/dashboard-page.ts'
import { addManyDownloads, WAITING_SETTINGS } from '../../kit/nodes/many-downloads.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { orderColumns, orderQueue } from './order-steps.ts'
import { chooseRange, moveEdge } from './panel-steps.ts'

const skip = needs(CHROMIUM)

/** Labels of the first downloads: markup, right to left, without width, long. */
const HOSTILE_LABELS = ['<b onclick="hacked=1">bold</b>', '\u202Egpj.exe', 'zero\u200Bwidth', 'שלום', 'l'.repeat(60)]
const LABELS = [['films'], ['films', 'vintage'], HOSTILE_LABELS] as const

const ROWS = `document.querySelectorAll('.row[data-infohash]').length`
const FIRST_NAME = `document.querySelector('.row[data-infohash] .name-text')?.textContent`

describe('the list of the dashboard', { skip, concurrency: 1, timeout: 300_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let hashes: readonly string[]
  let browser: Browser

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-list-'))
    const settings = { ...WAITING_SETTINGS, 'download_defaults.saveas': join(folder, 'content') }
    node = await startNode({ settings, stateDir: join(folder, 'state') })
    hashes = await addManyDownloads(node, 12)
    const tracker = encodeURIComponent('http://tracker.example:1/secret/announce')
    for (const [hash, name] of [
      ['ab'.repeat(20), 'Film 12'],
      ['cd'.repeat(20), 'Film 13'],
    ] as const)
      await node.request('PUT', '/downloads', {
        uri: `magnet:?xt=urn:btih:${hash}&dn=${encodeURIComponent(name)}&tr=${tracker}`,
      })
    for (const [at, labels] of LABELS.entries()) await node.request('PATCH', `/downloads/${hashes[at]}`, { labels })
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const opened = (at = '', options: BrowserContextOptions = {}) => openDashboard(browser, node, { at, options })

  const paused = async () => (await node.get<{ total: number }>('/downloads?limit=1&filter=paused')).total

  test('Shift and a click mark rows without their text; the time left is shown whole; a graph waits for its data', async () => {
    const watched = await opened()
    const { page } = watched
    const rows = page.locator('.row[data-infohash]')
    await rows.nth(0).click({ modifiers: ['Control'] })
    await rows.nth(3).click({ modifiers: ['Shift'] })
    await page.getByText('4 selected').waitFor()
    const line = page.getByRole('group', { name: 'Totals' })
    assert.match(await line.innerText(), /^14 downloads\s+Selection: \d+(\.\d+)? ([KM]i)?B/)
    await line.getByText('free for new downloads').waitFor()
    assert.equal(await page.evaluate(`getSelection().toString()`), '')
    const cut = `(() => {
      const cell = document.querySelector('.row[data-infohash] .eta')
      cell.textContent = '59 min 59 s'
      return cell.scrollWidth - cell.clientWidth
    })()`
    for (const width of [1440, 1300, 1250]) {
      await page.setViewportSize({ width, height: 900 })
      assert.ok(Number(await page.evaluate(cut)) <= 0, `at ${width}`)
    }
    await page.addInitScript(`new MutationObserver(() => {
      if (document.querySelector('.detail .no-line') !== null) globalThis.waited = true
    }).observe(document, { subtree: true, childList: true })`)
    await page.goto(`${node.baseUrl}/#/downloads/${hashes[0]}`)
    await page.reload()
    await page.locator('.detail .graph canvas').waitFor()
    assert.equal(await page.evaluate(`globalThis.waited`), true)
    await chooseRange(page)
    await moveEdge(page)
    watched.check()
    await page.context().close()
  })

  test('the side bar narrows the list, with numbers; labels of rows do too; what is hostile is text in its place', async () => {
    const watched = await opened()
    const { page } = watched
    const bar = page.getByRole('group', { name: 'Filters' })
    const choice = (section: string, name: string) =>
      bar.getByRole('list', { name: section }).getByRole('button', { name })
    const count = (section: string, name: string) => choice(section, name).locator('.count').textContent()
    await untilInPage(page, `${ROWS} === 14`)
    assert.equal(await count('State', 'All'), '14')
    assert.deepEqual([await count('Labels', 'films'), await count('Labels', 'No label')], ['2', '11'])
    assert.deepEqual([await count('Trackers', 'tracker.example'), await count('Trackers', 'No tracker')], ['2', '12'])
    assert.ok(!(await bar.innerText()).includes('secret'), 'addresses of trackers hold keys')
    await choice('Labels', 'films').click()
    await untilInPage(page, `${ROWS} === 2`)
    await choice('Labels', 'films').click()
    await choice('Trackers', 'tracker.example').click()
    await untilInPage(page, `${ROWS} === 2`)
    await choice('Trackers', 'tracker.example').click()
    await untilInPage(page, `${ROWS} === 14`)
    await page.locator(`#row-${hashes[1]} .label`).getByText('vintage').click()
    await untilInPage(page, `${ROWS} === 1`)
    assert.equal(await choice('Labels', 'vintage').getAttribute('aria-pressed'), 'true')
    assert.equal(await page.locator('.detail').count(), 0)
    await choice('Labels', 'vintage').click()
    await choice('Labels', 'gpj').click()
    await untilInPage(page, `${ROWS} === 1`)
    await choice('Labels', 'gpj').click()
    assert.equal(await page.evaluate(`globalThis.hacked`), undefined)
    assert.equal(await page.locator('main b').count(), 0)
    assert.ok(!(await bar.innerText()).includes('\u202E'))
    const wide = `[...document.querySelectorAll('.side-bar .choice')].some(each => each.scrollWidth > each.clientWidth)`
    assert.equal(await page.evaluate(wide), false)
    assert.deepEqual(await axeFindings(page), [])
    const labels = bar.locator('summary').getByText('Labels')
    await labels.click()
    await choice('Labels', 'films').waitFor({ state: 'hidden' })
    await page.reload()
    await choice('Trackers', 'No tracker').waitFor()
    assert.equal(await choice('Labels', 'films').isVisible(), false, 'what was closed stays so')
    await page.getByRole('button', { name: 'Filters' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('group', { name: 'Show' }).waitFor()
    watched.check()
    await page.context().close()
  })

  test('words of the search; what nobody can read is said and passed over', async () => {
    const watched = await opened()
    const { page } = watched
    const search = page.getByRole('searchbox')
    for (const [words, rows] of [
      ['label:films', 2],
      ['label:"" "film 1"', 4],
      ['tracker:example', 2],
      ['folder:content size<1KiB', 14],
      ['size>1KiB', 0],
      ['state:queued label:vintage', 1],
      ['"films"', 2],
    ] as const) {
      await search.fill(words)
      await untilInPage(page, `${ROWS} === ${rows}`)
      const { total } = await node.get<{ total: number }>(`/downloads?limit=1&filter=${encodeURIComponent(words)}`)
      assert.equal(total, rows, words)
    }
    await search.fill('size>big film')
    await page.getByRole('alert').getByText('size>big is not a size').waitFor()
    await untilInPage(page, `${ROWS} === 14`)
    await search.fill('state:asleep')
    await page.getByRole('alert').getByText('No state is called asleep').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await search.fill('state:queued')
    const bar = page.getByRole('group', { name: 'Filters' })
    await bar.getByRole('button', { name: /^Queued/, pressed: true }).waitFor()
    await bar.getByRole('button', { name: /^All/ }).click()
    await untilInPage(page, `${ROWS} === 14`)
    assert.equal(await search.inputValue(), '')
    watched.check()
    await page.context().close()
  })

  test('the menu of a row by mouse and keys; of all that are selected; the focus comes back', async () => {
    const watched = await opened()
    const { page } = watched
    const menu = page.getByRole('menu', { name: 'Actions' })
    const item = (name: string) => menu.getByRole('menuitem', { name })
    const focused = (name: string) => item(name).and(page.locator(':focus')).waitFor()
    const gridFocused = `document.activeElement?.getAttribute('role') === 'grid'`
    const rows = page.locator('.row[data-infohash]')
    await rows.nth(2).click({ button: 'right' })
    await focused('Resume')
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('ArrowUp')
    await focused('Remove…')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await focused('Stop')
    await page.keyboard.press('m')
    await focused('Move to folder…')
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await untilInPage(page, gridFocused)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+F10')
    await focused('Resume')
    await page.keyboard.press('l')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Labels' }).getByLabel('Add labels').fill('by keys')
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Enter')
    await rows.nth(1).locator('.label').getByText('by keys').waitFor()
    await untilInPage(page, gridFocused)
    await page.keyboard.press('ContextMenu')
    await focused('Resume')
    await page.getByRole('searchbox').click()
    await menu.waitFor({ state: 'detached' })
    await rows.nth(0).click({ modifiers: ['Control'] })
    await rows.nth(2).click({ modifiers: ['Control'] })
    await rows.nth(2).click({ button: 'right' })
    await page.locator('.menu').getByText('2 downloads').waitFor()
    await item('Stop').click()
    await waitFor('two are stopped', async () => (await paused()) === 2)
    await rows.nth(0).click({ button: 'right' })
    await item('Move to folder…').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Folder').fill(join(folder, 'moved'))
    await dialog.getByRole('button', { name: 'Move' }).click()
    const moved = `filter=${encodeURIComponent(`folder:"${join(folder, 'moved')}"`)}`
    await waitFor(
      'two are moved',
      async () => (await node.get<{ total: number }>(`/downloads?limit=1&${moved}`)).total === 2,
    )
    await rows.nth(0).click({ button: 'right' })
    await item('Seeding goals…').click()
    await dialog.getByRole('combobox', { name: 'Seed to ratio' }).selectOption('value')
    await dialog.getByRole('textbox', { name: 'Seed to ratio' }).fill('2.5')
    await dialog.getByRole('combobox', { name: 'Seed for minutes' }).selectOption('never')
    await dialog.getByRole('button', { name: 'Change' }).click()
    const goals = async () => {
      const { downloads } = await node.get<{ downloads: { seeding_ratio: number; seeding_time: number }[] }>(
        '/downloads',
      )
      return downloads.filter(one => one.seeding_ratio === 2.5 && one.seeding_time === -1).length
    }
    await waitFor('two have goals', async () => (await goals()) === 2)
    await rows.nth(0).click({ button: 'right' })
    await item('Anonymity…').click()
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('Changed.').nth(2).waitFor()
    await rows.nth(0).click({ button: 'right' })
    await item('Resume').click()
    await waitFor('none is', async () => (await paused()) === 0)
    watched.check()
    await page.context().close()
  })

  test('removing is undone by button and by keys; who leaves the page means it; who adds it again keeps it', async () => {
    const watched = await opened()
    const { page } = watched
    const infohash = 'ef'.repeat(20)
    const uri = `magnet:?xt=urn:btih:${infohash}&dn=Short`
    await node.request('PUT', '/downloads', { uri })
    const row = page.locator(`#row-${infohash}`)
    const remove = async () => {
      await row.click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
      await page.locator(`#row-${infohash}.leaving`).waitFor()
    }
    const message = page.getByRole('status').getByText('1 download will be removed.')
    await remove()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Undo' }).click()
    await message.waitFor({ state: 'detached' })
    await remove()
    await untilInPage(page, `document.activeElement?.getAttribute('role') === 'grid'`)
    await page.keyboard.press('Control+z')
    await message.waitFor({ state: 'detached' })
    assert.equal(await page.locator('.row.leaving').count(), 0)
    await remove()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('dialog').getByRole('textbox').first().fill(uri)
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await message.waitFor({ state: 'detached' })
    await page.goto(`${node.baseUrl}/#/downloads`)
    const there = async () => (await node.request('GET', `/downloads/${infohash}`)).status
    assert.equal(await there(), 200)
    await remove()
    await page.goto('about:blank')
    await waitFor('it is removed', async () => (await there()) === 404)
    // An empty page has no storage for the script of this test.
    watched.check(/localStorage/)
    await page.context().close()
  })

  test('a phone: a finger that stays opens the menu, and no page', async () => {
    const watched = await opened('', PHONE)
    const { page } = watched
    const { x = 0, y = 0 } = (await page.locator('.row[data-infohash]').nth(1).boundingBox()) ?? {}
    const client = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchEnd') =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: x + 90, y: y + 20 }],
      })
    await touch('touchStart')
    const menu = page.getByRole('menu', { name: 'Actions' })
    await menu.waitFor()
    await touch('touchEnd')
    assert.deepEqual(await axeFindings(page), [])
    const { width = 0, x: left = 1 } = (await page.locator('.menu').boundingBox()) ?? {}
    assert.deepEqual([left, width], [0, 390])
    await menu.getByRole('menuitem', { name: 'Limits…' }).tap()
    await page.getByRole('dialog', { name: 'Limits' }).waitFor()
    assert.ok(Number(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`)) <= 0)
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.detail').count(), 0)
    watched.check()
    await page.context().close()
  })

  test('a phone: filters come over the list, what is chosen stands above it', async () => {
    const watched = await opened('', PHONE)
    const { page } = watched
    await page.getByRole('button', { name: 'Filters' }).tap()
    const bar = page.getByRole('group', { name: 'Filters' })
    await bar.getByRole('button', { name: /^films/ }).tap()
    await untilInPage(page, `${ROWS} === 2`)
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'hidden' })
    const wider = Number(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`))
    assert.ok(wider <= 0)
    await page
      .getByRole('list', { name: 'Shown only' })
      .getByRole('button', { name: /^films/ })
      .tap()
    await untilInPage(page, `${ROWS} > 2`)
    watched.check()
    await page.context().close()
  })

  test('a phone: the list can be sorted, and every page is reached from the bar', async () => {
    const watched = await opened('', PHONE)
    const { page } = watched
    await page.getByLabel('Sort by').selectOption({ label: 'Name' })
    await untilInPage(page, `${FIRST_NAME} === 'Film 0'`)
    await page.getByRole('button', { name: 'Descending' }).tap()
    await untilInPage(page, `${FIRST_NAME} === 'Film 13'`)
    const bar = page.getByRole('navigation', { name: 'Pages' })
    const cut = `[...document.querySelectorAll('nav[aria-label=Pages] > .nav a, .nav-more')]
      .filter(each => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > each.clientWidth)
      .map(each => each.textContent)`
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      assert.deepEqual(await page.evaluate(cut), [], `at ${width}`)
    }
    for (const name of ['Statistics', 'Events', 'Settings'])
      assert.ok(await bar.getByRole('link', { name }).isVisible())
    await bar.getByRole('button', { name: 'More' }).tap()
    const ways = bar.locator('.nav-rest a')
    await ways.first().waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await ways.first().tap()
    await ways.first().waitFor({ state: 'hidden' })
    assert.ok(!(await page.evaluate<string>(`location.hash`)).startsWith('#/downloads'))
    watched.check()
    await page.context().close()
  })

  test('slow mode at a click, limits in a unit of choice: sent, told to other pages, and refused beside the field', async () => {
    const watched = await opened()
    const { page } = watched
    const other = await opened('', PHONE)
    const limits = page.getByRole('group', { name: 'Speed limits' })
    await limits.getByRole('button', { name: 'Slow mode' }).click()
    await limits.getByRole('button', { name: 'Slow mode', pressed: true }).waitFor()
    await other.page.getByRole('button', { name: 'More' }).click()
    await other.page.getByRole('button', { name: 'Slow mode', pressed: true }).click()
    await limits.getByRole('button', { name: 'Slow mode', pressed: false }).waitFor()
    await other.page.getByRole('button', { name: 'Speed limits' }).click()
    await other.page.getByRole('group', { name: 'Usual limits' }).waitFor()
    assert.deepEqual(await axeFindings(other.page), [], 'limits on a phone')

    await limits.getByRole('button', { name: 'Speed limits' }).focus()
    await page.keyboard.press('Enter')
    const usual = page.getByRole('group', { name: 'Usual limits' })
    await page.getByLabel('Unit').selectOption('mbit')
    await usual.getByLabel('Upload').fill('fast')
    await usual.getByRole('button', { name: 'Set' }).click()
    await usual.getByRole('alert').getByText('not a speed').waitFor()
    assert.deepEqual(await axeFindings(page), [], 'limits')
    await usual.getByLabel('Upload').fill('8')
    await usual.getByLabel('Upload').press('Enter')
    await page.getByText('The limits are set.').waitFor()
    type Rates = { settings: { libtorrent: Record<string, unknown>; slow_mode: Record<string, unknown> } }
    const rates = async () => (await node.get<Rates>('/settings')).settings
    assert.equal((await rates()).libtorrent['max_upload_rate'], 1_000_000)
    await limits.getByRole('button', { name: 'Speed limits' }).click()
    assert.equal(await usual.getByLabel('Upload').inputValue(), '8')
    await page.getByRole('group', { name: 'Limits in slow mode' }).getByLabel('Download').fill('0.8')
    await page.getByRole('group', { name: 'Limits in slow mode' }).getByRole('button', { name: 'Set' }).click()
    await page.getByText('Usual limits').waitFor({ state: 'detached' })
    assert.equal((await rates()).slow_mode['max_download_rate'], 100_000)
    await limits.getByRole('button', { name: 'Speed limits' }).click()
    await usual.getByRole('button', { name: 'No limits' }).click()
    await page.getByText('Usual limits').waitFor({ state: 'detached' })
    assert.equal((await rates()).libtorrent['max_upload_rate'], 0)
    watched.check()
    other.check()
    await page.context().close()
    await other.page.context().close()
  })

  test('columns: chosen, ordered and widened by keys and the mouse, kept; the name takes what is left', async () => {
    const watched = await opened()
    await orderColumns(watched.page)
    watched.check()
    await watched.page.context().close()
  })

  test('the queue: by the menu of a row, by Alt and an arrow, by the mouse', async () => {
    const watched = await opened()
    await orderQueue(watched.page, node)
    watched.check()
    await watched.page.context().close()
  })
})
