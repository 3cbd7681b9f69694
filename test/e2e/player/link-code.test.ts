// A film as a QR code: seen in the page, read by zbar, opened as a phone would. Where a phone could not open it that is
// said instead.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { makeFilm } from '../../kit/content/films.ts'
import { axeFindings, CHROMIUM, startBrowser, untilInPage, watchedPage } from '../../kit/nodes/browser.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { addComplete, playerPage, PLAYED } from './scene.ts'

/** The node's name in its network; the browser finds it on this machine. */
const NAME = 'tv.example'
/** What Chromium says of a header that names of plain HTTP have no use for. */
const OPENER = /Cross-Origin-Opener-Policy header has been ignored/
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

describe('player: QR codes', { skip: needs(CHROMIUM, 'ffmpeg', 'zbarimg'), timeout: 120_000 }, () => {
  let folder = ''
  let node: NodeProcess
  let browser: Browser
  let infohash = ''
  /** The page as others in the network open it. */
  let origin = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-code-'))
    node = await startNode({ settings: { 'api.host_names': JSON.stringify([NAME]) } })
    origin = `http://${NAME}:${node.port}`
    infohash = await addComplete(node, folder, 'Film', [
      { path: 'A film with <a> long name, &c.webm', content: await makeFilm({ container: 'webm', seconds: 5 }) },
    ])
    browser = await startBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`])
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const opened = async (options: Parameters<typeof watchedPage>[2] = {}) => {
    const watched = await watchedPage(browser, origin, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.goto(`${origin}/#/play/${infohash}/0`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  /** What zbar reads of a code as it is shown. */
  const readOff = async (code: Locator): Promise<string> => {
    const path = join(folder, 'seen.png')
    await code.screenshot({ path })
    const { stdout, stderr } = spawnSync('zbarimg', ['-q', '--raw', path], { encoding: 'utf8' })
    assert.notEqual(stdout, '', `nothing is read of the code: ${stderr}`)
    return stdout.trim()
  }

  /** A page without a key, which plays what a code has said. */
  const playsAt = async (link: string) => {
    const context = await browser.newContext(PHONE)
    const page: Page = await context.newPage()
    const answer = await page.goto(link)
    assert.ok(answer?.ok() === true, `${answer?.status()}`)
    await untilInPage(page, `document.querySelector('video') !== null`)
    await page.evaluate(`document.querySelector('video').play()`)
    await untilInPage(page, `${PLAYED} > 0.3`)
    await context.close()
  }

  for (const [name, options] of [
    ['wide', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['phone', PHONE],
  ] as const)
    test(`of the player, ${name}: a camera reads it, and the link plays without a key`, async () => {
      const { page, check } = await opened(options)
      await page.getByRole('button', { name: 'QR code' }).click()
      const code = page.getByRole('dialog').getByRole('img', { name: /^QR code/ })
      await code.waitFor()
      const link = await readOff(code)
      assert.match(
        link,
        new RegExp(`^http://${NAME}:${node.port}/downloads/${infohash}/stream/0/film\\.webm\\?token=[\\w.-]+$`),
      )
      assert.deepEqual(await axeFindings(page), [])
      await playsAt(link)
      check(OPENER)
      await page.context().close()
    })

  test('of a link that was given away, in the list of those', async () => {
    const { page, check } = await opened()
    page.on('dialog', dialog => void dialog.accept())
    await page.getByRole('button', { name: 'Give a link…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'For' }).fill('Anna')
    await dialog.getByRole('button', { name: 'Make and copy' }).click()
    const button = dialog.getByRole('button', { name: 'QR code of the link for Anna' })
    await button.click()
    const link = await readOff(dialog.getByRole('img', { name: /^QR code/ }))
    const { links } = await node.get<{ links: { url: string }[] }>('/links')
    assert.equal(new URL(link).search, new URL(links[0]?.url ?? '', origin).search)
    assert.deepEqual(await axeFindings(page), [])
    await playsAt(link)
    await button.click()
    await dialog.getByRole('img', { name: /^QR code/ }).waitFor({ state: 'detached' })
    check(OPENER)
    await page.context().close()
  })

  test('a page that was opened at this machine says why there is none', async () => {
    const { page, check } = await playerPage(browser, node, infohash, 0)
    await page.getByRole('button', { name: 'QR code' }).click()
    await page.getByRole('dialog').getByText('listens on this machine alone').waitFor()
    assert.equal(await page.getByRole('img', { name: /^QR code/ }).count(), 0)
    assert.deepEqual(await axeFindings(page), [])
    check()
    await page.context().close()
  })
})
