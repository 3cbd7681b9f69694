// The player page with films that come in slower than they are played: it waits for the moment from which they play to
// their end, says so, plays by itself then and does not stall; and "Play now" plays at once. By the browser's own
// player, and by the page, which repacks the film.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeTestFolder, type TestFolder } from '../../kit/content/content-on-disk.ts'
import { type FilmOptions, makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage } from '../../kit/nodes/browser.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { addComplete, playerPage, PLAYED } from './scene.ts'

/** A film comes in at this share of its bitrate: a third of its length of waiting, ten seconds more if repacked. */
const SHARE = 0.75
const VIDEO = `document.querySelector('video')`
const BY_PAGE = `${VIDEO}.src.startsWith('blob:')`
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25', '-bf', '2', '-b:v', '400k', '-maxrate', '400k']

const FILMS: readonly (FilmOptions & {
  readonly name: string
  readonly byPage: boolean
  readonly seconds: number
})[] = [
  { name: 'film.webm', container: 'webm', seconds: 10, byPage: false },
  {
    name: 'film.mkv',
    container: 'mkv',
    seconds: 16,
    video: [...H264, '-bufsize', '400k'],
    audio: ['-c:a', 'ac3', '-b:a', '128k'],
    byPage: true,
  },
]

/**
 * Where it stalled, for how long, and what the browser had ahead of the place then, seconds: it waited for data while
 * it was to play.
 */
const NOTE_STALLS = `globalThis.stalls = []
  document.addEventListener('waiting', ({ target }) => {
    if (target.currentTime === 0 || target.seeking) return
    const [at, held, ms] = [target.currentTime, target.buffered, performance.now()]
    const ends = Array.from({ length: held.length }, (_, each) => held.start(each) <= at ? held.end(each) : 0)
    const stall = { at, aheadSec: Math.max(at, ...ends) - at, ms: Infinity }
    stalls.push(stall)
    target.addEventListener('playing', () => { stall.ms = performance.now() - ms }, { once: true })
  }, true)`
/** What the decoder of a busy machine needs for itself, with seconds of film at hand, is none. */
const STALLS = `stalls.filter(({ ms, aheadSec }) => ms > 300 && (aheadSec < 2 || ms > 1000))`

/** As browsers do that save data. */
const READS_NOTHING = `Object.defineProperty(HTMLMediaElement.prototype, 'preload', {
    get: () => 'none',
    set(value) { this.setAttribute('preload', 'none') },
  })`

const waitingOf = (page: Page) => page.getByRole('group', { name: 'Waiting for the film' })

