// What every browser is to do in the player, a test a row: what it plays is played, what it lacks is repacked, sought
// in, shown with subtitles; what neither plays is said, with ways out. Run by a file for each browser.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeFilm } from '../../kit/content/films.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { BY_PAGE, VIDEO } from './heard.ts'
import { addComplete, PLAYED } from './scene.ts'

/** A browser with one page, however it is driven. */
export interface DrivenPage {
  goto(url: string): Promise<void>
  /** What an expression is in the page. */
  evaluate(expression: string): Promise<unknown>
  close(): Promise<void>
}

const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-g', '25', '-b:v', '400k']
const HEVC = ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-preset', 'ultrafast', '-tag:v', 'hvc1']
/** The tone comes from all six: what Firefox records of a film is its first two channels. */
const SURROUND = ['-af', 'pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0', '-c:a', 'ac3']
const LINE = '1\n00:00:00,500 --> 00:00:29,000\nHello <b>there</b>\n'
const TEXTS = { srt: LINE, codec: 'mov_text', language: 'deu' }

/** Chooses subtitles, as a user does. */
const choose = (name: string): string => `(() => {
  const choice = [...document.querySelectorAll('.subtitle-choice select')].find(each => each.textContent.includes('${name}'))
  choice.value = [...choice.options].find(each => each.textContent.includes('${name}')).value
  choice.dispatchEvent(new Event('change', { bubbles: true }))
})()`
const SHOWN = `[...${VIDEO}.textTracks].filter(track => track.mode === 'showing')
  .flatMap(track => [...(track.activeCues ?? [])]).map(cue => cue.getCueAsHTML().textContent).join()`
/** What is said of the film, an expression of the page. */
export const TROUBLE = `(document.querySelector('.player-trouble')?.textContent ?? '')`
/** Those of the ways out that are not shown, an expression of the page. */
export const WAYS_OUT = `['Open in VLC', 'Copy player link', 'QR code']
  .filter(name => ![...document.querySelectorAll('.player button, .player a')].some(each => each.textContent.trim() === name))`

/** A browser, and what is its own. */
export interface BrowserOfRows {
  readonly name: string
  /** Why it is not there. */
  readonly skip: false | string
  start(): Promise<DrivenPage>
  /** An expression: whether the film has sound now. */
  readonly heard: string
  /** It has no decoder for AC-3 of its own. */
  readonly lacksAc3: boolean
}

/** The rows of one browser. */
export function playerRows({ name, skip, start, heard, lacksAc3 }: BrowserOfRows): void {
  describe(`player in ${name}`, { skip, concurrency: 1, timeout: 180_000 }, () => {
    let folder = ''
    let node: NodeProcess
    let page: DrivenPage
    let infohash = ''

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tributary-rows-'))
      const films = [
        ['0 plays.mp4', { container: 'mp4', video: H264, audio: ['-c:a', 'aac'] }],
        ['1 film.mkv', { container: 'mkv', video: H264, audio: SURROUND, seconds: 30 }],
        ['2 dts.mkv', { container: 'mkv', video: H264, audio: ['-c:a', 'dca', '-strict', '-2'], seconds: 5 }],
        ['3 xvid.avi', { container: 'avi', video: ['-c:v', 'mpeg4'], audio: ['-c:a', 'mp3'], seconds: 5 }],
        ['4 hevc.mp4', { container: 'mp4', video: HEVC, audio: ['-c:a', 'aac'], seconds: 5 }],
        ['5 texts.mp4', { container: 'mp4', video: H264, audio: ['-c:a', 'aac'], texts: [TEXTS], seconds: 30 }],
      ] as const
      const made = films.map(async ([path, options]) => ({ path, content: await makeFilm(options) }))
      node = await startNode()
      const files = [...(await Promise.all(made)), { path: '1 film.srt', content: Buffer.from(LINE) }]
      infohash = await addComplete(node, folder, 'Rows', files)
      page = await start()
      await page.goto(node.baseUrl)
      await page.evaluate(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    })
    after(async () => {
      await page?.close()
      await node?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const until = (expression: string, limitMs = 20_000) =>
      waitFor(expression, async () => (await page.evaluate(expression)) === true, limitMs)
    const fileNamed = async (path: string): Promise<number> => {
      const { files } = await node.get<{ files: { index: number; name: string }[] }>(`/downloads/${infohash}/files`)
      return files.find(each => each.name.endsWith(path))?.index ?? -1
    }
    const open = async (path: string): Promise<void> => {
      // The same document with another place in it would not begin from nothing.
      await page.goto('about:blank')
      await page.goto(`${node.baseUrl}/#/play/${infohash}/${await fileNamed(path)}`)
    }

    test('MP4 with H.264 and AAC is played by the browser itself', async () => {
      await open('plays.mp4')
      // By then silence would have been told.
      await until(`${PLAYED} > 4 && ${VIDEO}.videoWidth === 320`)
      await until(heard)
      assert.equal(await page.evaluate(BY_PAGE), false)
      assert.equal(await page.evaluate(TROUBLE), '')
    })

    test('Matroska with H.264 and AC-3 has picture and sound, also where it is sought: repacked where AC-3 is lacking', async () => {
      await open('film.mkv')
      await until(`${BY_PAGE} === ${lacksAc3} && ${PLAYED} > 4 && ${VIDEO}.videoWidth === 320`)
      await until(heard)
      for (const place of [20, 3]) {
        await page.evaluate(`void (${VIDEO}.currentTime = ${place})`)
        await until(`!${VIDEO}.seeking && ${PLAYED} > ${place + 0.5} && ${PLAYED} < ${place + 8}`)
        await until(heard)
      }
      assert.equal(await page.evaluate(TROUBLE), '')
    })

    test('subtitles beside the film are shown', async () => {
      await page.evaluate(choose('film.srt'))
      await until(`${SHOWN} === 'Hello there'`)
    })

    test('subtitles inside of the film are shown when they are chosen while it plays', async () => {
      await open('texts.mp4')
      await until(`${PLAYED} > 1`)
      assert.equal(await page.evaluate(SHOWN), '')
      await page.evaluate(choose('German'))
      await until(`${SHOWN} === 'Hello there'`)
      await page.evaluate(`void (${VIDEO}.currentTime = 20)`)
      await until(`${PLAYED} > 20.5 && ${SHOWN} === 'Hello there'`)
    })

    for (const [path, what, words] of [
      ['dts.mkv', 'DTS', /cannot play the sound/],
      ['xvid.avi', 'AVI', /cannot play this format/],
    ] as const)
      test(`${what} is said, with the ways out`, async () => {
        await open(path)
        await until(`${words}.test(${TROUBLE})`)
        assert.deepEqual(await page.evaluate(WAYS_OUT), [])
      })

    test('HEVC is played, or said', async context => {
      await open('hevc.mp4')
      await until(
        `(${VIDEO}?.videoWidth === 320 && ${PLAYED} > 1) || /cannot play (this format|the picture)/.test(${TROUBLE})`,
      )
      context.diagnostic(`${name}: ${String(await page.evaluate(TROUBLE)) || 'plays HEVC'}`)
      assert.deepEqual(await page.evaluate(WAYS_OUT), [])
    })
  })
}
