// Looks of the dashboard's pages of channels in Debian's Chromium, with answers the test makes up: every part in two
// widths and both colour schemes through axe-core, names that nobody should choose, hundreds of rows, what is not asked
// for. With PICTURES=folder pictures are kept. What the pages do with real nodes: dashboard-channels.test.ts.

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import {
  axeFindings,
  CHROMIUM,
  startBrowser,
  untilInPage,
  type WatchedPage,
  watchedPage,
} from '../../../kit/nodes/browser.ts'
import { FAKE_AUTHOR, FakeChannels } from '../kit/fake-channels.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { sampleChannel, sampleTorrent } from '../kit/sample-channels.ts'

const skip = needs(CHROMIUM)
const pictures = process.env['PICTURES'] ?? ''
const WIDE = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const HOSTILE = `<img src=x onerror="window.hacked=1">\u202egpj.exe ${'w'.repeat(180)}`
const OWN = sampleChannel(1, {
  name: 'Open films',
  own: true,
  can_edit: true,
  mode: 'semi-open',
  description: 'Films that anybody may show: Blender studio, silent classics, talks.\nNew ones on Sundays.',
})
const cid = OWN.dispersy_cid

function everything(): FakeChannels {
  const fake = new FakeChannels()
  fake.channels = [
    OWN,
    sampleChannel(2, { name: HOSTILE, description: HOSTILE, subscribed: true, spam: 4 }),
    sampleChannel(3, { name: '', can_edit: true, mode: 'open' }),
  ]
  fake.torrents = [sampleTorrent(1, { name: HOSTILE }), sampleTorrent(2, { last_tracker_check: 0, size: 0, name: '' })]
  fake.playlists = [
    { id: 1, name: HOSTILE, description: HOSTILE, torrents: fake.torrents },
    { id: 2, name: 'Empty', description: '', torrents: [] },
  ]
  fake.comments = [
    { id: 1, author: FAKE_AUTHOR, text: HOSTILE, timestamp: 1_795_000_000, infohash: null },
    { id: 2, author: 'ab'.repeat(32), text: 'Two\nlines', timestamp: 5, infohash: fake.torrents[0]?.infohash ?? '' },
  ]
  fake.grants = [{ contributor: 'ab'.repeat(32), add: true, moderate: true }]
  const times = { last_check: 1_795_000_000, next_check: 1_795_001_800 }
  fake.feeds = [
    { url: 'https://films.example/feed', ...times, error: '' },
    { url: `https://films.example/${HOSTILE}`, ...times, error: HOSTILE },
  ]
  return fake
}

/** As after some weeks. */
function withFilms(): FakeChannels {
  const fake = new FakeChannels()
  const now = Math.floor(Date.now() / 1000)
  fake.channels = words.map(([name, description, votes, torrents, agoS], at) =>
    sampleChannel(at + 1, {
      name,
      description,
      votes,
      torrents,
      modified: now - agoS,
      own: at === 0,
      can_edit: at === 0,
      subscribed: at === 2,
      mode: at === 0 ? 'semi-open' : 'closed',
    }),
  )
  fake.torrents = films.map(([name, mebibytes, seeders, leechers], at) =>
    sampleTorrent(at + 1, {
      name,
      size: mebibytes * 1024 * 1024 + 4321,
      num_seeders: seeders,
      num_leechers: leechers,
      last_tracker_check: at === 6 ? 0 : now - at * 800,
    }),
  )
  return fake
}

const words = [
  ['Open films', 'Films that anybody may show, copy and cut anew. New ones on Sundays.', 214, 8, 7_300],
  ['Lectures in the clear', 'Recordings of universities, as they were given.', 1830, 412, 52_000],
  ['Musopen mirror', 'Orchestral recordings in the public domain, lossless.', 655, 96, 190_000],
  ['Linux images', 'Installation images of distributions, the day they come out.', 2907, 71, 2_900],
  ['Silent era', 'Films before 1929, restored by archives.', 388, 153, 840_000],
] as const

const films = [
  ['Spring (2019) 1080p', 486, 38, 4],
  ['Sintel (2010) 4K', 5120, 112, 9],
  ['Big Buck Bunny (2008) 1080p', 691, 204, 6],
  ['Tears of Steel (2012) 1080p', 738, 97, 11],
  ['Cosmos Laundromat (2015)', 221, 19, 0],
  ['Elephants Dream (2006)', 425, 23, 1],
  ['Agent 327: Operation Barbershop (2017)', 146, 0, 0],
  ['Caminandes: Llamigos (2016)', 94, 12, 0],
] as const

