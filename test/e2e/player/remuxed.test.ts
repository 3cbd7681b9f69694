// Films that Chromium does not play as they are, played by the page: H.264 with AC-3 in Matroska. Sound is heard and
// not only counted: the page listens to its own player.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage, watchedPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { BY_PAGE, untilHeard, VIDEO } from './heard.ts'
import { addComplete, PLAYED } from './scene.ts'

const SECONDS = 150
/** A key frame each second: as many borders of fragments as seconds. With B-frames, as most films have them. */
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25', '-bf', '2', '-b:v', '600k']
/** 330 Hz as AC-3 5.1, and 880 Hz as E-AC-3. */
const SOUNDS = [
  ['-map', '0:v', '-map', '1:a', '-map', '1:a'],
  ['-c:a:0', 'ac3', '-ac:a:0', '6', '-metadata:s:a:0', 'language=eng'],
  ['-filter:a:1', 'aeval=0.4*sin(2*PI*880*t)', '-c:a:1', 'eac3', '-metadata:s:a:1', 'language=fra'],
].flat()

/** Sound beside H.264 in Matroska that Chromium has decoders for, in this container or another. */
const OTHER_SOUNDS = [
  { name: 'FLAC', audio: ['-c:a', 'flac'] },
  { name: 'Opus', audio: ['-c:a', 'libopus'] },
  { name: 'MP3', audio: ['-c:a', 'libmp3lame'] },
]

/** A browser whose element says that it plays no such sound: its buffers take it. */
const NO_SOUNDS = `const { canPlayType } = HTMLMediaElement.prototype
  HTMLMediaElement.prototype.canPlayType = function (type) {
    return /^audio.*(flac|opus|mp3|mp4a[.]6)/i.test(type) ? '' : canPlayType.call(this, type)
  }`

/** 2 s and 1.5 s are due on a machine that does nothing else (decision 0545); this one runs other tests beside. */
const FIRST_MS = 4000
const SEEK_MS = 3000

/** Seconds that the element holds. */
const HELD = `Array.from({ length: ${VIDEO}.buffered.length }, (_, at) => ${VIDEO}.buffered.end(at) - ${VIDEO}.buffered.start(at)).reduce((a, b) => a + b, 0)`

/** Bytes of sound that were decoded. */
const DECODED = `${VIDEO}.webkitAudioDecodedByteCount`

/** Notes events of the film with their times, in the page. */
const NOTES = `globalThis.notes = []
  for (const type of ['loadeddata', 'playing', 'waiting', 'seeking', 'seeked'])
    document.addEventListener(type, ({ target }) => notes.push({ type, ms: performance.now(), src: target.src }), true)`

interface Noted {
  readonly type: string
  readonly ms: number
  readonly src: string
}
const notes = (page: Page) => page.evaluate<Noted[]>('notes')

