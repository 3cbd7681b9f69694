// Adding downloads in the dashboard, in Chromium over a real node: files are chosen before anything is fetched, of
// torrent files and of a magnet link whose metadata comes from a peer; folders, many at once, and links
// that the browser opens.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage } from '../../kit/nodes/browser.ts'
import { openDashboard, PHONE } from '../../kit/nodes/dashboard-page.ts'
import { addDownload, downloadRecord, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'

const skip = needs(CHROMIUM)
const ROWS = `document.querySelectorAll('[role=treeitem]').length`

/** 300 files in 12 folders, with names that nobody gives. */
const files = Array.from({ length: 300 }, (_, i) => ({ path: `Season ${i % 12}/E${i}.mkv`, length: 100 }))
const hostile = ['<b>bold</b>', 'שלום\u202Egpj.exe', '\u200b', 'n'.repeat(240)]
const season = makeTorrent({ name: 'Season pack', files })
const strange = makeTorrent({
  name: '<img src=x onerror="window.hacked=1">',
  files: hostile.map((path, i) => ({ path, length: 1000 + i })),
  seed: 3,
})

describe('adding in the dashboard', { skip, concurrency: 1, timeout: 120_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let seeder: NodeProcess
  let browser: Browser
  let magnet = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-adding-'))
    for (const name of ['into', 'other/Films', 'from/Two parts']) await mkdir(join(folder, name), { recursive: true })
    const two = makeTorrent({
      name: 'Two parts',
      files: [
        { path: 'first.bin', length: 50_000 },
        { path: 'second.bin', length: 60_000 },
      ],
      seed: 9,
    })
    for (const { path, content } of two.files) await writeFile(join(folder, 'from', 'Two parts', path), content)
    await writeFile(join(folder, 'two.torrent'), two.torrent)
    seeder = await startNode({})
    const infohash = await addDownload(seeder, join(folder, 'two.torrent'), join(folder, 'from'))
    await downloadUntil(seeder, infohash, ({ status }) => status === 'DLSTATUS_SEEDING')
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    magnet = `magnet:?xt=urn:btih:${infohash}&dn=Two&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
    node = await startNode({ settings: { 'download_defaults.saveas': join(folder, 'into') } })
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await Promise.all([node?.stop(), seeder?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const opened = (at = '', options: BrowserContextOptions = {}) => openDashboard(browser, node, { at, options })

  async function drop(page: Page, ...torrents: readonly MadeTorrent[]): Promise<void> {
    const list = torrents.map(({ torrent }) => Buffer.from(torrent).toString('base64'))
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      for (const [i, text] of ${JSON.stringify(list)}.entries()) {
        const bytes = Uint8Array.from(atob(text), char => char.charCodeAt(0))
        data.items.add(new File([bytes], i + '.torrent', { type: 'application/x-bittorrent' }))
      }
      return data
    })()`)
    await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
  }

  const fits = async (page: Page) =>
    assert.ok(Number(await page.evaluate(`document.querySelector('dialog').scrollWidth - innerWidth`)) <= 0)
  const add = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  const chosenOf = async (infohash: string) =>
    (await node.get<{ files: { index: number; included: boolean }[] }>(`/downloads/${infohash}/files`)).files
      .filter(({ included }) => included)
      .map(({ index }) => index)

  test('a torrent file: by keyboard alone one folder and one file of 300 are chosen, and it waits in another folder', async () => {
    const watched = await opened('', { colorScheme: 'light' })
    const { page } = watched
    await drop(page, season)
    const dialog = page.getByRole('dialog')
    const tree = dialog.getByRole('tree', { name: 'Files of Season pack' })
    await tree.waitFor()
    await dialog.getByText('300 of 300 files, 29.3 KiB of 29.3 KiB').waitFor()
    await dialog.getByRole('button', { name: 'Select none' }).press('Enter')
    assert.ok(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled())
    await tree.focus()
    // Season 0 whole; of Season 1 its first file.
    for (const key of ['Home', 'Space', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Space'])
      await page.keyboard.press(key)
    await dialog.getByText('26 of 300 files').waitFor()
    const states = `[...document.querySelectorAll('[role=treeitem]')].slice(0, 3).map(row => row.ariaChecked + row.ariaLevel)`
    assert.deepEqual(await page.evaluate(states), ['true1', 'mixed1', 'true2'])
    const current = `document.getElementById(document.querySelector('[role=tree]').getAttribute('aria-activedescendant')).textContent`
    assert.equal(await page.evaluate(current), 'E1.mkv100 B')
    assert.ok(Number(await page.evaluate(ROWS)) <= 40)
    assert.deepEqual(await axeFindings(page), [])
    await dialog.getByLabel('Do not start yet').check()
    await dialog.getByLabel('Folder on the node').fill(join(folder, 'other'))
    await dialog.getByText(/2.54 KiB of .+ free/).waitFor()
    await dialog.getByRole('button', { name: 'Browse…' }).click()
    await dialog.getByRole('button', { name: 'Films' }).click()
    await untilInPage(page, `document.querySelector('.folder-line input').value.endsWith('/other/Films')`)
    await dialog.getByText('There are no folders in it.').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await add(page)
    await dialog.waitFor({ state: 'detached' })
    const { infoHash } = season
    const record = await downloadUntil(node, infoHash, ({ status }) => status === 'DLSTATUS_STOPPED')
    assert.equal(record.destination, join(folder, 'other', 'Films'))
    assert.deepEqual(
      await chosenOf(infoHash),
      [0, ...files.flatMap((_, i) => ((i % 12 === 0 && i > 0) || i === 1 ? [i] : []))].toSorted((a, b) => a - b),
    )
    await drop(page, season)
    await dialog.getByText('Already in your list.').waitFor()
    await dialog.getByRole('list', { name: 'Recent folders' }).getByRole('button', { name: 'Films' }).waitFor()
    watched.check()
    await page.context().close()
  })

  test('a magnet link that the browser opens: shown, looked for when that is asked for, and one file of it fetched', async () => {
    const watched = await opened(`#/add/${encodeURIComponent(magnet)}`)
    const { page } = watched
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Magnet links').inputValue(), magnet)
    assert.ok(!(await page.evaluate<string>(`location.href`)).includes('magnet'))
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await dialog.getByRole('button', { name: 'Show files: Two' }).waitFor()
    assert.deepEqual(
      asked.filter(url => url.includes('torrentinfo')),
      [],
    )
    await dialog.getByRole('button', { name: 'Show files: Two' }).click()
    await dialog.getByRole('treeitem', { name: 'second.bin' }).click()
    await dialog.getByText('1 of 2 files').waitFor()
    await add(page)
    await dialog.waitFor({ state: 'detached' })
    const infohash = /btih:(\w+)/.exec(magnet)?.[1] ?? ''
    await downloadUntil(node, infohash, ({ progress }) => progress === 1, 30_000)
    assert.deepEqual(await chosenOf(infohash), [0])
    await page.evaluate(`location.hash = '#/add/' + encodeURIComponent(${JSON.stringify(magnet)})`)
    await dialog.getByText('Already in your list.').waitFor()
    watched.check()
    await page.context().close()
  })

  test('many at once with one label, pasted and dropped; names of strangers are text and fit a phone', async () => {
    const watched = await opened('', { ...PHONE, colorScheme: 'dark' })
    const { page } = watched
    const name = `<img src=x onerror="window.hacked=1">${'שלום\u202E\u200b'.repeat(200)}`
    const links = ['ab', 'cd'].map(two => `magnet:?xt=urn:btih:${two.repeat(20)}&dn=${encodeURIComponent(name)}`)
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ${JSON.stringify(links.join('\n'))})
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    })()`)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await drop(page, strange)
    await dialog.getByText('4 of 4 files').waitFor()
    await dialog.getByRole('button', { name: 'Choose files of <img' }).click()
    await dialog.getByRole('treeitem', { name: 'U+200B' }).waitFor()
    await dialog.getByRole('button', { name: 'Browse…' }).click()
    await dialog.getByText('Options').click()
    await dialog.getByLabel('Labels').fill('pack')
    await fits(page)
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.locator('dialog img, dialog b').count(), 0)
    assert.equal(await page.evaluate(`window.hacked`), undefined)
    await add(page)
    await page.getByText('3 downloads added.').waitFor()
    for (const hash of ['ab'.repeat(20), 'cd'.repeat(20), strange.infoHash])
      assert.deepEqual((await downloadRecord(node, hash)).labels, ['pack'])
    watched.check()
    await page.context().close()
  })

  test('magnet links of the browser: asked for by a press alone, with the address of this page', async () => {
    const watched = await opened()
    const { page } = watched
    await page.evaluate(`navigator.registerProtocolHandler = (...asked) => { window.asked = asked }`)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Options').click()
    assert.equal(await page.evaluate(`window.asked`), undefined)
    await dialog.getByRole('button', { name: 'Open magnet links with this page' }).click()
    assert.deepEqual(await page.evaluate(`window.asked`), ['magnet', `${node.baseUrl}/#/add/%s`])
    watched.check()
    await page.context().close()
  })
})
