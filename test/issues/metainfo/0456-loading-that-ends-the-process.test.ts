// A torrent whose loading ended the process did so again at every start, and it could not be deleted.

import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import { LoadingMarksFile } from '../../../src/io/files/loading-marks-file.ts'
import type { LoadingMarks } from '../../../src/ports/loading-marks.ts'
import type { LoadedDownload } from '../../../src/ports/records.ts'
import { HeavyLoads, HELD_BACK } from '../../../src/services/downloads/heavy-loads.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { manyPiecesTorrent } from '../../kit/content/heavy-torrents.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { startDownloads } from '../../unit/services/service-doubles.ts'

const torrent = manyPiecesTorrent(60_000)
const { infoHash } = decodeMetainfo(torrent)

/** Marks in memory; `history` has each state that was written. */
class Marks implements LoadingMarks {
  readonly history: [InfoHash, number][][] = []
  readonly #first: number

  constructor(first: number) {
    this.#first = first
  }

  read(): Promise<Map<InfoHash, number>> {
    return Promise.resolve(new Map(this.#first === 0 ? [] : [[infoHash, this.#first]]))
  }

  write(marks: ReadonlyMap<InfoHash, number>): Promise<void> {
    this.history.push([...marks])
    return Promise.resolve()
  }
}

/** A node that starts with one heavy download, which was being loaded when the process ended `ends` times in a row. */
async function startedAfter(ends: number) {
  const before = await startDownloads()
  before.sources.set('/x.torrent', torrent)
  await before.downloads.add({ uri: '/x.torrent' })
  const marks = new Marks(ends)
  const bench = await startDownloads(before.records, true, undefined, null, null, marks)
  return { ...bench, marks }
}

test('a heavy download is marked before it is loaded, and unmarked after it', async () => {
  const { engine, marks } = await startedAfter(0)
  await waitFor('the end of the mark', () => marks.history.length === 2)
  assert.deepEqual(marks.history, [[[infoHash, 1]], []])
  assert.ok(engine.torrents.has(infoHash))
})

test('after one end it is loaded once more', async () => {
  const { engine, marks } = await startedAfter(1)
  await waitFor('the end of the mark', () => marks.history.length === 2)
  assert.deepEqual(marks.history, [[[infoHash, 2]], []])
  assert.ok(engine.torrents.has(infoHash))
})

test('after two ends it is held back, says so, and can be deleted', async () => {
  const { downloads, engine, marks } = await startedAfter(2)
  assert.equal(engine.torrents.has(infoHash), false)
  const record = await downloads.record(infoHash, { peers: false, pieces: false, files: false })
  assert.deepEqual([record.status, record.error], ['DLSTATUS_STOPPED_ON_ERROR', HELD_BACK])
  assert.deepEqual(marks.history, [])
  assert.equal((await downloads.remove(infoHash, true)).removed, true)
  await waitFor('the end of the mark', () => marks.history.length === 1)
  assert.deepEqual(marks.history, [[]])
})

test('one that is held back is loaded when a user resumes it', async () => {
  const { downloads, engine, marks } = await startedAfter(2)
  await downloads.patch(infoHash, { state: 'resume' })
  assert.ok(engine.torrents.has(infoHash))
  await waitFor('the end of the mark', () => marks.history.length === 2)
  assert.deepEqual(marks.history, [[[infoHash, 2]], []])
})

test('an orderly stop takes away the marks of what is being loaded, and leaves the others', async () => {
  const before = await startDownloads()
  before.sources.set('/x.torrent', torrent)
  await before.downloads.add({ uri: '/x.torrent' })
  const rows: LoadedDownload[] = []
  for await (const page of before.records.loadAll()) rows.push(...page)
  const marks = new Marks(0)
  const loads = new HeavyLoads({ clock: before.clock, log: silentLog, loadingMarks: marks })
  await loads.open()
  for (const loaded of rows) await loads.begin(loaded)
  await loads.close()
  assert.deepEqual(marks.history, [[[infoHash, 1]], []])
  const kept = new HeavyLoads({ clock: before.clock, log: silentLog, loadingMarks: new Marks(2) })
  await kept.open()
  await kept.close()
  assert.ok(kept.isHeldBack(infoHash))
})

test('marks lie in a file that only its owner reads; one that cannot be read has none', async t => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-marks-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'loading.json')
  const marks = new LoadingMarksFile(file)
  assert.deepEqual(await marks.read(), new Map())
  await marks.write(new Map([[infoHash, 2]]))
  assert.deepEqual(await marks.read(), new Map([[infoHash, 2]]))
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})
