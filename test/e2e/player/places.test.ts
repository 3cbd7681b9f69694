// Where a film was left: told by the page, kept by the node over its death, offered by another page and by the command
// line.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage, watchedPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, runCli, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { addComplete, playerPage, PLAYED } from './scene.ts'

interface Place {
  readonly position: number
  readonly duration: number | null
  readonly watched: boolean
  readonly continue_at: number
}

const SECONDS = 60
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const SEEK = `document.querySelector('video').currentTime = `

describe('player: places', { skip: needs(CHROMIUM, 'ffmpeg'), concurrency: 1, timeout: 300_000 }, () => {
  let folder = ''
  let stateDir = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-places-'))
    stateDir = join(folder, 'state')
    node = await startNode({ stateDir })
    const content = await makeFilm({ container: 'webm', seconds: SECONDS })
    infohash = await addComplete(node, folder, 'Series', [
      { path: 'Series.S01E01.webm', content },
      { path: 'Series.S01E02.webm', content },
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const placeOf = (file: number) => node.get<Place>(`/downloads/${infohash}/watching/${file}`)

  test('told while it plays, at most once in ten seconds, and at a pause', async () => {
    const watched = await playerPage(browser, node, infohash, 0)
    const { page } = watched
    const told: number[] = []
    page.on('request', request => {
      if (request.method() === 'PUT' && request.url().includes('/watching/')) told.push(performance.now())
    })
    await untilInPage(page, `${PLAYED} > 1`)
    await page.evaluate(`${SEEK}20`)
    await untilInPage(page, `${PLAYED} > 33`, 30_000)
    assert.ok(told.length <= 2, `${told.length} times in 14 seconds`)
    await page.evaluate(`document.querySelector('video').pause()`)
    await waitFor('the pause', async () => (await placeOf(0)).position > 33)
    const { duration, watched: seen } = await placeOf(0)
    assert.ok(Math.abs((duration ?? 0) - SECONDS) < 1)
    assert.equal(seen, false)
    watched.check()
    await page.context().close()
  })

  test('another page, on a phone, goes on there; the node died meanwhile', async () => {
    await node.kill('SIGKILL')
    node = await startNode({ stateDir })
    const watched = await playerPage(browser, node, infohash, 0, PHONE)
    const { page } = watched
    const button = page.getByRole('button', { name: /^Continue at 0:3\d$/ })
    await button.waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(Number(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`)) <= 0, true)
    await button.click()
    await untilInPage(page, `${PLAYED} > 34`)
    assert.ok(Number(await page.evaluate(PLAYED)) < 45)
    await page.evaluate(`${SEEK}45`)
    await untilInPage(page, `${PLAYED} > 45.5`)
    // The page goes away: that is told too.
    await page.goto(`${node.baseUrl}/healthz`)
    await waitFor('the leaving', async () => (await placeOf(0)).position > 45)
    // The sign that browsers ask for with any page of their own.
    watched.check(/401/)
    await page.context().close()
  })

  test('played by a key or its own button before an answer, it goes on where it was left, and that is told', async () => {
    await node.request('PUT', `/downloads/${infohash}/watching/0`, { position: 30, duration: SECONDS })
    const watched = await playerPage(browser, node, infohash, 0)
    const { page } = watched
    const asked = page.getByRole('group', { name: 'Where to begin' })
    await asked.waitFor()
    await page.keyboard.press('k')
    await untilInPage(page, `${PLAYED} > 30.8`)
    assert.equal(await asked.count(), 0)
    await page.keyboard.press('k')
    await waitFor('the place', async () => (await placeOf(0)).position > 30.5)
    watched.check()
    await page.context().close()
  })

  test('from the start, and watched near the end; the list of files shows both', async () => {
    const watched = await playerPage(browser, node, infohash, 0)
    const { page } = watched
    await page.getByRole('button', { name: 'From the start' }).click()
    await untilInPage(page, `${PLAYED} > 0.5 && ${PLAYED} < 20`)
    await page.evaluate(`${SEEK}${SECONDS - 3}; document.querySelector('video').pause()`)
    await waitFor('the mark', async () => (await placeOf(0)).watched)
    assert.equal((await placeOf(0)).continue_at, 0)
    await node.request('PUT', `/downloads/${infohash}/watching/1`, { position: 30, duration: SECONDS })
    await page.goto(`${node.baseUrl}/#/downloads/${infohash}/files`)
    await page.locator('.file', { hasText: 'E01' }).getByText('watched').waitFor()
    await page.locator('.file', { hasText: 'E02' }).getByText('left at 0:30').waitFor()
    await page.goto(`${node.baseUrl}/#/play/${infohash}/0`)
    await page.getByRole('button', { name: 'Watched', pressed: true }).click()
    await page.getByRole('button', { name: 'Watched', pressed: false }).waitFor()
    assert.equal((await placeOf(0)).watched, false)
    watched.check()
    await page.context().close()
  })

  test('the command line lists, marks, and hands places to players', async () => {
    const run = async (...args: string[]) => {
      const ended = await runCli([...args, '--state-dir', stateDir])
      assert.equal(ended.code, 0, ended.stderr)
      return ended.stdout
    }
    assert.match(await run('watching'), /1 +0:30 +1:00 +Series: Series\.S01E02\.webm/)
    await run('watched', 'Series', 'E01')
    const links = JSON.parse(await run('play', 'Series', '--json')) as { links: { url: string; startSec?: number }[] }
    assert.deepEqual(
      links.links.map(({ startSec }) => startSec),
      [30],
      'the first episode was watched',
    )
    const all = JSON.parse(await run('play', 'Series', '--from-start', '--json')) as typeof links
    assert.equal(all.links.length, 2)
    await run('watched', 'Series', 'E02', '--forget')
    assert.equal((await placeOf(1)).position, 0)
    assert.equal(await run('watching'), 'No film was begun.\n')
  })

  test('scope stream may read and tell places; a signed link may not', async () => {
    const { key } = (await node.request('PUT', '/keys', { name: 'tv', scopes: ['stream'] })).json<{ key: string }>()
    const path = `${node.baseUrl}/downloads/${infohash}/watching/0`
    const ask = async (method: string, headers: Record<string, string>, token = '') => {
      const body = method === 'PUT' ? JSON.stringify({ position: 12.5 }) : null
      return (await fetch(path + token, { method, headers: { 'Content-Type': 'application/json', ...headers }, body }))
        .status
    }
    assert.equal(await ask('PUT', { 'X-Api-Key': key }), 200)
    assert.equal(await ask('GET', { 'X-Api-Key': key }), 200)
    assert.equal((await placeOf(0)).position, 12.5)
    const list = await fetch(`${node.baseUrl}/watching`, { headers: { 'X-Api-Key': key } })
    assert.equal(list.status, 403, 'names of all downloads are for scope read')
    const { files } = await node.get<{ files: { stream_url: string }[] }>(`/downloads/${infohash}/files`)
    const token = `?${files[0]?.stream_url.split('?')[1] ?? ''}`
    assert.equal(await ask('GET', {}, token), 401)
    assert.equal(await ask('PUT', {}, token), 401)
  })

  test('a list that comes while it plays does not begin the film anew', async () => {
    // It would ask where to begin, and not play.
    await node.request('DELETE', `/downloads/${infohash}/watching/1`)
    let release = (): void => undefined
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const { page, check } = await watchedPage(browser, node.baseUrl)
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})
      globalThis.begun = 0
      document.addEventListener('loadstart', () => begun++, true)`)
    // The list, by either way; the files of the download are another path.
    await page.route(/\/(downloads|events)\?/, async route => {
      await released
      await route.continue()
    })
    await page.goto(`${node.baseUrl}/#/play/${infohash}/1`)
    await untilInPage(page, `${PLAYED} > 0.5`)
    const files = page.waitForResponse(answer => /\/downloads\/[0-9a-f]{40}\/files$/.test(answer.url()))
    release()
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    await files
    const at = await page.evaluate<number>(PLAYED)
    await untilInPage(page, `${PLAYED} > ${at + 0.5}`)
    assert.equal(await page.evaluate(`begun`), 1)
    check()
    await page.context().close()
  })
})
