// The dashboard in Debian's Chromium against a real node with a real peer: from the first visit to a film that plays while it
// is being downloaded, every page in two widths and both colour schemes through axe-core, and what goes wrong. With
// PICTURES=folder the pictures of the README are made.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings, CHROMIUM, startBrowser, untilInPage, type WatchedPage, watchedPage } from '../kit/browser.ts'
import { type DashboardScene, FILM_NAME, HOSTILE_NAME, makeDashboardScene } from '../kit/dashboard-scene.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs(CHROMIUM, 'ffmpeg')
const pictures = process.env['PICTURES'] ?? ''

/** The probe for a node without a key, on every first visit. */
const PROBE = /401 \(Unauthorized\)/
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** Seconds of the film that were shown. */
const PLAYED = `(document.querySelector('video')?.currentTime ?? 0)`

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === '') return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
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
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByLabel('Magnet links').fill(scene.magnet)
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: FILM_NAME }).waitFor()
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
    await picture(page, 'player')
    await page.reload()
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    watched.check(PROBE)
    await page.context().close()
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

  for (const [name, size] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const)
    for (const colorScheme of ['dark', 'light'] as const)
      test(`every page, ${name} and ${colorScheme}: nothing serious for axe-core, nothing wider than the screen`, async () => {
        const watched = await signedIn('', { ...size, colorScheme })
        const { page } = watched
        for (const [place, address] of places) {
          await page.goto(`${scene.node.baseUrl}/${address.replace('FILM', scene.film)}`)
          await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
          await untilInPage(page, `!/Asking the node…|Finding the file…/.test(document.body.innerText)`)
          assert.deepEqual(await axeFindings(page), [], `${place}, ${name}, ${colorScheme}`)
          const wider = Number(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`))
          assert.ok(wider <= 0, `${place} is ${wider} pixels wider than the screen`)
          await picture(page, `${place}-${name}-${colorScheme}`)
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
    assert.equal(await row.locator('.name-text').textContent(), HOSTILE_NAME)
    const [box, other] = await Promise.all([
      row.boundingBox(),
      page.locator('.row[data-infohash]').first().boundingBox(),
    ])
    assert.equal(box?.width, other?.width)
    assert.equal(box?.height, other?.height)
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
})
