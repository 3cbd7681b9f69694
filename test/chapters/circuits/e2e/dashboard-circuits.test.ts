// The dashboard's page of circuits in Debian's Chromium: before anything runs, and with circuits of every state (what
// the overlays tell is set by the test); how hops are chosen for a download, and what is sent then. With
// PICTURES=folder pictures are kept.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { CircuitFigures } from '../../../../src/chapters/circuits/service/circuit-figures.ts'
import {
  axeFindings,
  CHROMIUM,
  startBrowser,
  untilInPage,
  type WatchedPage,
  watchedPage,
} from '../../../kit/nodes/browser.ts'
import { FakeOverlay, ownCircuit } from '../../overlay/kit/fake-overlay.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'

const skip = needs(CHROMIUM)
const pictures = process.env['PICTURES'] ?? ''
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const HASH = 'ab'.repeat(20)

/** Answers the routes of circuits from `overlay`, with the node's own code for their records. */
async function showOverlay(page: Page, overlay: FakeOverlay): Promise<void> {
  const figures = new CircuitFigures({
    overlay: () => overlay,
    randomSlots: () => 5,
    forbiddenBy: () => '',
    startFailure: () => '',
  })
  const answers: Readonly<Record<string, () => object>> = {
    '': () => ({ circuits: figures.circuits() }),
    '/network': () => ({ network: figures.network() }),
    '/relays': () => ({ relays: figures.relays() }),
    '/exits': () => ({ exits: figures.exits() }),
    '/traffic': () => ({ traffic: figures.traffic() }),
  }
  await page.route('**/debug/circuits**', route => {
    const path = new URL(route.request().url()).pathname.replace(/^.*\/debug\/circuits/, '')
    return route.fulfill({ json: answers[path]?.() ?? {} })
  })
}

