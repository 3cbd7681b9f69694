// What a tracker hears of a download over its whole life, through kills, restarts, checks, moves and edits of its
// trackers: no byte counts twice, `completed` comes once, and nothing makes the node ask more often than the tracker
// allows. TRIBUTARY_KILLS sets the number of kills (`make tracker-life` takes 50).

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { freePort } from '../../kit/free-port.ts'
import { type HttpTracker, type SeenAnnounce, startHttpTracker } from '../../kit/peers/http-tracker.ts'
import { addManyDownloads } from '../../kit/nodes/many-downloads.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

const KIB = 1024
const KILLS = Number(process.env['TRIBUTARY_KILLS'] ?? 5)
const MIN_SEC = 6
/** Torrents of which a tracker is to hear `stopped` at the end. */
const COUNT = Number(process.env['TRIBUTARY_FAREWELLS'] ?? 100)
type List = { downloads: DownloadRecord[] }

/** Announces of one run of the node, and in it from one `started` to the next. */
function sessionsOf(announces: readonly SeenAnnounce[]): SeenAnnounce[][] {
  const sessions: SeenAnnounce[][] = []
  for (const [at, seen] of announces.entries()) {
    const fresh = seen.event === 'started' || seen.peerId !== announces[at - 1]?.peerId
    if (fresh) sessions.push([])
    sessions.at(-1)?.push(seen)
  }
  return sessions
}

/** Fails where a tracker would count a byte twice, or was asked too early. */
function assertPolite(announces: readonly SeenAnnounce[]): { up: number; down: number } {
  const sums = { up: 0, down: 0 }
  assertSpaced(announces)
  for (const session of sessionsOf(announces)) {
    assert.equal(session[0]?.event, 'started')
    assert.deepEqual([session[0]?.uploaded, session[0]?.downloaded], [0, 0])
    for (const [at, seen] of session.entries()) {
      const before = session[at - 1]
      if (before === undefined) continue
      assert.ok(seen.uploaded >= before.uploaded && seen.downloaded >= before.downloaded)
    }
    sums.up += session.at(-1)?.uploaded ?? 0
    sums.down += session.at(-1)?.downloaded ?? 0
  }
  return sums
}

/**
 * Fails where it was asked before its min interval was over, in whichever session and run: `completed` and `stopped`
 * come when they happen, and after a `stopped` a `started` counts from the last `started`.
 */
function assertSpaced(announces: readonly SeenAnnounce[]): void {
  let lastMs = Number.NEGATIVE_INFINITY
  let startedMs = Number.NEGATIVE_INFINITY
  const first = announces[0]?.atMs ?? 0
  const told = () => announces.map(seen => `${seen.event || '-'} ${Math.round(seen.atMs - first)}`).join(', ')
  for (const { event, atMs } of announces) {
    const apartMs = atMs - lastMs
    const early = (event === '' || event === 'started') && apartMs < MIN_SEC * 1000 - 50
    assert.ok(!early, `${event || 'asked'} after ${Math.round(apartMs)} ms: ${told()}`)
    if (event === 'started') startedMs = atMs
    lastMs = event === 'stopped' ? startedMs : atMs
  }
}

const progress = async (node: NodeProcess): Promise<DownloadRecord | undefined> =>
  (await node.get<List>('/downloads')).downloads[0]

/** Presses the button, reads and stops as fast as it goes. */
async function press(node: NodeProcess, infoHash: string): Promise<void> {
  for (let i = 0; i < 5; i += 1) await node.request('PUT', `/downloads/${infoHash}/tracker_force_announce`, {})
}

