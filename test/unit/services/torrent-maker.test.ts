// The service that makes torrents, over doubles: few at a time, events few a second, giving up, writing and adding.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import type { SeedableTorrent } from '../../../src/services/downloads/add-made.ts'
import { TorrentMaker, type TorrentMakerDeps } from '../../../src/services/making/torrent-maker.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { MemoryContent, MemoryContents } from '../../kit/doubles/memory-content.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { HandClock } from './service-doubles.ts'

interface Bench {
  readonly maker: TorrentMaker
  readonly content: MemoryContent
  readonly contents: MemoryContents
  readonly clock: HandClock
  readonly emitted: [type: string, payload: Record<string, unknown>][]
  readonly written: Map<string, Uint8Array>
  readonly added: SeedableTorrent[]
  /** Paths that clients may not name. */
  readonly forbidden: Set<string>
}

function bench(deps: Partial<TorrentMakerDeps> = {}, start = true): Bench {
  const clock = new HandClock()
  const emitted: Bench['emitted'] = []
  const written = new Map<string, Uint8Array>()
  const added: SeedableTorrent[] = []
  const forbidden = new Set<string>()
  // Six runs of pieces of 1 MiB.
  const content = new MemoryContent('folder', [
    { path: 'a', content: new Uint8Array(20 * 1024 * 1024).fill(7) },
    { path: 'b', content: seededBytes(100, 2) },
  ])
  const contents = new MemoryContents(content)
  const maker = new TorrentMaker({
    clock,
    log: silentLog,
    events: { emit: (...event) => void emitted.push(event as unknown as Bench['emitted'][number]) },
    paths: {
      resolve: async path => {
        if (forbidden.has(path)) throw new AppError('PathNotAllowed')
        return path.startsWith('/real') ? path : `/real${path}`
      },
      resolveNew: async path => path,
    },
    files: {
      check: async path => {
        if (written.has(path)) throw new AppError('StateConflict')
      },
      write: async (path, bytes) => void written.set(path, bytes),
    },
    downloads: {
      checkAdding: () => undefined,
      addMade: async made => {
        added.push(made)
        return true
      },
    },
    createdBy: 'Tributary/1',
    ...deps,
  })
  if (start) maker.start({ contents, journal: { checkpoint: async () => undefined } })
  return { maker, content, contents, clock, emitted, written, added, forbidden }
}

const OWNER = { anyPath: true, localFiles: true, spends: true }
const never = (): AbortSignal => new AbortController().signal
const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

test('a torrent is made, told by events and handed back', async () => {
  const { maker, contents, emitted, written, added } = bench()
  const created = await maker.create({ path: '/x', piece_length: 1 << 20 }, never(), OWNER)
  const metainfo = decodeMetainfo(created.torrent)
  assert.deepEqual(contents.listed, ['/real/x'])
  assert.equal(created.infohash, metainfo.infoHash)
  assert.equal(created.infohash_v2, metainfo.v2?.infoHash)
  assert.equal(created.name, 'folder')
  assert.equal(created.files, 2)
  assert.equal(created.size, 20 * 1024 * 1024 + 100)
  assert.equal(created.total_pieces, 21)
  assert.equal(created.torrent_path, null)
  assert.equal(created.added, false)
  assert.equal(written.size + added.length, 0)
  const last = emitted.at(-1)
  const { id, infohash, infohash_v2, name } = created
  assert.deepEqual(last, ['torrent_created', { id, path: '/x', infohash, infohash_v2, name }])
  assert.ok(emitted.slice(0, -1).every(([type]) => type === 'torrent_creation_progress'))
})

test('progress is reported at most twice a second, and at the end', async () => {
  const { maker, content, clock, emitted } = bench()
  let runs = 0
  // Every run takes 200 ms.
  content.beforeRun = () => {
    runs += 1
    clock.advance(200)
  }
  // 256 pieces a run.
  await maker.create({ path: '/x', piece_length: 1 << 14 }, never(), OWNER)
  const told = emitted.filter(([type]) => type === 'torrent_creation_progress').map(([, payload]) => payload)
  assert.ok(runs >= 6, `${runs} runs`)
  assert.ok(told.length >= 2 && told.length <= 2 + Math.ceil((runs * 200) / 500), `${told.length} events`)
  assert.equal(told.at(-1)?.['progress'], 1)
  assert.equal(told.at(-1)?.['bytes_done'], told.at(-1)?.['bytes_total'])
})

