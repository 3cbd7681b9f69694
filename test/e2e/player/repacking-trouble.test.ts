// A film that the page repacks where something goes another way: the browser holds less than a part of it, sounds are
// chosen before it plays, or faster than they come.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { CHROMIUM, startBrowser, untilInPage, watchedPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { BY_PAGE, untilHeard, VIDEO } from './heard.ts'
import { addComplete, PLAYED } from './scene.ts'

const SECONDS = 60
/** 330 Hz as AC-3 5.1, and 880 Hz as E-AC-3. */
const SOUNDS = [
  ['-map', '0:v', '-map', '1:a', '-map', '1:a'],
  ['-c:a:0', 'ac3', '-ac:a:0', '6', '-metadata:s:a:0', 'language=eng'],
  ['-filter:a:1', 'aeval=0.4*sin(2*PI*880*t)', '-c:a:1', 'eac3', '-metadata:s:a:1', 'language=fra'],
].flat()
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '50', '-bf', '2', '-b:v', '400k']
const FRENCH = 'French · E-AC-3 mono'
const ENGLISH = 'English · AC-3 5.1'

/** Buffers that refuse what is appended while `full` says so: of the buffer, and of the bytes. */
const holdsLess = (full: string) => `const { appendBuffer } = SourceBuffer.prototype
  SourceBuffer.prototype.appendBuffer = function (bytes) {
    if ((${full})(this.buffered, bytes)) {
      globalThis.refused = (globalThis.refused ?? 0) + 1
      throw new DOMException('full', 'QuotaExceededError')
    }
    return appendBuffer.call(this, bytes)
  }`
/** What a part of Matroska begins with. */
const CLUSTER = Buffer.from('1f43b675', 'hex')
/** No part at all. */
const NOTHING = '() => true'
/** Ten seconds, wherever they lie. */
const TEN_SECONDS = `held => {
  let sum = 0
  for (let at = 0; at < held.length; at += 1) sum += held.end(at) - held.start(at)
  return sum >= 10
}`

/** A film whose last part has no length: the package that takes films apart looks for it without end. */
function withoutLength(film: Buffer): Buffer {
  const damaged = Buffer.from(film)
  damaged[damaged.lastIndexOf(CLUSTER) + CLUSTER.length] = 0
  return damaged
}