// One after the other: what stalls for a third of a second because another browser has the processor is red.
describe('player: waiting for the moment', {
  skip: needs(CHROMIUM, 'ffmpeg'),
  concurrency: 1,
  timeout: 300_000,
}, () => {
  let folder: TestFolder
  let seeder: NodeProcess
  let browser: Browser
  let port = 0
  const infohashes = new Map<string, { readonly infohash: string; readonly bytes: number }>()

  before(async () => {
    folder = await makeTestFolder()
    seeder = await startNode()
    for (const film of FILMS) {
      const content = await makeFilm(film)
      const path = await folder.sub(`seeder-${film.container}`)
      const infohash = await addComplete(seeder, path, 'Film', [{ path: film.name, content }])
      infohashes.set(film.name, { infohash, bytes: content.length })
    }
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    port = Number(variables.ports['libtorrent~port'])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await seeder?.stop()
    await folder?.remove()
  })

  for (const { name, container, seconds, byPage } of FILMS) {
    describe(byPage ? 'repacked by the page' : "by the browser's own player", { concurrency: 1 }, () => {
      let node: NodeProcess
      let infohash = ''

      before(async () => {
        const film = infohashes.get(name)
        assert.ok(film)
        infohash = film.infohash
        const rate = Math.round((film.bytes / seconds) * SHARE)
        node = await startNode({ settings: { 'libtorrent.max_download_rate': rate } })
        const torrent = join(folder.path, `seeder-${container}`, 'Film.torrent')
        await addDownload(node, torrent, await folder.sub(`node-${container}`))
      })
      after(() => node?.stop())

      test('nobody is there: it waits and says so; "Play now" does not wait', async () => {
        const { page, check } = await playerPage(browser, node, infohash, 0)
        const waiting = waitingOf(page)
        await waiting.getByText('Waiting for the first part of the film…').waitFor()
        await untilInPage(page, `document.getAnimations().length === 0`)
        assert.deepEqual(await axeFindings(page), [])
        assert.equal(await page.evaluate(`${VIDEO}.paused`), true)
        await waiting.getByRole('button', { name: 'Play now' }).click()
        await untilInPage(page, `!${VIDEO}.paused`)
        assert.equal(await waiting.count(), 0)
        check()
        await page.context().close()
      })

      test('it comes in at three quarters of its bitrate: it plays by itself, and does not stall', async () => {
        const { page, check } = await playerPage(browser, node, infohash, 0)
        await page.evaluate(NOTE_STALLS)
        const waiting = waitingOf(page)
        await waiting.waitFor()
        const magnet = `magnet:?xt=urn:btih:${infohash}&x.pe=127.0.0.1:${port}`
        await addDownload(node, magnet, join(folder.path, `node-${container}`))
        await waiting.getByText(/^It plays without a stop in /).waitFor()
        await waiting.getByText('more peers would make the wait shorter').waitFor()
        assert.equal(await page.evaluate(PLAYED), 0)
        await untilInPage(page, `${PLAYED} > 1`, 60_000)
        assert.equal(await waiting.count(), 0)
        const { download } = await node.get<{ download: { progress: number } }>(`/downloads/${infohash}`)
        assert.ok(download.progress < 0.97, `it played when ${download.progress} was there`)
        await untilInPage(page, `${PLAYED} > ${seconds - 1}`, 40_000)
        assert.deepEqual(await page.evaluate(STALLS), [])
        assert.equal(await page.evaluate(BY_PAGE), byPage)
        check()
        await page.context().close()
      })

      test('what is all there plays at once', async () => {
        const { page, check } = await playerPage(browser, seeder, infohash, 0)
        await untilInPage(page, `${PLAYED} > 0.2`)
        assert.equal(await waitingOf(page).count(), 0)
        check()
        await page.context().close()
      })
    })
  }

  test('a jump to what is not there waits too, and goes on by itself', async () => {
    const content = await makeFilm({ container: 'webm', seconds: 60 })
    const path = await folder.sub('seeder-long')
    const infohash = await addComplete(seeder, path, 'Long', [{ path: 'long.webm', content }])
    const rate = Math.round((content.length / 60) * 1.5)
    const node = await startNode({ settings: { 'libtorrent.max_download_rate': rate } })
    try {
      await addDownload(node, join(path, 'Long.torrent'), await folder.sub('node-long'))
      const { page, check } = await playerPage(browser, node, infohash, 0)
      await page.evaluate(NOTE_STALLS)
      const magnet = `magnet:?xt=urn:btih:${infohash}&x.pe=127.0.0.1:${port}`
      await addDownload(node, magnet, join(folder.path, 'node-long'))
      const waiting = waitingOf(page)
      await untilInPage(page, `${PLAYED} > 1`, 40_000)
      assert.equal(await waiting.count(), 0)
      await page.evaluate(`${VIDEO}.currentTime = 45`)
      await waiting.waitFor()
      assert.equal(await page.evaluate(`${VIDEO}.paused`), true)
      await untilInPage(page, `${PLAYED} > 48`, 40_000)
      assert.equal(await waiting.count(), 0)
      assert.deepEqual(await page.evaluate(STALLS), [])
      check()
      await page.context().close()
    } finally {
      await node.stop()
    }
  })

  test('a browser that reads nothing while it waits does not wait for ever; one whose request waits does', async () => {
    const film = infohashes.get('film.webm')
    assert.ok(film)
    const node = await startNode()
    try {
      await addDownload(node, join(folder.path, 'seeder-webm', 'Film.torrent'), await folder.sub('unread'))
      const { page, check } = await playerPage(browser, node, film.infohash, 0)
      const waiting = waitingOf(page)
      const paused = `${VIDEO}.paused`
      await page.clock.install()
      await page.reload()
      await waiting.waitFor()
      await untilInPage(page, `${VIDEO}.networkState === HTMLMediaElement.NETWORK_LOADING`)
      await page.clock.runFor(15_000)
      assert.deepEqual([await waiting.count(), await page.evaluate(paused)], [1, true])
      await page.addInitScript(READS_NOTHING)
      await page.reload()
      await waiting.waitFor()
      await untilInPage(page, `${VIDEO}.networkState === HTMLMediaElement.NETWORK_IDLE`)
      assert.deepEqual([await waiting.count(), await page.evaluate(paused)], [1, true])
      await page.clock.runFor(15_000)
      await untilInPage(page, `!${paused}`)
      assert.equal(await waiting.count(), 0)
      check()
      await page.context().close()
    } finally {
      await node.stop()
    }
  })

  test('out of view nothing is asked; back in view, at once, and it plays', async () => {
    const film = infohashes.get('film.webm')
    assert.ok(film)
    const node = await startNode()
    try {
      const path = await folder.sub('hidden')
      await addDownload(node, join(folder.path, 'seeder-webm', 'Film.torrent'), path)
      const { page, check } = await playerPage(browser, node, film.infohash, 0)
      const asked: string[] = []
      page.on('request', request => {
        if (/\/media\/.*wait=2/.test(request.url())) asked.push(request.url())
      })
      await waitingOf(page).waitFor()
      const see = (hidden: boolean) =>
        page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} })
          document.dispatchEvent(new Event('visibilitychange'))`)
      await see(true)
      asked.length = 0
      await addDownload(node, `magnet:?xt=urn:btih:${film.infohash}&x.pe=127.0.0.1:${port}`, path)
      await downloadComplete(node, film.infohash)
      assert.deepEqual(asked, [])
      assert.equal(await page.evaluate(`${VIDEO}.paused`), true)
      await see(false)
      await untilInPage(page, `${PLAYED} > 0.2`)
      check()
      await page.context().close()
    } finally {
      await node.stop()
    }
  })
})