test(`a whole life with ${KILLS} kills`, { timeout: 60_000 + KILLS * 6000 }, async t => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-life-'))
  const tracker = await startHttpTracker('127.0.0.1', { intervalSec: 1800, minIntervalSec: MIN_SEC })
  const second = await startHttpTracker('127.0.0.1', { intervalSec: 1800, minIntervalSec: MIN_SEC })
  t.after(async () => {
    await tracker.stop()
    await second.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const made = makeTorrent({
    name: 'life',
    length: 400 * KILLS * KIB,
    pieceLength: 32 * KIB,
    announce: [[tracker.url]],
  })
  await mkdir(path.join(folder, 'from'))
  await writeFile(path.join(folder, 'from', 'life'), made.content)
  await writeFile(path.join(folder, 'life.torrent'), made.torrent)
  const uri = path.join(folder, 'life.torrent')
  const seeder = await startNode({ settings: { 'libtorrent.max_upload_rate': 800 * KIB } })
  t.after(() => seeder.stop())
  await seeder.request('PUT', '/downloads', { uri, destination: path.join(folder, 'from') })
  await seeder.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
  const port = await freePort()
  const options = {
    stateDir: path.join(folder, 'state'),
    settings: { 'libtorrent.port': port, 'general.allowed_paths': folder },
  }
  const ours = (from: HttpTracker): SeenAnnounce[] => from.announces.filter(seen => seen.port === port)

  let node = await startNode(options)
  t.after(() => node.kill('SIGKILL'))
  const added = await node.request('PUT', '/downloads', { uri, destination: path.join(folder, 'to') })
  assert.equal(added.status, 200)
  let heard = 0
  const greeted = () => waitFor('an announce of this run', () => ours(tracker).length > heard || null, 10_000)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const from = (await progress(node))?.progress ?? 0
    await press(node, made.infoHash)
    // Half of the kills come while it downloads, the others when it is complete.
    const part = kill < KILLS / 2 ? Math.min(0.9, from + 0.8 / KILLS) : 1
    await waitFor(`progress ${part}`, async () => ((await progress(node))?.progress ?? 0) >= part, 60_000)
    if (part === 1) {
      await waitFor('completed', () => ours(tracker).some(seen => seen.event === 'completed') || null, 10_000)
      await live(node, kill, made.infoHash, { tracker, second, folder })
    }
    // Most are killed before they may say anything to the tracker.
    if (part === 1 && kill % 4 === 3) await greeted()
    await node.kill('SIGKILL')
    heard = ours(tracker).length
    node = await startNode(options)
  }
  await greeted()
  await press(node, made.infoHash)
  await node.kill('SIGTERM')

  assert.equal(ours(tracker).filter(seen => seen.event === 'completed').length, 1)
  assert.equal(ours(second).filter(seen => seen.event === 'completed').length, 0)
  const sums = assertPolite(ours(tracker))
  assertPolite(ours(second))
  const [sent] = (await seeder.get<List>('/downloads')).downloads
  assert.ok(sums.down > 0 && sums.down <= (sent?.total_up ?? 0), `${sums.down} told, ${sent?.total_up} sent`)
  t.diagnostic(`${ours(tracker).length + ours(second).length} announces, ${sums.down} of ${sent?.total_up} bytes told`)
})

interface Place {
  readonly tracker: HttpTracker
  readonly second: HttpTracker
  readonly folder: string
}

/** What an owner does with a download that is complete, another thing each time. */
async function live(node: NodeProcess, round: number, infoHash: string, place: Place): Promise<void> {
  const at = `/downloads/${infoHash}`
  const expect = async (method: string, to: string, body: unknown): Promise<void> => {
    const reply = await node.request(method, to, body)
    assert.ok(reply.status === 200, `${method} ${to}: ${reply.status} ${reply.body.toString()}`)
  }
  const seeds = () => node.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
  await seeds()
  const doings: (() => Promise<void>)[] = [
    () => expect('PATCH', at, { state: 'recheck' }),
    () => expect('PATCH', at, { destination: path.join(place.folder, `moved-${round}`) }),
    async () => {
      await expect('PUT', `${at}/trackers`, { url: place.second.url })
      await expect('DELETE', `${at}/trackers`, { url: place.tracker.url })
      await expect('PUT', `${at}/trackers`, { url: place.tracker.url })
      await expect('DELETE', `${at}/trackers`, { url: place.second.url })
    },
    async () => {
      for (let i = 0; i < 3; i += 1) {
        await expect('PATCH', at, { state: 'stop' })
        await expect('PATCH', at, { state: 'resume' })
      }
    },
  ]
  await doings[round % doings.length]?.()
  await seeds()
  await press(node, infoHash)
}

test('stopped reaches a tracker that takes 200 ms for 99 of 100 torrents when the node ends', {
  timeout: 120_000,
}, async t => {
  const tracker = await startHttpTracker('127.0.0.1', { delayMs: 200, intervalSec: 1800, minIntervalSec: 900 })
  const node = await startNode()
  t.after(async () => {
    await node.stop()
    await tracker.stop()
  })
  await addManyDownloads(node, COUNT, tracker.url)
  const heard = (event: string): number =>
    new Set(tracker.announces.filter(seen => seen.event === event).map(seen => seen.infoHash)).size
  await waitFor('all started', () => heard('started') === COUNT || null, 60_000)
  const began = performance.now()
  await node.kill('SIGTERM')
  t.diagnostic(`${heard('stopped')} of ${COUNT} in ${Math.round(performance.now() - began)} ms`)
  assert.ok(heard('stopped') >= COUNT * 0.99, `${heard('stopped')} of ${COUNT}`)
})