describe('dashboard, looks of channels', { skip, concurrency: 1, timeout: 180_000 }, () => {
  let node: NodeProcess
  let browser: Browser

  before(async () => {
    node = await startNode()
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await node?.stop()
  })

  async function opened(at: string, options: BrowserContextOptions, fake: FakeChannels): Promise<WatchedPage> {
    const watched = await watchedPage(browser, node.baseUrl, options)
    await watched.page.addInitScript(`localStorage.setItem('tributary.key', ${JSON.stringify(node.key)})`)
    await watched.page.clock.install()
    await fake.show(watched.page)
    await watched.page.goto(`${node.baseUrl}/${at}`)
    await watched.page.locator('.dot.live').waitFor({ state: 'attached' })
    return watched
  }

  async function settled(page: Page): Promise<void> {
    await page.locator('main h1').first().waitFor({ state: 'attached' })
    await untilInPage(page, `!/Loading…/.test(document.body.innerText)`)
  }

  const places = [
    '',
    '/own',
    '/search/films',
    ...['', '/playlists', '/comments', '/feeds', '/options'].map(tab => `/${cid}${tab}`),
  ]

  for (const [name, size] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const)
    for (const colorScheme of ['dark', 'light'] as const)
      test(`every part, ${name} and ${colorScheme}: nothing serious for axe-core, nothing wider than the screen`, async () => {
        const watched = await opened('#/channels', { ...size, colorScheme }, everything())
        const { page } = watched
        for (const place of places) {
          await page.goto(`${node.baseUrl}/#/channels${place}`)
          await settled(page)
          assert.deepEqual(await axeFindings(page), [], place)
          const tooWide = `Math.max(...[document.documentElement, document.querySelector('main')].map(e => e.scrollWidth - e.clientWidth))`
          const wider = Number(await page.evaluate(tooWide))
          assert.ok(wider <= 0, `${place} is ${wider} pixels wider than the screen`)
          if (pictures === '') continue
          await mkdir(pictures, { recursive: true })
          await page.screenshot({
            path: join(pictures, `channels${place.replaceAll('/', '-')}-${name}-${colorScheme}.png`),
          })
        }
        watched.check()
        await page.context().close()
      })

  test('the pictures of the README', { skip: pictures === '' }, async () => {
    const fake = withFilms()
    for (const [name, size, colorScheme, at] of [
      ['channel', WIDE, 'light', `#/channels/${cid}`],
      ['channels', WIDE, 'dark', '#/channels'],
    ] as const) {
      const { page } = await opened(at, { ...size, colorScheme }, fake)
      await settled(page)
      await page.screenshot({ path: join(pictures, `${name}.png`) })
      await page.context().close()
    }
  })

  test('names of strangers are text', async () => {
    const watched = await opened('#/channels', WIDE, everything())
    const { page } = watched
    await settled(page)
    await page.getByText('<img src=x').first().waitFor()
    for (const place of places) {
      await page.goto(`${node.baseUrl}/#/channels${place}`)
      await settled(page)
      assert.equal(await page.locator('main img').count(), 0, place)
      const turned = await page.evaluate(`document.body.innerText.includes(String.fromCharCode(0x202e))`)
      assert.equal(turned, false, `${place}: characters that turn the direction round`)
    }
    assert.equal(await page.evaluate(`window.hacked`), undefined)
    watched.check()
    await page.context().close()
  })

  test('hundreds of channels and torrents come a part at a time', async () => {
    const fake = everything()
    fake.channels = [OWN, ...Array.from({ length: 349 }, (_, at) => sampleChannel(at + 10))]
    fake.torrents = Array.from({ length: 250 }, (_, at) => sampleTorrent(at + 1))
    const watched = await opened('#/channels', WIDE, fake)
    const { page } = watched
    await page.getByRole('button', { name: 'Show more (250 left)' }).click()
    await untilInPage(page, `document.querySelectorAll('[data-channel]').length === 200`)
    await page.getByLabel('Show channels with these words').fill('channel 358')
    await untilInPage(page, `document.querySelectorAll('[data-channel]').length === 1`)
    await page.goto(`${node.baseUrl}/#/channels/${cid}`)
    await page.getByRole('button', { name: 'Show more (150 left)' }).waitFor()
    await page.getByLabel('Show torrents with these words').fill('torrent 250')
    await untilInPage(page, `document.querySelectorAll('[data-torrent]').length === 1`)
    watched.check()
    await page.context().close()
  })

  test('trackers and the DHT are asked when somebody wants to know; the largest counts are shown', async () => {
    const watched = await opened(`#/channels/${cid}`, WIDE, everything())
    const { page } = watched
    const health = page.getByRole('button', { name: 'not checked: seeders and leechers of Unnamed torrent' })
    await health.click()
    await page.getByRole('button', { name: '7 / 2: seeders and leechers of Unnamed torrent' }).waitFor()
    watched.check()
    await page.context().close()
  })

  test('nothing is asked for that a node may not have: lists alone tell which channels are own', async () => {
    const fake = new FakeChannels()
    const watched = await opened('#/channels/own', WIDE, fake)
    const { page } = watched
    await page.getByText('You have no channel.').waitFor()
    assert.deepEqual(new Set(fake.asked), new Set(['channels/discovered', 'channels/subscribed']))
    watched.check()
    await page.context().close()
  })

  test('where the network of channels is not to be had, lists and searches name the cause at once', async () => {
    const fake = new FakeChannels()
    fake.network = { state: 'failed', peers: 0, setting: '', problem: 'UDP port 7759 is taken.' }
    const watched = await opened('#/channels', WIDE, fake)
    const { page } = watched
    await page.locator('.nothing').getByText('UDP port 7759 is taken. The node tries again').waitFor()
    await page.getByLabel('Search channels and torrents').first().fill('films')
    await page.keyboard.press('Enter')
    // The clock of the page stands: nothing is waited for.
    await page.getByText('no other node could be asked. Not connected').waitFor()
    assert.equal(await page.getByText('Searching…').count(), 0)
    watched.check()
    await page.context().close()
  })

  test('a channel that is not known here is shown as such, looked for on demand, and not asked for again and again', async () => {
    const fake = new FakeChannels()
    const watched = await opened(`#/channels/${cid}`, WIDE, fake)
    const { page } = watched
    await page.getByText('This node does not know the channel').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    const before = fake.asked.length
    await page.clock.runFor(120_000)
    assert.equal(fake.asked.length, before)
    fake.channels = [sampleChannel(1, { subscribed: true })]
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('heading', { name: 'Channel 1' }).waitFor()
    assert.deepEqual(
      fake.changes.map(({ method, path }) => `${method} ${path}`),
      [`PUT channels/subscribed/${cid}`],
    )
    watched.check(/404/)
    await page.context().close()
  })
})