test('two at a time: a third is refused at once, and has its turn later', async () => {
  const { maker, content } = bench()
  const gate = makeDeferred<void>()
  content.beforeRun = () => gate.promise
  const first = maker.create({ path: '/1' }, never(), OWNER)
  const second = maker.create({ path: '/2' }, never(), OWNER)
  await assert.rejects(maker.create({ path: '/3' }, never(), OWNER), hasCode('TooManyRequests'))
  gate.resolve()
  await Promise.all([first, second])
  await maker.create({ path: '/3' }, never(), OWNER)
})

test('a client that goes away gives it up: nothing is written or added, the place is free again', async () => {
  const { maker, content, emitted, written, added } = bench()
  const abort = new AbortController()
  content.beforeRun = () => abort.abort()
  const request = { path: '/x', export: true, add: true, piece_length: 1 << 20 }
  await assert.rejects(maker.create(request, abort.signal, OWNER), hasCode('Aborted'))
  assert.equal(emitted.at(-1)?.[0], 'torrent_creation_failed')
  assert.equal(emitted.at(-1)?.[1]['code'], 'Aborted')
  assert.equal(written.size + added.length + content.open, 0)
  await assert.rejects(maker.create(request, AbortSignal.abort(), OWNER), hasCode('Aborted'))
  content.beforeRun = () => undefined
  await maker.create(request, never(), OWNER)
})

test('the end of the node gives everything up and waits for it', async () => {
  const { maker, content } = bench()
  const gate = makeDeferred<void>()
  content.beforeRun = () => gate.promise
  const made = maker.create({ path: '/x', piece_length: 1 << 20 }, never(), OWNER)
  const refused = assert.rejects(made, hasCode('Aborted'))
  await waitFor('hashing', () => content.open === 1)
  const stopped = maker.stop()
  gate.resolve()
  await stopped
  assert.equal(content.open, 0)
  await refused
  await assert.rejects(maker.create({ path: '/x' }, never(), OWNER), hasCode('NotReady'))
})

test('before the start there is nothing to make torrents with', async () => {
  await assert.rejects(bench({}, false).maker.create({ path: '/x' }, never(), OWNER), hasCode('NotReady'))
})

test('where the torrent file goes: next to the content, into a folder, to a name', async () => {
  const { maker, written } = bench()
  const at = async (request: object) => (await maker.create({ path: '/x', ...request }, never(), OWNER)).torrent_path
  assert.equal(await at({ export: true }), '/real/memory/folder.torrent')
  assert.equal(await at({ export_path: '/out' }), '/real/out/folder.torrent')
  assert.equal(await at({ export_path: '/out/other.torrent' }), '/real/out/other.torrent')
  assert.equal(await at({ export: false }), null)
  assert.equal(written.size, 3)
})

test('a torrent file that exists, and a path that is not allowed, are refused before anything is hashed', async () => {
  const { maker, content, written, forbidden } = bench()
  content.beforeRun = () => assert.fail('it was hashed')
  written.set('/real/out/folder.torrent', new Uint8Array(0))
  await assert.rejects(maker.create({ path: '/x', export_path: '/out' }, never(), OWNER), hasCode('StateConflict'))
  for (const path of ['/no', '/memory']) forbidden.add(path)
  await assert.rejects(maker.create({ path: '/no' }, never(), OWNER), hasCode('PathNotAllowed'))
  await assert.rejects(maker.create({ path: '/x', export_path: '/no' }, never(), OWNER), hasCode('PathNotAllowed'))
  await assert.rejects(maker.create({ path: '/x', export: true }, never(), OWNER), hasCode('PathNotAllowed'))
})

test('added: with its facts and where it lies; what adding would refuse is refused first', async () => {
  const { maker, added } = bench()
  const created = await maker.create({ path: '/x', add: true }, never(), OWNER)
  assert.equal(created.added, true)
  assert.equal(added.length, 1)
  assert.equal(added[0]?.destination, '/memory')
  assert.equal(added[0]?.metainfo.infoHash, created.infohash)
  assert.equal(added[0]?.facts.length, added[0]?.metainfo.files.length)
  const refusing = bench({
    downloads: {
      checkAdding: () => {
        throw new AppError('CircuitsUnavailable')
      },
      addMade: () => assert.fail('it was added'),
    },
  })
  refusing.content.beforeRun = () => assert.fail('it was hashed')
  await assert.rejects(refusing.maker.create({ path: '/x', add: true }, never(), OWNER), hasCode('CircuitsUnavailable'))
})