// Side by side, each in a page of its own: one waits for a worker that is busy for ever.
describe('player: repacking that goes another way', {
  skip: needs(CHROMIUM, 'ffmpeg'),
  concurrency: 2,
  timeout: 200_000,
}, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-repacking-'))
    node = await startNode()
    const short = await makeFilm({ container: 'mkv', video: H264, audio: SOUNDS, seconds: 20 })
    infohash = await addComplete(node, folder, 'Repacked', [
      {
        path: '0 film.mkv',
        content: await makeFilm({ container: 'mkv', video: H264, audio: SOUNDS, seconds: SECONDS }),
      },
      { path: '1 endless.mkv', content: withoutLength(short) },
      { path: '2 cut.mkv', content: short.subarray(0, short.length / 2) },
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A page of the player; `script` runs in it first. It is not asked where to begin. */
  const open = async (script: string, held: { release: boolean } = { release: true }, file = 0) => {
    const watched = await watchedPage(browser, node.baseUrl)
    const { page } = watched
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})\n${script}`)
    await page.route(/\/watching$/, route => route.fulfill({ json: { watching: [] } }))
    // The worker asks for whole blocks, the element for all that there is.
    await page.context().route(/\/stream\//, async route => {
      const isWorker = /bytes=\d+-\d+/.test(route.request().headers()['range'] ?? '')
      if (isWorker) await waitFor('the word to go on', () => held.release, 60_000)
      await route.fallback().catch(() => undefined)
    })
    await page.goto(`${node.baseUrl}/#/play/${infohash}/${file}`)
    await untilInPage(page, `${VIDEO} !== null`)
    return watched
  }

  test('a part that the browser never holds is told, with the ways out', async () => {
    const { page, check } = await open(holdsLess(NOTHING))
    await page
      .locator('.player-trouble')
      .filter({ hasText: /cannot play the sound/ })
      .waitFor()
    assert.ok(await page.getByRole('button', { name: 'Open in VLC' }).isVisible())
    assert.ok(Number(await page.evaluate('refused')) > 0)
    check()
    await page.context().close()
  })

  test('what the page cannot repack is told at once, not when its silence is noticed', async () => {
    const { page, check } = await open(`document.addEventListener('loadedmetadata', ({ target }) => {
      if (!target.src.startsWith('blob:')) target.pause()
    }, true)`)
    await page.context().route(/film-reader-.*\.js$/, route => route.abort())
    await page.reload()
    await page
      .locator('.player-trouble')
      .filter({ hasText: /cannot play the sound/ })
      .waitFor()
    assert.ok(Number(await page.evaluate(PLAYED)) < 1)
    assert.equal(await page.evaluate(BY_PAGE), false)
    check(/ERR_FAILED/)
    await page.context().close()
  })

  test('a film that keeps the worker busy for ever is told, and the worker is ended', async () => {
    const { page, check } = await open('', undefined, 1)
    await waitFor('the worker', () => page.workers().length > 0)
    await page
      .locator('.player-trouble')
      .filter({ hasText: /cannot play the sound/ })
      .waitFor({ timeout: 60_000 })
    assert.ok(await page.getByRole('button', { name: 'Open in VLC' }).isVisible())
    await waitFor('the end of the worker', () => page.workers().length === 0)
    check()
    await page.context().close()
  })

  test('a film that was cut off plays as far as it goes', async () => {
    const { page, check } = await open('', undefined, 2)
    await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 3`)
    await untilHeard(page, 330)
    check()
    await page.context().close()
  })

  test('a full buffer makes room for the place that is sought', async () => {
    const { page, check } = await open(holdsLess(TEN_SECONDS))
    await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.3`)
    await untilInPage(page, 'globalThis.refused > 0')
    for (const place of [25, 45, 5]) {
      await page.evaluate(`${VIDEO}.currentTime = ${place}`)
      await untilInPage(page, `${PLAYED} > ${place + 0.3} && ${PLAYED} < ${place + 8}`, 10_000)
    }
    await untilHeard(page, 330)
    assert.equal(await page.locator('.player-trouble').count(), 0)
    check()
    await page.context().close()
  })

  test('a sound that is chosen while the film is being opened is the one that is heard', async () => {
    const held = { release: false }
    const { page, check } = await open('', held)
    const choice = page.getByLabel('Sound')
    await choice.waitFor()
    await waitFor('the worker', () => page.workers().length > 0)
    await choice.selectOption({ label: FRENCH })
    held.release = true
    await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.3`)
    await untilHeard(page, 880)
    assert.equal(await choice.locator('option:checked').textContent(), FRENCH)
    check()
    await page.context().close()
  })

  test('of sounds that are chosen quickly the last one is heard', async () => {
    const { page, check } = await open('')
    await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.3`)
    await untilHeard(page, 330)
    const ids = await page
      .getByLabel('Sound')
      .locator('option')
      .evaluateAll(found => found.map(each => each.getAttribute('value')))
    // As the arrow keys do in a list.
    await page.evaluate(`(() => {
      const choice = [...document.querySelectorAll('select')].find(each => each.textContent.includes('E-AC-3'))
      for (const id of ${JSON.stringify([ids[1], ids[0], ids[1]])}) {
        choice.value = id
        choice.dispatchEvent(new Event('change', { bubbles: true }))
      }
    })()`)
    await untilHeard(page, 880)
    assert.equal(await page.getByLabel('Sound').locator('option:checked').textContent(), FRENCH)
    await page.getByLabel('Sound').selectOption({ label: ENGLISH })
    await untilHeard(page, 330)
    assert.equal(await page.evaluate(BY_PAGE), true, 'the page did not give up')
    check()
    await page.context().close()
  })
})
