// disk.scrub_days as users of the built node meet it: a download whose days are over is hashed in the background as
// soon as they are set, and its record says when; bytes that rotted under an unchanged time and length are reported,
// and not given to readers.

import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { DATABASE_FILE_NAME } from '../../../src/records/database-file.ts'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'

const PIECE = 64 * 1024
const THREE_DAYS_MS = 3 * 86_400_000
/** Before the first look by the clock, which comes after a minute: the change of the setting is what is acted on. */
const LIMIT_MS = 30_000

/** A node whose one download was finished three days ago; `meanwhile`: what happened to its file since. */
async function later(
  folder: TestFolder,
  name: string,
  meanwhile: (path: string) => void,
): Promise<{ node: NodeProcess; made: MadeTorrent }> {
  const made = makeTorrent({ name: `${name}.bin`, length: 20 * PIECE, pieceLength: PIECE, seed: name.length })
  const [stateDir, place] = [await folder.sub(`${name}-state`), await folder.sub(name)]
  await writeContent(made, place, '')
  const first = await startNode({ stateDir })
  await downloadComplete(first, await addDownload(first, await writeTorrent(made, folder.path), place), 20_000)
  await first.stop()
  const database = new Database(join(stateDir, DATABASE_FILE_NAME))
  const then = Date.now() - THREE_DAYS_MS
  assert.equal(database.prepare('UPDATE downloads SET added_at = ?, finished_at = ?').run(then, then).changes, 1)
  database.close()
  meanwhile(join(place, `${name}.bin`))
  const node = await startNode({ stateDir })
  await downloadComplete(node, made.infoHash, 20_000)
  return { node, made }
}

function rot(path: string): void {
  const { atime, mtime } = statSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, 'rot', 7 * PIECE)
  closeSync(file)
  utimesSync(path, atime, mtime)
}

test('a scrub: its date is in the record, and what rotted is found', { timeout: 90_000 }, async t => {
  const folder = await makeTestFolder()
  const nodes: NodeProcess[] = []
  try {
    const [well, ill] = await Promise.all([later(folder, 'well', () => undefined), later(folder, 'rotten', rot)])
    nodes.push(well.node, ill.node)
    assert.equal((await downloadRecord(well.node, well.made.infoHash)).time_scrubbed, 0)
    const began = Math.floor(Date.now() / 1000)
    for (const { node } of [well, ill]) {
      assert.equal((await node.request('POST', '/settings', { disk: { scrub_days: 2 } })).status, 200)
    }
    const [scrubbed, found] = await Promise.all([
      downloadUntil(well.node, well.made.infoHash, record => record.time_scrubbed > 0, LIMIT_MS),
      downloadUntil(ill.node, ill.made.infoHash, record => record.progress < 1, LIMIT_MS),
    ])
    assert.ok(scrubbed.time_scrubbed >= began)
    assert.deepEqual([scrubbed.progress, scrubbed.status], [1, 'DLSTATUS_SEEDING'])
    assert.equal(found.progress, 0.95)
    const { reasons } = await ill.node.get<{ reasons: { code: string }[] }>(`/downloads/${ill.made.infoHash}/explain`)
    assert.ok(reasons.some(({ code }) => code === 'file_changed'))
    // A scrub that found something did not come to its end. One under way is waited for by a stop.
    await ill.node.kill('SIGTERM')
    const database = new Database(join(ill.node.stateDir, DATABASE_FILE_NAME), { readonly: true })
    t.after(() => database.close())
    assert.deepEqual(database.prepare('SELECT scrubbed_at FROM downloads').pluck().all(), [null])
  } finally {
    for (const node of nodes) await node.stop()
    await folder.remove()
  }
})
