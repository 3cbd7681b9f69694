// Torrents in the engine that are no downloads: who hears of them, what is refused, what is left on the disk.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

import { AppError } from '../../../../../src/base/errors.ts'
import type { InfoHash } from '../../../../../src/base/ids.ts'
import { HiddenTorrents } from '../../../../../src/chapters/channels/wiring/hidden-torrents.ts'
import { KEEP_PACK } from '../../../../../src/chapters/channels/ports/pack-torrents.ts'
import type { TorrentEvents, TorrentHandle, TorrentSpec } from '../../../../../src/torrent/index.ts'
import { decodeMetainfo } from '../../../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../../../kit/content/make-torrent.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'

const PACK = `channel-${'0a'.repeat(16)}`
const made = makeTorrent({ name: PACK, files: [{ path: 'records.bin', length: 100 }] })
const metainfo = decodeMetainfo(made.torrent)
const other = 'ff'.repeat(20) as InfoHash

/** Hidden torrents over an engine that only notes its calls. */
function hiddenPlace(t: TestContext) {
  const place = mkdtempSync(join(tmpdir(), 'tributary-packs-'))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  // Deep enough that a name which leads upwards would meet nothing but this test's own.
  const folder = join(place, 'state', 'packs')
  mkdirSync(folder, { recursive: true })
  const torrents = new Map<InfoHash, TorrentSpec>()
  const told: string[] = []
  const hidden = new HiddenTorrents(folder, silentLog)
  const session = {
    add: (spec: TorrentSpec) => {
      torrents.set(spec.infoHash, spec)
      return {} as TorrentHandle
    },
    called: (infoHash: InfoHash) =>
      torrents.has(infoHash) ? ({ forceAnnounce: () => told.push('asked') } as unknown as TorrentHandle) : undefined,
    remove: (infoHash: InfoHash) => {
      torrents.delete(infoHash)
      return Promise.resolve()
    },
  }
  hidden.attach({ session, contents: { list: () => Promise.reject(new AppError('InvalidParameter')) } })
  const inner: TorrentEvents = {
    metadata: infoHash => Promise.resolve(void told.push(`metadata ${infoHash}`)),
    finished: infoHash => told.push(`finished ${infoHash}`),
    failed: infoHash => told.push(`failed ${infoHash}`),
    statusChanged: infoHash => told.push(`status ${infoHash}`),
  }
  /** As the engine does it. */
  const writeFiles = (): void => {
    mkdirSync(join(folder, PACK))
    writeFileSync(join(folder, PACK, 'records.bin'), 'x')
  }
  return { folder, torrents, told, hidden, events: hidden.events(inner), writeFiles }
}

const never = new AbortController().signal

test('a pack is fetched: nobody else hears of it, its torrent file is kept, and it wakes from rest', async t => {
  const { folder, torrents, told, hidden, events, writeFiles } = hiddenPlace(t)
  const fetched = hidden.fetch(metainfo.infoHash, () => null, never)
  assert.equal(torrents.get(metainfo.infoHash)?.unqueued, true)
  await events.metadata(metainfo.infoHash, metainfo)
  writeFiles()
  events.statusChanged(metainfo.infoHash, 'downloading')
  events.finished(metainfo.infoHash, PACK)
  events.failed(metainfo.infoHash, 'disk')
  assert.equal(await fetched, metainfo)
  assert.deepEqual(told, [])
  assert.equal((await hidden.stored(PACK))?.infoHash, metainfo.infoHash)
  const woken = await hidden.contents({ load: () => Promise.resolve(null) }).load(metainfo.infoHash)
  assert.equal(woken?.metainfo, metainfo)
  await hidden.drop(metainfo.infoHash)
  assert.deepEqual([torrents.size, readdirSync(folder)], [0, []])
  events.finished(other, 'a download')
  await events.metadata(other, metainfo)
  assert.deepEqual(told, [`finished ${other}`, `metadata ${other}`])
})

test('a torrent that is no pack is given up before the engine makes files', async t => {
  const { torrents, hidden, events } = hiddenPlace(t)
  const fetched = hidden.fetch(metainfo.infoHash, () => 'it is too big', never)
  await assert.rejects(events.metadata(metainfo.infoHash, metainfo), /too big/)
  await assert.rejects(fetched, /too big/)
  assert.equal(torrents.size, 0)
})

test('a download that is given up leaves nothing; one that the end of the node cuts off stays for the next run', async t => {
  const { folder, torrents, hidden, events, writeFiles } = hiddenPlace(t)
  for (const reason of [undefined, KEEP_PACK]) {
    const abort = new AbortController()
    const fetched = hidden.fetch(metainfo.infoHash, () => null, abort.signal)
    await events.metadata(metainfo.infoHash, metainfo)
    writeFiles()
    abort.abort(reason)
    await assert.rejects(fetched, (error: unknown) => error instanceof AppError && error.code === 'Aborted')
    assert.equal(torrents.size, reason === KEEP_PACK ? 1 : 0)
    assert.deepEqual(readdirSync(folder), reason === KEEP_PACK ? [PACK] : [])
  }
})

test('what is in the engine already is neither fetched nor seeded', async t => {
  const { hidden } = hiddenPlace(t)
  assert.equal(hidden.seed(metainfo), true)
  assert.equal(hidden.seed(metainfo), false)
  await assert.rejects(
    hidden.fetch(metainfo.infoHash, () => null, never),
    (error: unknown) => error instanceof AppError && error.code === 'StateConflict',
  )
})

test('peers are asked for only for packs', t => {
  const { told, hidden } = hiddenPlace(t)
  hidden.lookForPeers(metainfo.infoHash)
  hidden.seed(metainfo)
  hidden.lookForPeers(metainfo.infoHash)
  assert.deepEqual(told, ['asked'])
})

test('names that lead elsewhere are refused', async t => {
  const { hidden } = hiddenPlace(t)
  const unsafe = (error: unknown): boolean => error instanceof AppError && error.code === 'UnsafePath'
  for (const pack of ['..', 'channel-x', `../${PACK}`, `${PACK}/..`]) await assert.rejects(hidden.write(pack), unsafe)
  const writer = await hidden.write(PACK)
  for (const file of ['../records.bin', 'x.bin', '/records.bin'])
    await assert.rejects(writer.append(file, new Uint8Array(1)), unsafe)
  await writer.append('records-0.bin', new Uint8Array(1))
  await writer.abandon()
  assert.deepEqual(await hidden.list(), [])
})
