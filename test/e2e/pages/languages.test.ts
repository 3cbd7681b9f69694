// Every page of the dashboard in Debian's Chromium, in other languages than English: in letters that no English text
// has, what is left of English is in no catalogue; German is no wider than a phone; from right to left nothing sticks
// out, and the side bar changes sides. Besides: the help of the keyboard, and what installs the dashboard as an app.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
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

const skip = needs(CHROMIUM)
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const film = makeTorrent({ name: 'Film', length: 300_000, seed: 3 })

/**
 * What is shown in English letters, but for what is no text of the page: names, addresses and codes of the node, units,
 * words that are names everywhere.
 */
const ENGLISH = `(() => {
  const data = 'bdi, code, kbd, .mono, .number, dd, td, option, #page [lang=en], .brand, svg'
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement: at } = node
    if (at.closest(data) !== null || !at.checkVisibility()) continue
    const words = node.data.replace(/[KMGTP]?i?B(\\/s)?|\\d+ (ms|s)\\b|\\d+\\.\\d+\\.\\d+\\S*/g, '')
    if (/[A-Za-z]{2}/.test(words)) found.push(node.data.trim())
  }
  return found
})()`
const WIDER = `document.documentElement.scrollWidth - innerWidth`

describe('dashboard in other languages', { skip, concurrency: 1, timeout: 120_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let places: string[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-languages-'))
    node = await startNode({ settings: { 'download_defaults.saveas': folder } })
    browser = await startBrowser()
    const path = join(folder, 'film.torrent')
    await writeFile(path, film.torrent)
    await addDownload(node, path, folder)
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function opened(language: string, options: Parameters<typeof watchedPage>[2]): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, options)
    const chapters = JSON.stringify({ used: [], all: true })
    const kept = { 'tributary.key': node.key, 'tributary.language': language, 'tributary.chapters': chapters }
    for (const [name, value] of Object.entries(kept))
      await watched.page.addInitScript(`localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(value)})`)
    await watched.page.goto(node.baseUrl)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    if (places.length === 0) {
      const links = `[...document.querySelectorAll('nav a, .sheet a')].map(a => a.getAttribute('href')).filter(href => href?.startsWith('#/'))`
      places = [...new Set([...(await watched.page.evaluate<string[]>(links)), '#/downloads/FILM', '#/play/FILM/0'])]
      assert.ok(places.length >= 8, places.join(' '))
    }
    return watched
  }

  async function go(page: Page, at: string): Promise<void> {
    // Another place is no other load: what was done to the page stays.
    await page.evaluate(`location.hash = ${JSON.stringify(at.replace('FILM', film.infoHash))}`)
    await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))`)
    await untilInPage(page, `(document.querySelector('#content :is(h1, h2)')?.textContent ?? '') !== ''`)
    await untilInPage(page, `!/Loading…|Ļöåđîñĝ…|Wird geladen …/.test(document.body.innerText)`)
  }

  test('in the language for tests no page shows English', async () => {
    const watched = await opened('en-XA', WIDE)
    const { page } = watched
    const found: string[] = []
    for (const place of places) {
      await go(page, place)
      const english = await page.evaluate<string[]>(ENGLISH)
      found.push(...english.map(text => `${place}: ${text}`))
    }
    assert.deepEqual(found, [])
    watched.check()
    await page.context().close()
  })

  test('German is no wider than a phone', async () => {
    const watched = await opened('de', PHONE)
    const { page } = watched
    for (const place of places) {
      await go(page, place)
      assert.ok(Number(await page.evaluate(WIDER)) <= 0, place)
    }
    watched.check()
    await page.context().close()
  })

  test('from right to left the side bar is on the right, and nothing sticks out', async () => {
    for (const size of [WIDE, PHONE]) {
      const watched = await opened('en-XA', size)
      const { page } = watched
      await page.evaluate(`document.documentElement.dir = 'rtl'`)
      for (const place of places) {
        await go(page, place)
        assert.ok(Number(await page.evaluate(WIDER)) <= 0, place)
      }
      if (size === WIDE) {
        const left = Number(await page.evaluate(`document.querySelector('.side').getBoundingClientRect().left`))
        assert.ok(left > WIDE.viewport.width / 2, `the side bar is at ${left}`)
      }
      watched.check()
      await page.context().close()
    }
  })

  test('? shows all keys, not while somebody writes; Escape closes it', async () => {
    const watched = await opened('en', WIDE)
    const { page } = watched
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await page.keyboard.press('?')
    await dialog.getByText('select all').waitFor()
    for (const word of ['Ctrl A', 'play, pause', 'search downloads', 'can be installed'])
      await dialog.getByText(word).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('?')
    assert.equal(await dialog.count(), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keys' }).click()
    await dialog.waitFor()
    watched.check()
    await page.context().close()
  })

  test('it can be installed as an app, whose sign has the number of unfinished downloads', async () => {
    const watched = await watchedPage(browser, node.baseUrl, WIDE)
    const { page } = watched
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})
      navigator.setAppBadge = async count => { window.badge = count }`)
    await page.goto(node.baseUrl)
    await untilInPage(page, `window.badge === 1`)
    const chromium = await page.context().newCDPSession(page)
    const { url, errors, data } = await chromium.send('Page.getAppManifest')
    assert.deepEqual(errors, [])
    const manifest = JSON.parse(data ?? '') as { start_url: string; icons: { src: string; purpose: string }[] }
    assert.equal(new URL(manifest.start_url, url).href, `${node.baseUrl}/`)
    assert.deepEqual(
      manifest.icons.map(({ purpose }) => purpose),
      ['any', 'maskable'],
    )
    for (const { src } of manifest.icons) {
      const icon = await fetch(new URL(src, url))
      assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
    }
    const { installabilityErrors } = await chromium.send('Page.getInstallabilityErrors')
    // Contexts of tests are private windows, in which nothing is installed.
    assert.deepEqual(
      installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
      [],
    )
    watched.check()
    await page.context().close()
  })
})
