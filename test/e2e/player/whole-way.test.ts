// The whole way of a film: its magnet link is added in the dashboard, it plays with sound while it comes in, a Matroska
// whose AC-3 no browser here decodes; the page is closed, and a phone goes on where it was. With PICTURES=folder the
// pictures of src/docs/watching.md are made (`make pictures`).

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import {
  axeFindings,
  CHROMIUM,
  startBrowser,
  untilInPage,
  type WatchedPage,
  watchedPage,
} from '../../kit/nodes/browser.ts'
import { addDownload, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { BY_PAGE, untilHeard, VIDEO } from './heard.ts'
import { PLAYED } from './scene.ts'

const pictures = process.env['PICTURES'] ?? ''
const run = promisify(execFile)

const NAME = 'The Long Way Home (2026)'
const SECONDS = 100
const PARTS = 5
/** Bytes/s of the film, and of the one seeder: one and a half of it. */
const RATE = 150_000
const SEEDER_RATE = 1.5 * RATE
const WIDE = { viewport: { width: 1200, height: 800 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** H.264 and AC-3 5.1 in Matroska, a picture that people like to look at: encoded once, and repeated. */
async function makeFilm(path: string): Promise<void> {
  const part = SECONDS / PARTS
  const colours = 'c0=0x0b5d7a:c1=0x62c6e6:c2=0xf4d58d:c3=0x12263a'
  const picture = `gradients=size=640x360:rate=25:duration=${part}:speed=0.02:nb_colors=4:seed=11:${colours}`
  const rate = `${(RATE - 40_000) * 8}`
  const video = '-c:v libx264 -preset veryfast -g 50 -bf 2 -nal-hrd cbr -pix_fmt yuv420p'.split(' ')
  const rates = ['-b:v', rate, '-minrate', rate, '-maxrate', rate, '-bufsize', rate]
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', picture, ...video, ...rates, `${path}.part.mp4`])
  const inputs = ['-stream_loop', `${PARTS - 1}`, '-i', `${path}.part.mp4`]
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${SECONDS}`]
  const sound = ['-c:a', 'ac3', '-b:a', '320k', '-ac', '6', '-shortest']
  await run('ffmpeg', ['-v', 'error', '-y', ...inputs, ...tone, '-c:v', 'copy', ...sound, path])
  await rm(`${path}.part.mp4`)
}

describe('player: the whole way of a film', {
  skip: needs(CHROMIUM, 'ffmpeg'),
  concurrency: 1,
  timeout: 300_000,
}, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  let browser: Browser
  let magnet = ''
  let infohash = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-way-'))
    const path = join(folder, 'from', NAME, `${NAME}.mkv`)
    await mkdir(dirname(path), { recursive: true })
    await makeFilm(path)
    const files = [{ path: `${NAME}.mkv`, content: await readFile(path) }]
    const made = makeTorrent({ name: NAME, files, pieceLength: 128 * 1024 })
    infohash = made.infoHash
    await writeFile(join(folder, 'film.torrent'), made.torrent)
    seeder = await startNode({ settings: { 'libtorrent.max_upload_rate': SEEDER_RATE } })
    const seeded = await addDownload(seeder, join(folder, 'film.torrent'), join(folder, 'from'))
    await downloadUntil(seeder, seeded, ({ status }) => status === 'DLSTATUS_SEEDING')
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    magnet = `magnet:?xt=urn:btih:${infohash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}&dn=${encodeURIComponent(NAME)}`
    node = await startNode({ settings: { 'download_defaults.saveas': join(folder, 'into') } })
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
    await seeder?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A page of the dashboard that has the key. */
  const opened = async (options: BrowserContextOptions): Promise<WatchedPage> => {
    const watched = await watchedPage(browser, node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.goto(node.baseUrl)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  /** Kept only where pictures are made. */
  const picture = async (page: Page, name: string): Promise<void> => {
    if (pictures === '') return
    await mkdir(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.webp`), type: 'webp', quality: 70 })
  }

  const progress = async () =>
    (await node.get<{ download: { progress: number } }>(`/downloads/${infohash}`)).download.progress
  const leftAt = async () => (await node.get<{ position: number }>(`/downloads/${infohash}/watching/0`)).position

  /** Opens the player from the list of files. */
  const play = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('link', { name: `Play ${NAME}.mkv` }).click()
  }

  test('added by its magnet link it plays with sound while it comes in', async () => {
    const { page, check } = await opened(WIDE)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByLabel('Magnet links').fill(magnet)
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: NAME }).waitFor()
    await play(page)
    await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 2`, 60_000)
    await untilHeard(page, 330)
    assert.ok((await progress()) < 0.9, 'it plays while it comes in')
    await untilInPage(page, `${PLAYED} > 12`, 30_000)
    await picture(page, 'page')
    assert.ok((await progress()) < 1, 'and was not there as a whole when it was left')
    await page.close()
    await waitFor('the place', async () => (await leftAt()) > 11)
    check()
    await page.context().close()
  })

  test('a phone goes on where it was', async () => {
    const { page, check } = await opened(PHONE)
    await page.goto(`${node.baseUrl}/#/downloads/${infohash}`)
    await play(page)
    const button = page.getByRole('button', { name: /^Continue at 0:1\d$/ })
    await button.waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, 'it fits')
    await picture(page, 'phone')
    await button.tap()
    await untilInPage(page, `${BY_PAGE} && ${PLAYED} > 12 && ${PLAYED} < 40`, 30_000)
    await untilHeard(page, 330)
    await untilInPage(page, `${VIDEO}.videoWidth === 640`)
    check()
    await page.context().close()
  })
})
