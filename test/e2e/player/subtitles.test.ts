// Subtitles in the player: beside the film and of this device, in other encodings, moved, enlarged; hostile ones.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { addComplete, playerPage } from './scene.ts'

/** `Где ты?` in windows-1251. */
const RUSSIAN = Buffer.concat([
  Buffer.from('1\r\n00:00:00,500 --> 00:00:19,000\r\n'),
  Buffer.from([0xc3, 0xe4, 0xe5, 0x20, 0xf2, 0xfb, 0x3f, 0x0d, 0x0a]),
])
const ASS = `[Script Info]
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:19.00,Default,,0,0,0,,{\\b1}Hello{\\b0}, <script>window.hacked = 1</script>you
`
const CUES = `[...document.querySelector('video').textTracks].flatMap(track => [...(track.cues ?? [])])`

/** The choice of subtitles: its label holds it, so that its text is not the label's alone. */
const choiceIn = (page: Page) => page.locator('.subtitle-choice select', { hasText: 'None' })

describe('player: subtitles', { skip: needs(CHROMIUM, 'ffmpeg'), concurrency: 1, timeout: 300_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-subtitles-'))
    node = await startNode()
    infohash = await addComplete(node, folder, 'Film', [
      { path: 'Film.webm', content: await makeFilm({ container: 'webm' }) },
      { path: 'Another.srt', content: Buffer.from('nothing') },
      { path: 'Film.ass', content: Buffer.from(ASS) },
      { path: 'Film.ru.srt', content: RUSSIAN },
      { path: 'Huge.srt', content: Buffer.alloc(9 * 1024 * 1024, 'x') },
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const shows = (page: Page, text: string) =>
    untilInPage(page, `${CUES}.map(cue => cue.getCueAsHTML().textContent).join() === ${JSON.stringify(text)}`)

  test('of the torrent: found encodings, moved in time, enlarged; markup is text', async () => {
    const watched = await playerPage(browser, node, infohash, 0)
    const { page } = watched
    const choice = choiceIn(page)
    await choice.waitFor()
    const names = await choice.locator('option').allTextContents()
    assert.deepEqual(
      names,
      ['None', 'Film.ass', 'Film.ru.srt', 'Another.srt'],
      'those of the film first, none too large',
    )
    await choice.selectOption({ label: 'Film.ru.srt' })
    await shows(page, 'Где ты?')
    assert.equal(await page.getByLabel('Encoding').inputValue(), 'windows-1251')
    await page.getByLabel('Encoding').selectOption({ label: 'Greek' })
    await untilInPage(page, `${CUES}.length === 1 && !/Где/.test(${CUES}[0].text)`)
    await page.getByRole('button', { name: 'Subtitles later' }).click()
    await page.getByRole('button', { name: 'Subtitles later' }).click()
    await untilInPage(page, `${CUES}[0]?.startTime === 1`)
    await page.getByText('+0.50 s').waitFor()
    await page.getByLabel('Size').selectOption({ label: '150 %' })
    assert.equal(await page.locator('.film.cues-150').count(), 1)
    assert.deepEqual(await axeFindings(page), [])
    await choice.selectOption({ label: 'Film.ass' })
    await shows(page, 'Hello, <script>window.hacked = 1</script>you')
    assert.equal(await page.evaluate(`window.hacked`), undefined)
    await page.keyboard.press('Escape')
    await page.locator('h1').click()
    await page.keyboard.press('c')
    await untilInPage(page, `document.querySelector('video').textTracks[0].mode === 'hidden'`)
    await choice.selectOption({ label: 'Another.srt' })
    await page.getByText('Another.srt has no subtitles that can be read').waitFor()
    await choice.selectOption({ label: 'None' })
    await untilInPage(page, `document.querySelector('video').textTracks.length === 0`)
    watched.check()
    await page.context().close()
  })

  test('a file of this device, dropped on the film; one that is too large; a torrent is still added', async () => {
    const watched = await playerPage(browser, node, infohash, 0)
    const { page } = watched
    await page.locator('video').waitFor()
    const drop = async (content: string, name: string) => {
      const transfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        data.items.add(new File([${content}], ${JSON.stringify(name)}))
        return data
      })()`)
      await page.dispatchEvent('.film', 'drop', { dataTransfer: transfer })
    }
    await drop(`'WEBVTT\\n\\n00:00.500 --> 00:19.000\\n<i>Of my own</i>\\n'`, 'mine <b>.vtt')
    await shows(page, 'Of my own')
    assert.equal(await page.getByRole('dialog').count(), 0, 'it is no torrent')
    assert.equal(await choiceIn(page).inputValue(), 'own')
    await drop(`new Uint8Array(100 * 1024 * 1024)`, 'large.srt')
    await page.getByText('large.srt is too large for subtitles').waitFor()
    await page.setInputFiles('input[type=file]', {
      name: 'chosen.srt',
      mimeType: 'text/plain',
      buffer: Buffer.from('1\n00:00:00,500 --> 00:00:19,000\nChosen\n'),
    })
    await shows(page, 'Chosen')
    // What is in it is looked at; this one is none.
    await drop(`'x'`, 'a.torrent')
    await page.getByRole('dialog').locator('.fault').waitFor()
    watched.check(/400 \(Bad Request\)/)
    await page.context().close()
  })
})
