// 300 downloads that nobody has, of an earlier run: suspended, they cost nothing and write nothing, and wake for a
// peer, for who a tracker names, and for a reader. `make rest-10000` measures ten thousand, and their memory.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { idleFigures } from '../../kit/nodes/idle-node.ts'
import { addManyDownloads } from '../../kit/nodes/many-downloads.ts'
import {
  allLoaded,
  suspendedNode,
  startIdleTracker,
  wokenByPeer,
  wokenByReader,
  wokenByTracker,
} from '../../kit/nodes/suspended-downloads.ts'
import { waitFor } from '../../kit/wait-for.ts'

const COUNT = 300
const WATCH_SEC = 4

test('downloads that know nobody cost and write nothing, and wake for a peer, a tracker and a reader', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-rest-'))
  const data = path.join(folder, 'data')
  const tracker = await startIdleTracker(0)
  const start = await suspendedNode(folder, data)
  let node = await start()
  try {
    await allLoaded(node)
    const infoHashes = await addManyDownloads(node, COUNT, tracker.url)
    // What was journalled of it makes a download begin suspended.
    await node.until<{ downloads: { status: string }[] }>(
      '/downloads',
      ({ downloads }) =>
        downloads.length === COUNT && downloads.every(({ status }) => status === 'DLSTATUS_DOWNLOADING'),
    )
    await node.kill('SIGTERM')
    const before = tracker.announces.length
    node = await start()
    await allLoaded(node)
    const started = () => tracker.announces.slice(before).filter(({ event }) => event === 'started')
    await waitFor('all announce', () => started().length >= COUNT)
    assert.ok(started().every(({ left }) => left === 100))
    const { cpuPercent, stateWrites, dataChanges } = await idleFigures(node, data, WATCH_SEC)
    assert.ok(cpuPercent < 10, `${cpuPercent} % of a core`)
    assert.deepEqual(dataChanges, [])
    assert.ok(Math.max(0, ...stateWrites.values()) <= 1, JSON.stringify([...stateWrites]))
    const [peer = '', named = '', reader = ''] = infoHashes
    assert.ok((await wokenByPeer(node, peer)) < 5000)
    assert.ok((await wokenByTracker(node, tracker, named)) < 10_000)
    assert.ok((await wokenByReader(node, tracker, reader)) < 15_000)
  } finally {
    await node.kill('SIGTERM')
    await tracker.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
