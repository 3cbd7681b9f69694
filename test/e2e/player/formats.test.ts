// The player page with films that Chromium cannot play: it says so at once, the words stay, and it names ways out.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { addComplete, playerPage, PLAYED } from './scene.ts'

const HEVC = ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-preset', 'ultrafast', '-tag:v', 'hvc1']
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast']

/** What stands in the page of the film, half a second long, at each change. */
async function saidMeanwhile(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`new Promise(resolve => {
    const said = []
    const look = () => said.push(document.querySelector('.player-trouble')?.innerText ?? '')
    const observer = new MutationObserver(look)
    observer.observe(document.querySelector('.player'), { childList: true, subtree: true, characterData: true })
    look()
    setTimeout(() => { observer.disconnect(); resolve(said) }, 500)
  })`)
}

// One beside those at its head, which mostly wait.
describe('player: formats', { skip: needs(CHROMIUM, 'ffmpeg'), concurrency: 2, timeout: 300_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-formats-'))
    const film = async (path: string, options: Parameters<typeof makeFilm>[0]) => ({
      path,
      content: await makeFilm(options),
    })
    node = await startNode()
    infohash = await addComplete(node, folder, 'Formats', [
      await film('0 hevc.mkv', { container: 'mkv', video: HEVC, audio: ['-an'] }),
      await film('1 xvid.avi', { container: 'avi', video: ['-c:v', 'mpeg4'], audio: ['-c:a', 'mp3'] }),
      await film('2 hevc with sound.mp4', { container: 'mp4', video: HEVC, audio: ['-c:a', 'aac'] }),
      await film('3 dts.mkv', { container: 'mkv', video: H264, audio: ['-c:a', 'dca', '-strict', '-2'] }),
      await film('4 plays.mp4', { container: 'mp4', video: H264, audio: ['-c:a', 'aac'] }),
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  // Each a page of its own that mostly waits for its next try: begun first.
  describe('the node goes away', { concurrency: true }, () => {
    test('a node that goes away is told, and the film goes on when it is back', async () => {
      const watched = await playerPage(browser, node, infohash, 4)
      const { page } = watched
      await untilInPage(page, `${PLAYED} > 1`)
      let away = true
      await page.route(/\/stream\/|\/files$/, route => (away ? route.abort() : route.fallback()))
      await page.evaluate(`document.querySelector('video').load()`)
      await page.locator('.player-trouble').filter({ hasText: 'Playback paused' }).waitFor()
      away = false
      await untilInPage(page, `${PLAYED} > 1.2`, 30_000)
      await page.locator('.player-trouble').waitFor({ state: 'detached' })
      // What the user has paused stays so.
      await page.evaluate(`document.querySelector('video').pause()`)
      const at = await page.evaluate<number>(PLAYED)
      away = true
      await page.evaluate(`document.querySelector('video').load()`)
      await page.locator('.player-trouble').filter({ hasText: 'Playback paused' }).waitFor()
      away = false
      await untilInPage(page, `document.querySelector('video').readyState >= 2`, 30_000)
      await page.locator('.player-trouble').waitFor({ state: 'detached' })
      assert.equal(await page.evaluate(`document.querySelector('video').paused`), true)
      assert.ok(Math.abs((await page.evaluate<number>(PLAYED)) - at) < 0.1)
      watched.check(/ERR_FAILED/)
      await page.context().close()
    })

    test('paused while it has stopped a film stays so when the node is back, unless that is taken back', async () => {
      const watched = await playerPage(browser, node, infohash, 4)
      const { page } = watched
      await untilInPage(page, `${PLAYED} > 1`)
      let away = true
      await page.route(/\/stream\/|\/files$/, route => (away ? route.abort() : route.fallback()))
      const stop = async () => {
        away = true
        await page.evaluate(`document.querySelector('video').load()`)
        await page.locator('.player-trouble').filter({ hasText: 'Playback paused' }).waitFor()
      }
      const isBack = async () => {
        away = false
        await untilInPage(page, `document.querySelector('video').readyState >= 2`, 30_000)
        await page.locator('.player-trouble').waitFor({ state: 'detached' })
      }
      await stop()
      await page.keyboard.press('k')
      await page.getByText('Paused, also when the connection is back.').waitFor()
      await isBack()
      assert.equal(await page.evaluate(`document.querySelector('video').paused`), true)
      await page.keyboard.press('k')
      await untilInPage(page, `!document.querySelector('video').paused`)
      await stop()
      await page.keyboard.press('k')
      await page.keyboard.press('k')
      await isBack()
      await untilInPage(page, `!document.querySelector('video').paused`)
      watched.check(/ERR_FAILED/)
      await page.context().close()
    })
  })

  for (const [file, name, words] of [
    [0, 'HEVC alone', /cannot play this format/],
    [1, 'AVI', /cannot play this format/],
    [2, 'HEVC with sound that plays', /cannot play the picture/],
    [3, 'H.264 with DTS, which is silent', /cannot play the sound/],
  ] as const)
    test(`${name}: said, not taken back, with the ways out`, async () => {
      const watched = await playerPage(browser, node, infohash, file)
      const { page } = watched
      await page
        .locator('.player-trouble')
        .filter({ hasText: words })
        .filter({ hasText: /media[.]ffmpeg/ })
        .waitFor()
      for (const text of await saidMeanwhile(page)) assert.match(text, words)
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Open in VLC' }).click()
      const list = await readFile(await (await saved).path(), 'utf8')
      assert.match(list, /^#EXTM3U\n#EXTINF:-1,\d .*\n(?:#EXTVLCOPT:start-time=\d+\n)?http:\S+\?token=\S+\n$/)
      const link = list.split('\n').find(line => line.startsWith('http')) ?? ''
      assert.equal((await fetch(link, { method: 'HEAD' })).status, 200, 'the link needs no key')
      assert.ok(await page.getByRole('button', { name: 'Copy player link' }).isVisible())
      assert.deepEqual(await axeFindings(page), [])
      watched.check()
      await page.context().close()
    })

  test('what a film lacks is said also where it is known only after its picture is there', async () => {
    const watched = await playerPage(browser, node, infohash, 4)
    const { page } = watched
    let release = (): void => undefined
    const shown = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(/\/media\//, async route => {
      await shown
      await route.continue()
    })
    await page.evaluate(`location.hash = '#/play/${infohash}/3'`)
    // Paused, it does not play until its silence would be noticed.
    await untilInPage(
      page,
      `(document.querySelector('video')?.videoWidth ?? 0) > 0 && document.querySelector('video').src.includes('/stream/3')`,
    )
    await page.evaluate(`document.querySelector('video').pause()`)
    assert.equal(await page.locator('.player-trouble').count(), 0)
    release()
    await page
      .locator('.player-trouble')
      .filter({ hasText: /cannot play the sound/ })
      .waitFor()
    watched.check()
    await page.context().close()
  })

  test('a film that plays: nothing is said', async () => {
    const watched = await playerPage(browser, node, infohash, 4)
    await untilInPage(watched.page, `${PLAYED} > 3`)
    assert.equal(await watched.page.locator('.player-trouble').count(), 0)
    watched.check()
    await watched.page.context().close()
  })
})