describe('dashboard, circuits', { skip, concurrency: 1, timeout: 180_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-circuits-'))
    node = await startNode({ settings: { 'download_defaults.saveas': folder } })
    const uri = `magnet:?xt=urn:btih:${HASH}&dn=Quiet`
    assert.equal((await node.request('PUT', '/downloads', { uri, destination: folder })).status, 200)
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function opened(at: string, options: BrowserContextOptions, overlay?: FakeOverlay): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    if (overlay !== undefined) await showOverlay(watched.page, overlay)
    await watched.page.goto(`${node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  test('before anything runs the page says so, and asking starts nothing', async () => {
    const watched = await opened('#/circuits', WIDE)
    const { page } = watched
    await page.getByText('The overlays do not run').waitFor()
    await page.getByText('None yet. Add a download with hops').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Circuits' }).getAttribute('aria-current'), 'page')
    assert.equal(await page.title(), 'Circuits – Tributary')
    const { network } = await node.get<{ network: { running: boolean } }>('/debug/circuits/network')
    assert.equal(network.running, false)
    watched.check()
    await page.context().close()
  })

  for (const [name, size] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const)
    for (const colorScheme of ['dark', 'light'] as const)
      test(`circuits of every state, ${name} and ${colorScheme}: nothing serious for axe-core, nothing wider than the screen`, async () => {
        const watched = await opened('#/circuits', { ...size, colorScheme }, new FakeOverlay().withEverything())
        const { page } = watched
        await page.locator('[data-circuit]').first().waitFor()
        assert.deepEqual(await axeFindings(page), [])
        // What is too wide makes `main` scroll, not the document.
        const tooWide = `Math.max(...[document.documentElement, document.querySelector('main')].map(e => e.scrollWidth - e.clientWidth))`
        const wider = Number(await page.evaluate(tooWide))
        assert.ok(wider <= 0, `it is ${wider} pixels wider than the screen`)
        if (pictures !== '') {
          await mkdir(pictures, { recursive: true })
          await page.screenshot({ path: join(pictures, `circuits-${name}-${colorScheme}.png`), fullPage: true })
        }
        watched.check()
        await page.context().close()
      })

  test('a circuit is a path from this node to where it leads, hops that have not answered among it', async () => {
    const overlay = new FakeOverlay().withEverything()
    const watched = await opened('#/circuits', WIDE, overlay)
    const { page } = watched
    const stations = (id: number) => page.locator(`[data-circuit="${id}"] .path li`).allInnerTexts()
    const texts = async (id: number) => (await stations(id)).map(text => text.replace(/\s+/g, ' ').trim())
    await page.locator('[data-circuit="11"]').waitFor()
    assert.deepEqual(await texts(11), [
      'This node',
      'Relay 203.0.113.11:7759',
      'Relay 00000000',
      'Exit 00000000',
      'Internet',
    ])
    assert.deepEqual((await texts(13)).slice(2), ['Relay 00000000', 'Exit no answer yet', 'Internet'])
    assert.deepEqual(await texts(12), ['This node', 'Rendezvous point 203.0.113.12:7759', 'Anonymous downloader'])
    const building = page.locator('[data-circuit="13"]')
    await building.getByText('Being built').waitFor()
    await building.getByText('Waiting for the third hop').waitFor()
    await building.getByText('not measured yet').waitFor()
    const ready = page.locator('[data-circuit="11"]')
    for (const text of ['2.38 MiB/s', '84 ms', '2.0 %']) await ready.getByText(text, { exact: true }).waitFor()
    // Those that carry data first, those that close last.
    const order = await page
      .locator('[data-circuit]')
      .evaluateAll(all => all.map(one => one.getAttribute('data-circuit')))
    assert.deepEqual(order, ['12', '11', '13', '14'])
    await page.getByRole('row', { name: /Exit 198\.51\.100\.4:7000 –/ }).waitFor()
    await page.getByText('3 of 20').waitFor()
    watched.check()
    await page.context().close()
  })

  test('the page follows: a reason goes when a circuit is ready, thousands are cut', async () => {
    const overlay = new FakeOverlay()
    overlay.running = true
    overlay.known = { relays: 4, exits: 0 }
    const watched = await opened('#/circuits', WIDE, overlay)
    const { page } = watched
    const told = page.getByRole('status').filter({ hasText: '4 relays are known, none of them lets traffic out' })
    await told.waitFor()
    overlay.known = { relays: 4, exits: 1 }
    overlay.own = [ownCircuit(1)]
    await page.locator('[data-circuit="1"]').waitFor()
    await told.waitFor({ state: 'detached' })
    overlay.own = Array.from({ length: 500 }, (_, at) => ownCircuit(at + 1))
    await page.getByText('and 440 more').waitFor()
    assert.equal(await page.locator('[data-circuit]').count(), 60)
    // Texts of other nodes are text.
    overlay.own = [ownCircuit(1, { state: 'EXTENDING', reason: '<img src=x onerror="window.hacked=1">' })]
    await page.locator('.circuit-reason').filter({ hasText: '<img src=x' }).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.equal(await page.evaluate(`window.hacked`), undefined)
    watched.check()
    await page.context().close()
  })

  test('hops of a download are changed alone, with what they cost beside them', async () => {
    const watched = await opened(`#/downloads/${HASH}/options`, WIDE)
    const { page } = watched
    const sent: unknown[] = []
    await page.route(`**/downloads/${HASH}`, route => {
      if (route.request().method() !== 'PATCH') return route.continue()
      sent.push(route.request().postDataJSON())
      return route.fulfill({ json: { infohash: HASH, modified: true } })
    })
    const form = page.getByRole('form', { name: 'Anonymity' })
    const button = form.getByRole('button', { name: 'Change' })
    assert.equal(await button.isDisabled(), true)
    await form.getByLabel('Anonymity').selectOption({ label: '2 hops' })
    await form.getByText('No single hop knows both').waitFor()
    await form.getByText('have seen this download already').waitFor()
    await page.getByLabel('Labels', { exact: true }).fill('not sent with it')
    assert.deepEqual(await axeFindings(page), [])
    await button.click()
    await page.getByText('Changed.').waitFor()
    assert.deepEqual(sent, [{ anon_hops: 2 }])
    watched.check()
    await page.context().close()
  })

  test('a new download takes the hops that were chosen, and safe seeding with them; without a choice the settings count', async () => {
    const watched = await opened('', WIDE)
    const { page } = watched
    const sent: Record<string, unknown>[] = []
    await page.route('**/downloads', route => {
      if (route.request().method() !== 'PUT') return route.continue()
      sent.push(route.request().postDataJSON() as Record<string, unknown>)
      return route.fulfill({ json: { started: true, infohash: HASH } })
    })
    for (const hops of ['As in the settings', '3 hops', 'In the open']) {
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Magnet links').fill(`magnet:?xt=urn:btih:${HASH}`)
      await dialog.getByText('Options').click()
      await dialog.getByLabel('Anonymity').selectOption({ label: hops })
      assert.deepEqual(await axeFindings(page), [], hops)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await untilInPage(page, `location.hash !== ''`)
    }
    assert.deepEqual(
      sent.map(({ anon_hops: hops, safe_seeding: safe }) => [hops, safe]),
      [
        [undefined, undefined],
        [3, true],
        [0, false],
      ],
    )
    watched.check()
    await page.context().close()
  })
})
