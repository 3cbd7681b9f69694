// The pages of the dashboard that tell of the node itself, in Chromium against a real node: what the doctor finds, what
// happened, the log, the settings.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import {
  axeFindings,
  CHROMIUM,
  startBrowser,
  untilInPage,
  type WatchedPage,
  watchedPage,
} from '../../kit/nodes/browser.ts'
import { addDownload } from '../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'

const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe('pages of the node', { skip: needs(CHROMIUM), concurrency: 1, timeout: 120_000 }, () => {
  let node: NodeProcess
  let browser: Browser
  let folder = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-pages-'))
    node = await startNode()
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A page that has the key already. */
  async function signedIn(at: string, options: Parameters<typeof watchedPage>[2] = WIDE): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.goto(`${node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  test('doctor: what is so, what is not with what to do, and looking once more by keyboard', async () => {
    const watched = await signedIn('#/doctor', PHONE)
    const { page } = watched
    await page.getByRole('status').filter({ hasText: 'Checked at' }).waitFor()
    const { findings } = await node.get<{ findings: { state: string }[] }>('/debug/doctor')
    assert.equal(await page.locator('.findings li').count(), findings.length)
    const found = [
      { state: 'problem', check: 'mounts', code: 'room_little', text: '<b>\u202efull</b>', advice: 'Make room.' },
      { state: 'warning', check: 'database', text: 'w'.repeat(300), advice: 'Look.' },
      { state: 'ok', check: 'clock', text: 'The clock says now.', advice: '' },
    ]
    await page.route('**/debug/doctor', route =>
      route.fulfill({ json: { healthy: false, time: 1_700_000_000, findings: found } }),
    )
    await page.getByRole('button', { name: 'Check again' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'One problem. Checked at' }).waitFor()
    assert.equal(await page.evaluate(`document.activeElement?.textContent`), 'Check again')
    const problem = page.getByRole('region', { name: 'Problems' }).getByRole('listitem')
    assert.match(await problem.innerText(), /^Problem · Disks\s+<b>\ufffdfull<\/b>\s+What to do: Make room\.$/)
    await page.getByRole('region', { name: 'To look at' }).getByText('Warning · Database').waitFor()
    assert.equal(await page.getByText('The clock says now.').isVisible(), false, 'what is in order is put away')
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`), 0)
    watched.check()
    await page.context().close()
  })

  test('the navigation: chapters that nobody uses are behind a button, and asking for none of them starts it', async () => {
    const watched = await signedIn('')
    const { page } = watched
    const bar = page.getByRole('navigation', { name: 'Pages' })
    const names = () => bar.getByRole('link').allInnerTexts()
    const core = ['Downloads', 'Statistics', 'Events', 'Settings', 'Doctor']
    assert.deepEqual(await names(), core)
    await bar.getByRole('button', { name: 'All pages' }).press('Enter')
    await bar.getByRole('link', { name: 'Market' }).waitFor()
    assert.equal((await names()).length, core.length + 5)
    assert.equal(await page.evaluate(`document.activeElement?.textContent`), 'Fewer pages')
    assert.deepEqual(await axeFindings(page), [])
    await page.reload()
    await bar.getByRole('link', { name: 'Circuits' }).click()
    await bar.getByRole('button', { name: 'Fewer pages' }).click()
    await bar.getByRole('link', { name: 'Market' }).waitFor({ state: 'detached' })
    await bar.getByRole('link', { name: 'Events' }).click()
    await page.reload()
    await bar.getByRole('link', { name: 'Circuits' }).click()
    assert.deepEqual(await names(), ['Downloads', 'Circuits', ...core.slice(1)], 'what was used is shown')
    const set = (enabled: boolean) => node.request('POST', '/settings', { tunnel_community: { enabled } })
    await set(false)
    await bar.getByRole('link', { name: 'Events' }).click()
    await bar.getByRole('link', { name: 'Circuits' }).waitFor({ state: 'detached' })
    await set(true)
    const { network } = await node.get<{ network: { running: boolean } }>('/debug/circuits/network')
    assert.equal(network.running, false)
    watched.check()
    await page.context().close()
  })

  test('events: what was added and removed, many in one line, narrowed by kind and words', async () => {
    const watched = await signedIn('#/events', PHONE)
    const { page } = watched
    const hash = (n: number) => n.toString(16).padStart(40, '0')
    const add = (n: number) => node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${hash(n)}&dn=film${n}` })
    for (let n = 1; n <= 30; n += 10) await Promise.all(Array.from({ length: 10 }, (_, at) => add(n + at)))
    const added = page.locator('.events li').filter({ hasText: /^[\s\S]*Added/ })
    await added.first().waitFor()
    await node.request('DELETE', `/downloads/${hash(7)}`, { remove_data: false })
    const removed = page.locator('.events li').filter({ hasText: 'Removed' })
    await removed.filter({ hasText: 'film7' }).waitFor()
    assert.ok((await added.count()) < 10, 'no line for each')
    await page.getByLabel('Download or words').fill('REMOVED')
    await added.first().waitFor({ state: 'detached' })
    await page.getByLabel('Kind').selectOption('Problems')
    await page.getByText('No events match.').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`), 0)
    // Later readers find them in the log of events.
    await page.reload()
    await removed.filter({ hasText: 'film7' }).waitFor()
    watched.check()
    await page.context().close()
  })

  test('notifications: the browser is asked when they are switched on, and shows what happens while nobody looks', async () => {
    const watched = await signedIn('#/events')
    const { page } = watched
    // What it would show: Chromium without a screen shows none. And whether it was asked.
    const fake = `window.shown = []; window.asked = 0
      document.hasFocus = () => window.looks === true
      window.Notification = class {
        static permission = 'default'
        static async requestPermission() { window.asked += 1; this.permission = 'granted'; return 'granted' }
        constructor(title, { body }) { window.shown.push(title + ': ' + body) }
        addEventListener() {}
      }`
    await page.addInitScript(fake)
    await page.reload()
    const choice = page.getByRole('checkbox', { name: 'Notify me in this browser' })
    assert.deepEqual([await choice.isChecked(), await page.evaluate('window.asked')], [false, 0])
    const failing = async (name: string) => {
      const made = makeTorrent({ name, length: 200_000, seed: 500 })
      const to = await mkdtemp(join(folder, 'taken-'))
      await writeFile(join(to, `${name}.torrent`), made.torrent)
      await writeFile(join(to, name), Buffer.alloc(200_000, 'my own words '))
      await addDownload(node, join(to, `${name}.torrent`), to)
      await page.locator('.events li').filter({ hasText: name }).filter({ hasText: 'error' }).first().waitFor()
    }
    await failing('before.txt')
    await choice.press('Space')
    await untilInPage(page, `window.asked === 1`)
    await failing('while.txt')
    await untilInPage(page, `window.shown.length > 0`)
    assert.match(await page.evaluate('window.shown.join()'), /^Download stopped by an error: .*while\.txt/)
    await page.evaluate('window.looks = true')
    await failing('looking.txt')
    assert.equal(await page.evaluate('window.shown.length'), 1)
    assert.deepEqual(await axeFindings(page), [])
    watched.check()
    await page.context().close()
  })

  test('the log: level, part and words, paused by keyboard, and hostile texts are texts', async () => {
    const watched = await signedIn('', PHONE)
    const { page } = watched
    const line = (level: string, part: string, msg: string) =>
      JSON.stringify({ level, time: '2026-11-28T09:36:41.000Z', part, msg })
    let content = [line('info', 'dht', 'nodes'), line('error', 'tracker', '<img src=x>\u202e\u0007')].join('\n')
    await page.route('**/debug/log?**', route => route.fulfill({ json: { content, max_lines: 500 } }))
    await page.goto(`${node.baseUrl}/#/events`)
    await page.getByRole('button', { name: 'Log' }).click()
    const lines = page.getByRole('list', { name: 'Log' }).getByRole('listitem')
    await lines.nth(1).waitFor()
    assert.match((await lines.nth(0).innerText()).replaceAll('\n', ' '), /Error tracker <img src=x>\ufffd\ufffd$/)
    assert.equal(await page.locator('main img').count(), 0)
    await page.getByLabel('Level').selectOption('Errors')
    await lines.nth(1).waitFor({ state: 'detached' })
    await page.getByLabel('Part').selectOption('dht')
    await page.getByText('No lines match.').waitFor()
    await page.getByLabel('Level').selectOption('All')
    await page.getByLabel('Part').selectOption('All parts')
    const pause = page.getByRole('button', { name: 'Pause' })
    await pause.focus()
    await page.keyboard.press('Space')
    content = [content, line('warn', 'disk', 'a late one')].join('\n')
    const asked = page.waitForResponse('**/debug/log?**')
    await asked
    await page.getByText('New lines are not shown').waitFor()
    assert.equal(await lines.count(), 2)
    await page.keyboard.press('Space')
    await lines.filter({ hasText: 'a late one' }).waitFor()
    await page.getByLabel('Words').fill('LATE disk')
    await lines.nth(1).waitFor({ state: 'detached' })
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`), 0)
    watched.check()
    await page.context().close()
  })

  test('a film by the number of a padding file is the file behind it; a number of none is said to be none', async () => {
    const infohash = 'e'.repeat(40)
    const watched = await signedIn('')
    const { page } = watched
    const file = (index: number) => ({
      index,
      name: `part ${index}.iso`,
      size: 1000,
      included: true,
      progress: 0,
      priority: 4,
      stream_url: `/downloads/${infohash}/stream/${index}?token=1.a`,
    })
    // A hybrid with a padding file behind each file: they keep their numbers.
    await page.route('**/files', route => route.fulfill({ json: { infohash, files: [file(0), file(2)] } }))
    await page.route('**/watching', route => route.fulfill({ json: { watching: [] } }))
    await page.route('**/stream/**', route => route.fulfill({ status: 404, json: {} }))
    await page.goto(`${node.baseUrl}/#/play/${infohash}/1`)
    await page.getByRole('heading', { name: 'part 2.iso' }).waitFor()
    assert.equal(await page.evaluate(`location.hash`), `#/play/${infohash}/2`)
    await page.goto(`${node.baseUrl}/#/play/${infohash}/3`)
    await page.getByText('This download has no file of this number.').waitFor()
    await page.context().close()
  })

  test('settings: what is entered is sent and shown, what is refused is told at its field', async () => {
    const watched = await signedIn('#/settings')
    const { page } = watched
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('libtorrent max upload rate')
    const field = page.getByLabel('Upload limit', { exact: true })
    await field.fill('a lot')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.setting').getByRole('alert').getByText('within the limits shown').waitFor()
    await page.getByLabel('Unit of Upload limit', { exact: true }).selectOption('mib')
    await field.fill('1.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const { settings } = await node.get<{ settings: { libtorrent: Record<string, unknown> } }>('/settings')
    assert.equal(settings.libtorrent['max_upload_rate'], 1.5 * 1024 * 1024)
    await page.getByRole('group', { name: 'Changes' }).waitFor({ state: 'detached' })
    assert.equal(await field.inputValue(), '1.5')
    assert.deepEqual(await axeFindings(page), [])
    watched.check(/400 \(Bad Request\)/)
    await page.context().close()
  })

  test('settings: what another page changed meanwhile is told and not overwritten, all others are left alone', async () => {
    const watched = await signedIn('#/settings')
    const { page } = watched
    const stored = async () => {
      const { settings } = await node.get<{ settings: Record<string, Record<string, unknown>> }>('/settings')
      return [settings['libtorrent']?.['active_seeds'], settings['libtorrent']?.['active_downloads']]
    }
    const other = (libtorrent: object) => node.request('POST', '/settings', { libtorrent })
    const field = page.getByRole('textbox', { name: 'Seeding at the same time' })
    await field.fill('7')
    await other({ active_seeds: 5, active_downloads: 9 })
    const save = page.getByRole('button', { name: 'Save' })
    await save.click()
    await page.getByRole('alert').getByText('Changed elsewhere meanwhile, and now: 5').waitFor()
    assert.deepEqual(await stored(), [5, 9], 'nothing was sent')
    assert.equal(await field.inputValue(), '7', 'and what was entered is still there')
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Keep my value' }).click()
    await untilInPage(page, `document.activeElement?.labels?.[0]?.textContent === 'Seeding at the same time'`)
    await save.click()
    await page.getByText('Saved.').waitFor()
    assert.deepEqual(await stored(), [7, 9], 'what was not edited here is as the other page set it')
    await page.getByRole('group', { name: 'Changes' }).waitFor({ state: 'detached' })
    await field.fill('8')
    await other({ active_seeds: 6 })
    await save.click()
    await page.getByRole('button', { name: 'Use the new value' }).click()
    await page.getByRole('group', { name: 'Changes' }).waitFor({ state: 'detached' })
    assert.equal(await field.inputValue(), '6')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const exported = await readFile(await (await saved).path(), 'utf8')
    assert.match(exported, /"active_seeds": 6/)
    assert.ok(!exported.includes(node.key), 'no key is in it')
    const changed = exported.replace('"active_seeds": 6', '"active_seeds": 3, "no_such_option": 1')
    const imported = { name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from(changed) }
    await page.getByLabel('Import').setInputFiles(imported)
    await page.getByText('1 setting of the file was left out').waitFor()
    await page.locator('.change-list').getByText('6 → 3').waitFor()
    assert.deepEqual(await stored(), [6, 9], 'what would change is shown first')
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('group', { name: 'Changes' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('switch', { name: 'All settings' }).click()
    await page.getByRole('heading', { name: 'BitTorrent' }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.reload()
    await page.getByRole('heading', { name: 'BitTorrent' }).waitFor()
    await other({ active_seeds: -1, active_downloads: -1, max_upload_rate: 0 })
    watched.check()
    await page.context().close()
  })

  test('settings: the hours of slow mode are painted by mouse, finger and keyboard', async () => {
    const before = ['mon-fri 08:00-10:00', 'wed 09:00-11:30']
    await node.request('POST', '/settings', { slow_mode: { schedule: before } })
    const watched = await signedIn('#/settings', PHONE)
    const { page } = watched
    const grid = page.getByRole('grid', { name: 'Hours of the week' })
    const lines = page.getByLabel('Schedule', { exact: true })
    const cell = (name: string) => grid.getByRole('gridcell', { name })
    const middle = async (name: string) => {
      const { x, y, width, height } = (await cell(name).boundingBox()) ?? assert.fail(name)
      return { x: x + width / 2, y: y + height / 2 }
    }
    const shown = (...expected: string[]) =>
      untilInPage(
        page,
        `document.querySelector('.week-lines textarea').value === ${JSON.stringify(expected.join('\n'))}`,
      )
    await cell('Wednesday, 11:00 to 12:00, a part of it').scrollIntoViewIfNeeded()
    await shown(...before)
    assert.equal(await grid.getByRole('gridcell', { selected: true }).count(), 11, 'what overlaps is on once')

    const [from, to] = [await middle('Saturday, 09:00'), await middle('Sunday, 11:00')]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y + 1)
    await page.mouse.up()
    await page.mouse.move(from.x, from.y - 60)
    const rest = 'sat,sun 09:00-12:00'
    await shown('mon,tue,thu,fri 08:00-10:00', 'wed 08:00-11:30', rest)

    const finger = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel', at?: { x: number; y: number }) =>
      finger.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [at] })
    const [first, last] = [await middle('Monday, 08:00'), await middle('Friday, 09:00')]
    await touch('touchStart', first)
    // Up and down alone would scroll the page.
    await touch('touchMove', { x: first.x + 80, y: first.y })
    await touch('touchMove', last)
    await touch('touchEnd')
    await shown('wed 10:00-11:30', rest)
    await touch('touchStart', first)
    await shown('mon 08:00-09:00', 'wed 10:00-11:30', rest)
    await touch('touchCancel')
    await shown('wed 10:00-11:30', rest)

    await cell('Thursday, 22:00').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    await untilInPage(page, `document.activeElement?.getAttribute('aria-label') === 'Friday, 23:00 to 24:00'`)
    await shown('wed 10:00-11:30', 'thu 22:00-24:00', 'fri 23:00-24:00', rest)
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`), 0)

    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const { settings } = await node.get<{ settings: { slow_mode: { schedule: string[] } } }>('/settings')
    assert.deepEqual(settings.slow_mode.schedule, ['wed 10:00-11:30', 'thu 22:00-24:00', 'fri 23:00-24:00', rest])
    await lines.fill('mon 9-10')
    await page.getByText('Hours can be chosen again when this line has days and times: mon 9-10').waitFor()
    await cell('Friday, 23:00').focus()
    await page.keyboard.press('Space')
    await page.mouse.click(first.x, first.y)
    await shown('mon 9-10')
    assert.equal(await grid.getAttribute('aria-disabled'), 'true')
    watched.check()
    await page.context().close()
  })
})
