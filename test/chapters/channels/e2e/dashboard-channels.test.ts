// Channels in the dashboard, in Debian's Chromium with two real nodes: one makes a channel, fills it by file, magnet
// and feed, and puts it in order; the other discovers it, subscribes, searches, comments and downloads. Looks and
// hostile names: dashboard-channel-pages.test.ts.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  axeFindings,
  CHROMIUM,
  startBrowser,
  untilInPage,
  type WatchedPage,
  watchedPage,
} from '../../../kit/nodes/browser.ts'
import { addDownload, downloadUntil } from '../../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../../../kit/content/make-torrent.ts'
import { startChannelNodes } from '../kit/channel-nodes.ts'
import type { NodeProcess } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'

const skip = needs(CHROMIUM)
const WIDE = { viewport: { width: 1440, height: 900 } }
/** What the first look of a node at others may take. */
const MEET_MS = 60_000

const films = ['Big Buck Bunny (2008) 1080p', 'Sintel (2010) 4K', 'Cosmos Laundromat (2015)', 'Spring (2019) 1080p']
const made = films.map((name, at) => makeTorrent({ name, length: 200_000 + at, seed: at + 40 }))
const [bunny, sintel, cosmos, spring] = made as [MadeTorrent, MadeTorrent, MadeTorrent, MadeTorrent]

const given = makeTorrent({ name: 'Elephants Dream (2006)', length: 200_000, seed: 50 })

interface ChannelsAnswer {
  readonly channels: readonly { dispersy_cid: string; name: string; subscribed: boolean }[]
}

/** A file for a field that takes torrent files. */
function torrentFile(name: string, bytes: Uint8Array) {
  return { name, mimeType: 'application/x-bittorrent', buffer: Buffer.from(bytes) }
}