describe('player: films that the page repacks', { skip: needs(CHROMIUM, 'ffmpeg'), timeout: 300_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-remuxed-'))
    node = await startNode()
    const film = await makeFilm({ container: 'mkv', video: H264, audio: SOUNDS, seconds: SECONDS })
    infohash = await addComplete(node, folder, 'Repacked', [
      { path: '0 film.mkv', content: film },
      { path: '1 plays.mp4', content: await makeFilm({ container: 'mp4', video: H264, audio: ['-c:a', 'aac'] }) },
      { path: '2 stream.ts', content: await makeFilm({ container: 'ts', video: H264, audio: ['-c:a', 'aac'] }) },
      { path: '3 begun.mkv', content: film },
      ...(await Promise.all(
        OTHER_SOUNDS.map(async ({ name, audio }, at) => ({
          path: `${at + 4} ${name}.mkv`,
          content: await makeFilm({ container: 'mkv', video: H264, audio }),
        })),
      )),
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A page of the player that notes what its film does. It is not asked where to begin, unless it is to `goOn`. */
  const open = async (file: number, { goOn = false, facts = true, script = '' } = {}) => {
    const watched = await watchedPage(browser, node.baseUrl)
    const { page } = watched
    await page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})\n${NOTES}\n${script}`)
    if (!goOn) await page.route(/\/watching$/, route => route.fulfill({ json: { watching: [] } }))
    if (!facts) await page.route(/\/media\//, route => route.abort())
    await page.goto(node.baseUrl)
    await page.locator('.dot.live').waitFor({ state: 'attached' })
    const asked = await page.evaluate<number>(`(location.hash = '#/play/${infohash}/${file}', performance.now())`)
    await untilInPage(page, `${VIDEO} !== null`)
    return { ...watched, asked }
  }

  // Its times are those of a machine that does little else: alone.
  test('H.264 with AC-3: picture and sound soon, and seeks', async context => {
    const diagnostic = (text: string) => context.diagnostic(text)
    const { page, check, asked } = await open(0)
    await untilInPage(page, `notes.some(({ type, src }) => type === 'loadeddata' && src.startsWith('blob:'))`)
    const begun = (await notes(page)).find(({ type, src }) => type === 'loadeddata' && src.startsWith('blob:'))
    const firstMs = (begun?.ms ?? 0) - asked
    assert.ok(begun !== undefined && firstMs < FIRST_MS, `the first picture after ${firstMs} ms`)
    diagnostic(`first picture after ${Math.round(firstMs)} ms`)
    await untilHeard(page, 330)
    for (const place of [130.4, 70.2, 2.5, 100]) {
      const sought = await page.evaluate<number>(`(${VIDEO}.currentTime = ${place}, performance.now())`)
      await untilInPage(page, `${PLAYED} > ${place + 0.3} && !${VIDEO}.seeking`, 10_000)
      const seeked = (await notes(page)).findLast(({ type }) => type === 'seeked')
      const seekMs = (seeked?.ms ?? 0) - sought
      assert.ok(seeked !== undefined && seekMs < SEEK_MS, `${place}: ${seekMs} ms`)
      diagnostic(`seek to ${place} in ${Math.round(seekMs)} ms`)
      await untilHeard(page, 330)
    }
    assert.ok(Number(await page.evaluate(HELD)) < 80, 'what is held has a bound')
    assert.equal(await page.locator('.player-trouble').count(), 0)
    assert.deepEqual(await axeFindings(page), [])
    check()
    await page.context().close()
  })

  // Each in a page of its own: they mostly wait for the film's own clock.
  describe('side by side', { concurrency: 3 }, () => {
    test('no wait over 20 borders, and sound all the time', async () => {
      const { page, check } = await open(0)
      await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.2`)
      await untilHeard(page, 330)
      const from = Number(await page.evaluate(PLAYED))
      const decoded = Number(await page.evaluate(DECODED))
      const before = (await notes(page)).length
      await untilInPage(page, `${PLAYED} > ${from + 21}`, 40_000)
      const waits = (await notes(page)).slice(before).filter(({ type }) => type === 'waiting')
      assert.deepEqual(waits, [], 'it waited')
      assert.ok(Number(await page.evaluate(DECODED)) > decoded + 100_000, 'sound is decoded all the time')
      await untilHeard(page, 330)
      assert.equal(await page.locator('.player-trouble').count(), 0)
      check()
      await page.context().close()
    })

    test('another sound is chosen, and the first one again', async () => {
      const { page, check } = await open(0)
      await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.2`)
      const choice = page.getByLabel('Sound')
      await choice.selectOption({ label: 'French · E-AC-3 mono' })
      await untilHeard(page, 880)
      const at = Number(await page.evaluate(PLAYED))
      await choice.selectOption({ label: 'English · AC-3 5.1' })
      await untilHeard(page, 330)
      await untilInPage(page, `${PLAYED} > ${at + 2}`)
      check()
      await page.context().close()
    })

    for (const [at, { name }, isByPage] of OTHER_SOUNDS.flatMap((one, at) =>
      [false, true].map(by => [at, one, by] as const),
    ))
      test(`H.264 with ${name} in Matroska, by the ${isByPage ? 'page' : 'browser'}: heard, also from another place`, async () => {
        const { page, check } = await open(at + 4, isByPage ? { script: NO_SOUNDS } : {})
        const decoded = async () => Number(await page.evaluate(`${VIDEO}.webkitAudioDecodedByteCount`))
        await untilInPage(page, `${PLAYED} > 1`)
        await untilHeard(page, 330)
        const before = await decoded()
        assert.ok(before > 0)
        await page.evaluate(`${VIDEO}.currentTime = 12`)
        await untilInPage(page, `${PLAYED} > 13 && ${PLAYED} < 20`)
        await untilHeard(page, 330)
        assert.ok((await decoded()) > before, 'sound of there is decoded')
        assert.ok(Number(await page.evaluate(`${VIDEO}.webkitVideoDecodedByteCount`)) > 0)
        assert.equal(await page.locator('.player-trouble').count(), 0)
        assert.equal(await page.evaluate(BY_PAGE), isByPage)
        check()
        await page.context().close()
      })

    test('it ends, and begins again from its start', async () => {
      const { page, check } = await open(0)
      await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.2`)
      await page.evaluate(`${VIDEO}.currentTime = ${SECONDS - 2}`)
      await untilInPage(page, `${VIDEO}.ended`, 15_000)
      await page.evaluate(`${VIDEO}.currentTime = 1, ${VIDEO}.play()`)
      await untilInPage(page, `${PLAYED} > 2 && ${PLAYED} < 20`)
      await untilHeard(page, 330)
      check()
      await page.context().close()
    })

    test('what Chromium plays stays with it: nothing more is loaded', async () => {
      const { page, check } = await open(1)
      const asked: string[] = []
      page.on('request', request => asked.push(request.url()))
      await untilInPage(page, `${PLAYED} > 4`)
      assert.deepEqual(
        asked.filter(url => /worker-|page-film|ac3-/.test(url)),
        [],
      )
      assert.equal(await page.evaluate(BY_PAGE), false)
      check()
      await page.context().close()
    })

    test('a transport stream, which begins anywhere in time, is played from its start, and sought in', async () => {
      const { page, check } = await open(2)
      await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 0.5 && ${PLAYED} < 5`)
      await untilHeard(page, 330)
      await untilInPage(page, `Math.abs(${VIDEO}.duration - 20) < 0.5`)
      await page.evaluate(`${VIDEO}.currentTime = 12`)
      await untilInPage(page, `${PLAYED} > 12.3`)
      await untilHeard(page, 330)
      assert.equal(await page.locator('.player-trouble').count(), 0)
      check()
      await page.context().close()
    })

    test('where facts of the film do not come, its silence is found, and the page plays it', async () => {
      const { page, check } = await open(0, { facts: false })
      await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 3`)
      await untilHeard(page, 330)
      assert.equal(await page.locator('.player-trouble').count(), 0)
      check(/ERR_FAILED/)
      await page.context().close()
    })

    test('a film that was begun goes on there', async () => {
      await node.request('PUT', `/downloads/${infohash}/watching/3`, { position: 61, duration: SECONDS })
      const { page, check } = await open(3, { goOn: true })
      await untilInPage(page, BY_PAGE)
      await page.getByRole('button', { name: 'Continue at 1:01' }).click()
      await untilInPage(page, `${PLAYED} > 61.5 && ${PLAYED} < 70`)
      await untilHeard(page, 330)
      assert.equal(await page.locator('.player-trouble').count(), 0)
      check()
      await page.context().close()
    })

    test('a node that goes away is told, and the film goes on when it is back', async () => {
      const { page, check } = await open(0)
      await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 1`)
      let away = true
      await page.context().route(/\/stream\/|\/files$/, route => (away ? route.abort() : route.fallback()))
      await page.evaluate(`${VIDEO}.currentTime = 120`)
      await page.locator('.player-trouble').filter({ hasText: 'Playback paused' }).waitFor()
      away = false
      await untilInPage(page, `${PLAYED} > 120.3`, 30_000)
      await page.locator('.player-trouble').waitFor({ state: 'detached' })
      await untilHeard(page, 330)
      check(/ERR_FAILED/)
      await page.context().close()
    })
  })
})
