// A series in the player: the next episode after a countdown, the keys, the speed.

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
import { addComplete, playerPage, PLAYED } from './scene.ts'

const SECONDS = 40
const VIDEO = `document.querySelector('video')`

describe('player: series', { skip: needs(CHROMIUM, 'ffmpeg'), concurrency: 1, timeout: 300_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-series-'))
    node = await startNode()
    const content = await makeFilm({ container: 'webm', seconds: SECONDS })
    infohash = await addComplete(node, folder, 'Show', [
      { path: 'Show.S01E10.webm', content },
      { path: 'Show.S01E02.webm', content },
      { path: 'Show.S01E01.webm', content },
    ])
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const toItsEnd = (page: Page) => page.evaluate(`${VIDEO}.currentTime = ${SECONDS - 0.5}`)
  const at = (page: Page, file: number) => untilInPage(page, `location.hash === '#/play/${infohash}/${file}'`)

  test('the next episode comes by itself; the countdown can be stopped', async () => {
    const watched = await playerPage(browser, node, infohash, 2)
    const { page } = watched
    await untilInPage(page, `${PLAYED} > 0.5`)
    await toItsEnd(page)
    await page.getByRole('group', { name: 'Next' }).getByText('Show.S01E02.webm').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await at(page, 1)
    await untilInPage(page, `${PLAYED} > 0.5 && ${PLAYED} < 20`)
    await page.getByRole('heading', { name: 'Show.S01E02.webm' }).waitFor()
    await toItsEnd(page)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('group', { name: 'Next' }).waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await at(page, 0)
    await untilInPage(page, `${PLAYED} > 0.5`)
    await toItsEnd(page)
    await untilInPage(page, `${VIDEO}.ended`)
    assert.equal(await page.getByRole('group', { name: 'Next' }).count(), 0, 'it is the last one')
    await page.keyboard.press('p')
    await at(page, 1)
    watched.check()
    await page.context().close()
  })

  test('the film goes into a small window and back, by its button and by a key', async () => {
    const watched = await playerPage(browser, node, infohash, 2)
    const { page } = watched
    await untilInPage(page, `${PLAYED} > 0.5`)
    const isSmall = `document.pictureInPictureElement === ${VIDEO}`
    await page.getByRole('button', { name: 'Small window' }).click()
    await untilInPage(page, isSmall)
    await page.getByRole('button', { name: 'Small window' }).click()
    await untilInPage(page, 'document.pictureInPictureElement === null')
    await page.keyboard.press('i')
    await untilInPage(page, isSmall)
    watched.check()
    await page.context().close()
  })

  test('keys: pause, seek, volume, speed, tenths; not in fields', async () => {
    await node.request('DELETE', `/downloads/${infohash}/watching/2`)
    const watched = await playerPage(browser, node, infohash, 2)
    const { page } = watched
    await untilInPage(page, `${PLAYED} > 0.5`)
    await page.keyboard.press('k')
    await untilInPage(page, `${VIDEO}.paused`)
    const where = async () => Math.round(Number(await page.evaluate(PLAYED)))
    await page.keyboard.press('5')
    assert.equal(await where(), SECONDS / 2)
    await page.keyboard.press('l')
    assert.equal(await where(), SECONDS / 2 + 10)
    await page.keyboard.press('ArrowLeft')
    assert.equal(await where(), SECONDS / 2 + 5)
    await page.keyboard.press('m')
    assert.equal(await page.evaluate(`${VIDEO}.muted`), true)
    await page.keyboard.press('ArrowDown')
    assert.ok(Math.abs(Number(await page.evaluate(`${VIDEO}.volume`)) - 0.95) < 0.001)
    await page.keyboard.press('>')
    assert.equal(await page.evaluate(`${VIDEO}.playbackRate`), 1.25)
    const speed = page.getByRole('combobox', { name: 'Speed' })
    assert.equal(await speed.inputValue(), '1.25')
    await speed.selectOption('2')
    assert.equal(await page.evaluate(`${VIDEO}.playbackRate`), 2)
    await speed.press('9')
    assert.equal(await where(), SECONDS / 2 + 5, 'a field keeps its keys')
    await page.getByText('Keys', { exact: true }).click()
    await page.getByText('full screen').waitFor()
    // The element has the focus: its own keys must not act a second time.
    await page.evaluate(`${VIDEO}.focus()`)
    await page.keyboard.press('Space')
    await untilInPage(page, `!${VIDEO}.paused`)
    await page.keyboard.press('f')
    await untilInPage(page, `document.fullscreenElement?.className === 'stage'`)
    await page.keyboard.press('f')
    await untilInPage(page, `document.fullscreenElement === null`)
    watched.check()
    await page.context().close()
  })
})