/** A feed with one torrent of this server in it. */
function feedText(base: string): string {
  const item = `<item><title>Spring</title><guid>spring</guid><link>${base}/spring.torrent</link></item>`
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Films</title>${item}</channel></rss>`
}

async function startFeedServer(): Promise<{ base: string; server: Server }> {
  let base = ''
  const server = createServer((request, response) => {
    if (request.url === '/spring.torrent') response.end(spring.torrent)
    else if (request.url === '/feed.xml') response.setHeader('content-type', 'application/rss+xml').end(feedText(base))
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, server }
}

describe('dashboard, channels', { skip, concurrency: 1, timeout: 400_000 }, () => {
  let folder = ''
  let owner: NodeProcess
  let reader: NodeProcess
  let browser: Browser
  let feeds: { base: string; server: Server }
  let channel = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-channels-'))
    feeds = await startFeedServer()
    const settings = { 'network.allow_private': '127.0.0.0/8', 'download_defaults.saveas': folder }
    const [first, second] = await startChannelNodes(2, { settings })
    owner = first as NodeProcess
    reader = second as NodeProcess
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await Promise.all([owner?.stop(), reader?.stop()])
    feeds?.server.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function opened(node: NodeProcess, at: string): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, WIDE)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.goto(`${node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  async function ended(watched: WatchedPage, expected?: RegExp): Promise<void> {
    watched.check(expected)
    await watched.page.context().close()
  }

  const row = (page: Page, torrent: MadeTorrent) => page.locator(`[data-torrent="${torrent.infoHash}"]`)

  /** Seeds a torrent at the reader: where the metadata of a magnet link comes from. */
  async function magnetOf(torrent: MadeTorrent): Promise<string> {
    const path = join(folder, 'magnet.torrent')
    await writeFile(path, torrent.torrent)
    await mkdir(join(folder, 'seeds'), { recursive: true })
    for (const file of torrent.files) await writeFile(join(folder, 'seeds', file.path), file.content)
    const infohash = await addDownload(reader, path, join(folder, 'seeds'))
    await downloadUntil(reader, infohash, ({ status }) => status === 'DLSTATUS_SEEDING')
    const { variables } = await reader.get<{ variables: { ports: Record<string, number> } }>('/variables')
    return `magnet:?xt=urn:btih:${infohash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
  }

  test('a channel is created; a second one of that name is refused where it was asked for', async () => {
    const watched = await opened(owner, '#/channels/own')
    const { page } = watched
    await page.getByText('You have no channel.').waitFor()
    await page.getByRole('button', { name: 'Create a channel' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a channel' })
    await dialog.getByLabel('Name').fill('Open films')
    await dialog.getByLabel('Description').fill('Films that anybody may show, and copy, and cut anew.')
    await dialog.getByLabel('Who may write').selectOption({ label: 'Semi-open' })
    await dialog.getByText('Everybody may comment.').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Open films' }).waitFor()
    await page.getByText('There are no torrents here.').waitFor()
    channel = (await page.evaluate<string>('location.hash')).split('/')[2] ?? ''
    const { channels } = await owner.get<ChannelsAnswer>('/channels/discovered')
    assert.deepEqual(
      channels.map(({ name, dispersy_cid: cid }) => [name, cid]),
      [['Open films', channel]],
    )
    await page.getByRole('link', { name: 'Channels' }).first().click()
    await page.getByRole('button', { name: 'Create a channel' }).click()
    await dialog.getByLabel('Name').fill('Open films')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await ended(watched, /500/)
  })

  test('torrents are added by file and by magnet link; what is none stays with the reason', async () => {
    const watched = await opened(owner, `#/channels/${channel}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Add torrents' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('Choose torrent files')
      .setInputFiles([
        torrentFile('sintel.torrent', sintel.torrent),
        torrentFile('cosmos.torrent', cosmos.torrent),
        torrentFile('notes.torrent', Buffer.from('these are notes')),
      ])
    await dialog.getByLabel('Magnet links').fill(await magnetOf(bunny))
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('alert').getByText('notes.torrent').waitFor({ timeout: 40_000 })
    assert.deepEqual(await dialog.locator('.chosen bdi').allInnerTexts(), ['notes.torrent'])
    assert.equal(await dialog.getByLabel('Magnet links').inputValue(), '')
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
    for (const torrent of [bunny, sintel, cosmos]) await row(page, torrent).waitFor()
    await page.getByLabel('Show torrents with these words').fill('sintel')
    await row(page, bunny).waitFor({ state: 'detached' })
    await ended(watched, /500/)
  })

  test('playlists are made, filled, changed and removed', async () => {
    const watched = await opened(owner, `#/channels/${channel}/playlists`)
    const { page } = watched
    const dialog = page.getByRole('dialog')
    for (const name of ['Shorts', 'Left over']) {
      await page.getByRole('button', { name: 'New playlist' }).click()
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByRole('region', { name }).waitFor()
    }
    const shorts = page.getByRole('region', { name: 'Shorts' })
    await shorts.getByRole('button', { name: 'Add torrents' }).click()
    await dialog.getByLabel(films[0] ?? '').check()
    await dialog.getByLabel(films[1] ?? '').check()
    assert.deepEqual(await axeFindings(page), [])
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await shorts.getByText('2 torrents').waitFor()
    await shorts.getByRole('button', { name: `Take ${films[0]} out of Shorts` }).click()
    await shorts.getByText('1 torrent', { exact: true }).waitFor()
    await shorts.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Description').fill('Under ten minutes.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await shorts.getByText('Under ten minutes.').waitFor()
    await page.getByRole('region', { name: 'Left over' }).getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('region', { name: 'Left over' }).waitFor({ state: 'detached' })
    const { playlists } = await owner.get<{ playlists: { name: string; torrents: { infohash: string }[] }[] }>(
      `/channels/discovered/${channel}/playlists`,
    )
    assert.deepEqual(
      playlists.map(({ name, torrents }) => [name, torrents.map(({ infohash }) => infohash)]),
      [['Shorts', [sintel.infoHash]]],
    )
    await ended(watched)
  })

  test('what a feed links to is added, and stays when the feed is removed', async () => {
    const watched = await opened(owner, `#/channels/${channel}/feeds`)
    const { page } = watched
    await page.getByText('This channel has no feeds.').waitFor()
    const url = `${feeds.base}/feed.xml`
    for (const address of [url, `${feeds.base}/gone.xml`]) {
      await page.getByLabel('Address of a feed').fill(address)
      await page.getByRole('button', { name: 'Add feed' }).click()
      await page.locator(`[data-feed="${address}"]`).waitFor()
    }
    await page.getByRole('button', { name: 'Read now' }).click()
    await page.getByText('All feeds were read.').waitFor({ timeout: 40_000 })
    await page.locator(`[data-feed="${feeds.base}/gone.xml"]`).getByText('Not read:').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: `Remove ${url}` }).click()
    await page.locator(`[data-feed="${url}"]`).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Torrents' }).click()
    await row(page, spring).waitFor({ timeout: 40_000 })
    await ended(watched)
  })

  test('another node discovers the channel while its page is open, subscribes and sees all of it', async () => {
    const watched = await opened(reader, '#/channels')
    const { page } = watched
    const found = page.locator(`[data-channel="${channel}"]`)
    await found.getByText('Open films').waitFor({ timeout: MEET_MS })
    await found.getByRole('button', { name: 'Subscribe' }).click()
    await found.getByText('Subscribed').waitFor()
    await page.getByRole('link', { name: 'Subscribed' }).click()
    await found.getByRole('link', { name: 'Open films' }).click()
    for (const torrent of made) await row(page, torrent).waitFor({ timeout: MEET_MS })
    assert.equal(await page.getByRole('button', { name: 'Add torrents' }).count(), 0, 'it may not write there')
    assert.equal(await page.getByRole('link', { name: 'Feeds' }).count(), 0)
    await page.getByRole('link', { name: 'Playlists' }).click()
    await page
      .getByRole('region', { name: 'Shorts' })
      .getByText(films[1] ?? '')
      .waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await ended(watched)
  })

  test('a search shows channel and torrents as they arrive, and a torrent is downloaded from there', async () => {
    const watched = await opened(reader, '#/channels')
    const { page } = watched
    const field = page.getByRole('combobox', { name: 'Search channels and torrents' })
    await field.fill('sint')
    await page.locator('datalist option').first().waitFor({ state: 'attached' })
    await field.fill('cosmos')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await row(page, cosmos).waitFor()
    await row(page, cosmos).getByRole('link', { name: 'Open films' }).waitFor()
    assert.equal(await row(page, sintel).count(), 0)
    await row(page, cosmos)
      .getByRole('button', { name: `Download ${films[2]}` })
      .click()
    await row(page, cosmos).getByRole('link', { name: 'Open the download' }).waitFor()
    await field.fill('open films')
    await field.press('Enter')
    await page.getByRole('list', { name: 'Channels found' }).getByText('Open films').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await field.fill('nobody has this')
    await field.press('Enter')
    await page.getByText('Nothing found.').waitFor()
    await page.goBack()
    await page.getByRole('list', { name: 'Channels found' }).waitFor()
    await page.goto(`${reader.baseUrl}/#/events`)
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await page.getByText('Channel discovered').first().waitFor()
    assert.equal(await page.getByText('search_result').count(), 0)
    await ended(watched)
  })

  test('people of two nodes comment; each removes its own, the owner any', async () => {
    const [mine, theirs] = [
      await opened(owner, `#/channels/${channel}/comments`),
      await opened(reader, `#/channels/${channel}/comments`),
    ]
    await theirs.page.getByLabel('Comment on this channel').fill('More of these, please.')
    await theirs.page.getByRole('button', { name: 'Comment', exact: true }).click()
    await theirs.page.getByText('More of these, please.').waitFor()
    await mine.page.getByText('More of these, please.').waitFor({ timeout: MEET_MS })
    await mine.page.getByLabel('Comment on this channel').fill('On Sunday.')
    await mine.page.getByRole('button', { name: 'Comment', exact: true }).click()
    const answer = theirs.page.locator('[data-comment]').filter({ hasText: 'On Sunday.' })
    await answer.waitFor({ timeout: MEET_MS })
    await answer.getByText('Owner', { exact: true }).waitFor()
    await mine.page
      .locator('[data-comment]')
      .filter({ hasText: 'On Sunday.' })
      .getByText('You', { exact: true })
      .waitFor()
    assert.equal(await answer.getByRole('button').count(), 0, 'it is not theirs to remove')
    const first = mine.page.locator('[data-comment]').filter({ hasText: 'More of these' })
    assert.deepEqual(await axeFindings(mine.page), [])
    await first.getByRole('button', { name: 'Remove the comment' }).click()
    await theirs.page.getByText('More of these, please.').waitFor({ state: 'detached', timeout: MEET_MS })
    await ended(mine)
    await ended(theirs)
  })

  test('an owner changes the channel and lets another node write, which then adds a torrent', async () => {
    const theirs = await opened(reader, `#/channels/${channel}/options`)
    const key = await theirs.page
      .locator('.mono')
      .filter({ hasText: /^[0-9a-f]{64}$/ })
      .innerText()
    const mine = await opened(owner, `#/channels/${channel}/options`)
    await mine.page.getByLabel('Name').fill('Free films')
    await mine.page.getByRole('button', { name: 'Save' }).click()
    await mine.page.getByRole('heading', { level: 1, name: 'Free films' }).waitFor()
    await mine.page.getByLabel('Their key').fill(key)
    await mine.page.getByRole('button', { name: 'Allow', exact: true }).click()
    await mine.page.locator(`[data-grant="${key}"]`).getByText('may add').waitFor()
    assert.deepEqual(await axeFindings(mine.page), [])
    await theirs.page.getByRole('heading', { level: 1, name: 'Free films' }).waitFor({ timeout: MEET_MS })
    await theirs.page.getByRole('link', { name: 'Torrents' }).click()
    await theirs.page.getByRole('button', { name: 'Add torrents' }).click({ timeout: MEET_MS })
    const dialog = theirs.page.getByRole('dialog')
    await dialog.getByLabel('Choose torrent files').setInputFiles([torrentFile('given.torrent', given.torrent)])
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await row(theirs.page, given).waitFor()
    await mine.page.getByRole('link', { name: 'Torrents' }).click()
    await row(mine.page, given).waitFor({ timeout: MEET_MS })
    await ended(mine)
    await ended(theirs)
  })

  test('torrents are renamed and removed, a subscription ends, and so does the channel', async () => {
    const mine = await opened(owner, `#/channels/${channel}`)
    const { page } = mine
    await page.getByLabel(`Select ${films[1]}`).check()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Sintel, restored')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await row(page, sintel).getByText('Sintel, restored').waitFor()
    await page.getByRole('button', { name: 'Remove from the channel' }).click()
    await row(page, sintel).waitFor({ state: 'detached' })
    const theirs = await opened(reader, `#/channels/${channel}`)
    await row(theirs.page, sintel).waitFor({ state: 'detached', timeout: MEET_MS })
    await theirs.page.getByRole('button', { name: 'Unsubscribe' }).click()
    await theirs.page.getByRole('button', { name: 'Subscribe' }).waitFor()
    await page.getByRole('link', { name: 'Options' }).click()
    await page.getByRole('button', { name: 'End…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End the channel' }).click()
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
    await untilInPage(page, `document.querySelector('[data-channel="${channel}"]') === null`)
    await ended(mine)
    await ended(theirs)
  })
})
