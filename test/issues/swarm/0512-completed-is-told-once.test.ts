// `completed` reaches a tracker once ever, through kills: before it could be sent, while it is sent, and while the
// tracker is away. A tracker that heard it twice counts a download that never was.

import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { freePort } from '../../kit/free-port.ts'
import { type HttpTrackerOptions, type SeenAnnounce, startHttpTracker } from '../../kit/peers/http-tracker.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** `started` waits for it after a kill; a run that completes the download takes far less. */
const MIN_SEC = 8
const PIECE = 32 * 1024
const LIMIT = { timeout: 90_000 }

/** A tracker, a node that has it all and is held back until `feed`, and the one that is killed. */
async function scene(t: TestContext, options: HttpTrackerOptions) {
  const folder = await makeTestFolder()
  const [from, to, stateDir] = [await folder.sub('from'), await folder.sub('to'), await folder.sub('state')]
  const [port, seedPort, trackerPort] = [await freePort(), await freePort(), await freePort()]
  const names = () => [`127.0.0.1 ${seedPort}`]
  const heard: SeenAnnounce[] = []
  const openTracker = async (with_: HttpTrackerOptions = {}) => {
    const tracker = await startHttpTracker('127.0.0.1', { ...options, ...with_, names, port: trackerPort })
    return {
      /** What it was told, over all its times. */
      told: () => [...heard, ...tracker.announces].filter(seen => seen.port === port),
      async close() {
        heard.push(...tracker.announces.splice(0))
        await tracker.stop()
      },
    }
  }
  const announce = [[`http://127.0.0.1:${trackerPort}/announce`]]
  const made = makeTorrent({ name: 'film', length: 20 * PIECE, pieceLength: PIECE, announce, seed: 512 })
  await writeContent(made, from, '')
  const uri = await writeTorrent(made, folder.path)
  const seeder = await startNode({ settings: { 'libtorrent.port': seedPort } })
  const settings = { 'libtorrent.port': port }
  let node = await startNode({ stateDir, settings })
  t.after(async () => {
    await node.kill('SIGKILL')
    await seeder.stop()
    await folder.remove()
  })
  const change = (one: NodeProcess, body: object) => one.request('PATCH', `/downloads/${made.infoHash}`, body)
  return {
    openTracker,
    begin: async () => {
      await addDownload(seeder, uri, from)
      await downloadComplete(seeder, made.infoHash)
      await change(seeder, { state: 'stop' })
      await addDownload(node, uri, to)
    },
    /** The tracker's answer is here, and on the disk: commands are answered in the order of the records. */
    answered: async () => {
      await node.until<{ downloads: DownloadRecord[] }>('/downloads', ({ downloads }) =>
        (downloads[0]?.trackers ?? []).some(({ status }) => status === 'Working'),
      )
      await change(node, { labels: ['begun'] })
    },
    feed: () => change(seeder, { state: 'resume' }),
    /** It is complete, and on the disk. */
    complete: async () => {
      await downloadComplete(node, made.infoHash)
      await change(node, { labels: ['done'] })
    },
    /** `between`: while it is down, so that what it looks for is there. */
    restart: async (between: () => Promise<unknown> = async () => undefined) => {
      await node.kill('SIGKILL')
      await between()
      node = await startNode({ stateDir, settings })
    },
    /** Ends it in order: `stopped` follows whatever is to be told. */
    end: () => node.kill('SIGTERM'),
    record: async () => (await node.get<{ downloads: DownloadRecord[] }>('/downloads')).downloads[0],
  }
}

const events = (told: readonly SeenAnnounce[]): string[] => told.map(({ event }) => event)
const count = (told: readonly SeenAnnounce[], event: string): number => events(told).filter(one => one === event).length
const untilTold = (told: () => SeenAnnounce[], event: string, times = 1, limitMs = 20_000) =>
  waitFor(
    `${times} ${event}`,
    () => count(told(), event) >= times,
    limitMs,
    () => events(told()),
  )

describe('completed over kills', { concurrency: 3 }, () => {
  test('complete while `started` waits, killed: the next run tells it, and no run after that', LIMIT, async t => {
    const { openTracker, begin, answered, feed, complete, restart, end, record } = await scene(t, {
      intervalSec: 1800,
      minIntervalSec: MIN_SEC,
    })
    const { told, close } = await openTracker()
    t.after(close)
    await begin()
    await untilTold(told, 'started')
    await answered()
    await restart(feed)
    await complete()
    assert.deepEqual(events(told()), ['started'], 'this run may not say anything yet')
    await restart()
    assert.equal((await record())?.progress, 1)
    await untilTold(told, 'completed')
    assert.deepEqual(events(told()), ['started', 'started', 'completed'])
    assert.deepEqual(
      told().map(({ left }) => left),
      [20 * PIECE, 0, 0],
    )
    await restart()
    await untilTold(told, 'started', 3)
    await answered()
    await end()
    assert.deepEqual(events(told()).slice(3), ['started', 'stopped'])
  })

  test('killed while the answer to `completed` is on its way: it is not said again', LIMIT, async t => {
    const { openTracker, begin, answered, feed, restart, end } = await scene(t, {
      intervalSec: 1800,
      minIntervalSec: 0,
    })
    const { told, close } = await openTracker({ delayMs: 300 })
    t.after(close)
    await begin()
    await untilTold(told, 'started')
    await feed()
    await untilTold(told, 'completed')
    await restart()
    await answered()
    await end()
    assert.deepEqual(events(told()), ['started', 'completed', 'started', 'stopped'])
  })

  test('complete while the tracker is away, and killed: it is announced when the tracker is back', LIMIT, async t => {
    const { openTracker, begin, answered, feed, complete, restart, end } = await scene(t, {
      intervalSec: 1800,
      minIntervalSec: 0,
    })
    const before = await openTracker()
    await begin()
    await untilTold(before.told, 'started')
    await before.close()
    await feed()
    await complete()
    await restart()
    const { told, close } = await openTracker()
    t.after(close)
    await restart()
    await untilTold(told, 'completed')
    await restart()
    await answered()
    await end()
    assert.equal(count(told(), 'completed'), 1)
    assert.deepEqual(events(told()).slice(-2), ['started', 'stopped'])
  })
})
