// The mark of a download: another one whenever its summary may say something else, and only then.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import type { StoredDownload } from '../../../src/ports/records.ts'
import { DownloadEntry } from '../../../src/services/downloads/download-entry.ts'
import type { DownloadRecord } from '../../../src/services/downloads/download-records-api.ts'
import { NO_OBSTACLES } from '../../../src/torrent/session/suspended-torrent.ts'
import type { TorrentHandle } from '../../../src/torrent/types.ts'

const stored: StoredDownload = {
  infoHash: 'ab'.repeat(20) as InfoHash,
  infoHashV2: null,
  name: 'Film',
  sourceUri: '',
  destination: '/srv',
  announceTiers: [],
  webSeeds: [],
  peers: [],
  addedAtMs: 0,
  hops: 0,
  safeSeeding: false,
  selectedFiles: null,
  userStopped: false,
  totalUp: 0,
  totalDown: 0,
  finishedAtMs: null,
  error: '',
  position: 1,
  pieceCount: 1,
  controls: null,
  seededSec: 0,
  goalReached: false,
  movingTo: null,
  movedFrom: null,
}

const UNQUEUED = { setQueueOrder: () => undefined }

test('every change of a resting download is another mark', () => {
  const entry = new DownloadEntry(stored)
  const torrent = { ...UNQUEUED, suspended: true, revision: 7 }
  const handle = torrent as unknown as TorrentHandle
  const changes: readonly (() => void)[] = [
    () => void (entry.stored = { ...stored, name: 'Other' }),
    () => void (entry.loadError = 'broken'),
    () => entry.attach(handle),
    () => torrent.revision++,
    () => void (entry.stalledVolume = '/mnt'),
    () => void (entry.stalledVolume = null),
    () => void (entry.moving = true),
    () => entry.setQueueOrder(0.5),
    () => entry.detach(),
    () => entry.attach(handle),
  ]
  const seen = new Set([entry.mark])
  for (const change of changes) {
    change()
    const { mark } = entry
    assert.equal(typeof mark, 'number')
    assert.ok(!seen.has(mark), change.toString())
    seen.add(mark)
    const { stalledVolume } = entry
    entry.stalledVolume = stalledVolume
    assert.equal(entry.mark, mark)
  }
})

test('what may change at any time has none', () => {
  const entry = new DownloadEntry(stored)
  entry.attach({ ...UNQUEUED, suspended: false, revision: 1 } as unknown as TorrentHandle)
  assert.equal(entry.mark, null)
  const circuits = () => ({ candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null })
  entry.attach({ ...UNQUEUED, suspended: true, revision: 1 } as unknown as TorrentHandle, circuits)
  assert.equal(entry.mark, null)
})

test('a waiting download is summed up by its row', () => {
  const entry = new DownloadEntry({ ...stored, totalUp: 9 })
  assert.equal(entry.summary().status, 'DLSTATUS_WAITING4HASHCHECK')
  assert.equal(entry.summary().total_up, 9)
  entry.stalledVolume = '/mnt'
  assert.equal(entry.summary().stalled_volume, '/mnt')
})

test('a record is made again when what keeps it still is another thing, or its place in the queue', () => {
  const entry = new DownloadEntry(stored)
  const shown = { snapshot: { status: 'downloading', downRate: 0, upRate: 0 }, obstacles: { ...NO_OBSTACLES } }
  const torrent = {
    suspended: false,
    revision: 1,
    ...UNQUEUED,
    queueAhead: null as number | null,
    snapshot: () => shown.snapshot,
    trackers: () => [],
    peers: () => [],
    webSeeds: () => [],
    obstacles: () => shown.obstacles,
  }
  entry.attach(torrent as unknown as TorrentHandle)
  const record = () => JSON.parse(entry.recordJson({ maxDownloadRate: 0, maxUploadRate: 0 })) as DownloadRecord
  assert.equal(record().condition?.code, 'no_trackers')
  assert.equal(entry.changed(), false)
  shown.obstacles = { ...NO_OBSTACLES, dialing: 1 }
  assert.equal(entry.changed(), true)
  assert.equal(record().condition?.code, 'connecting')
  entry.moving = true
  assert.equal(entry.changed(), true)
  record()
  torrent.suspended = true
  shown.snapshot = { ...shown.snapshot, status: 'queued' }
  torrent.revision += 1
  torrent.queueAhead = 3
  assert.equal(record().condition?.parameters?.place, 4)
  assert.equal(entry.changed(), false)
  torrent.queueAhead = 2
  assert.equal(entry.changed(), true, 'others left the queue')
})
