// Files that are not a download's, as users of the built node meet them: over HTTP, by the settings, by the command
// line, after kill -9.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import Database from 'better-sqlite3'
import { DATABASE_FILE_NAME } from '../../../src/records/database-file.ts'
import type { Explanation } from '../../../src/services/api.ts'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { makeTorrent, seededBytes } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** A piece and a half. */
const MINE = seededBytes(100_000, 77)

/** A seeding node, a torrent file of what it seeds, and a folder in which something else has that name. */
async function scene(t: TestContext, rate = 0) {
  const folder = await makeTestFolder()
  const made = makeTorrent({ name: 'notes.txt', length: 2_000_000, pieceLength: 64 * 1024, seed: 46 })
  const from = await folder.sub('from')
  await writeContent(made, from, 'notes.txt')
  const settings = { 'libtorrent.interface': '127.0.0.2', 'libtorrent.max_upload_rate': rate }
  const source = await startNode({ settings })
  const file = await writeTorrent(made, folder.path)
  const infoHash = await addDownload(source, file, from)
  await downloadComplete(source, infoHash)
  const { variables } = await source.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const magnet = `magnet:?xt=urn:btih:${infoHash}&x.pe=127.0.0.2:${variables.ports['libtorrent~port']}`
  const to = await folder.sub('to')
  const path = join(to, 'notes.txt')
  writeFileSync(path, MINE)
  const nodes: NodeProcess[] = [source]
  t.after(async () => {
    for (const node of nodes) await node.kill('SIGKILL')
    await folder.remove()
  })
  const start = async (options: Parameters<typeof startNode>[0] = {}): Promise<NodeProcess> => {
    const node = await startNode(options)
    nodes.push(node)
    return node
  }
  return { folder, made, magnet, infoHash, to, path, start }
}

const failed = (node: NodeProcess, infoHash: string) =>
  downloadUntil(node, infoHash, ({ status }) => status === 'DLSTATUS_STOPPED_ON_ERROR')

test('a magnet stops at a file of the owner, says which, and goes on when the user asks to overwrite', async t => {
  const { made, magnet, infoHash, to, path, start } = await scene(t)
  const node = await start()
  await addDownload(node, magnet, to)
  const record = await failed(node, infoHash)
  assert.match(record.error, /notes\.txt.*overwrite/)
  const { reasons } = await node.get<Explanation>(`/downloads/${infoHash}/explain`)
  assert.deepEqual(
    reasons.map(({ code }) => code),
    ['foreign_file'],
  )
  assert.ok(reasons[0]?.message.includes(path))
  assert.ok(readFileSync(path).equals(MINE))
  const resumed = await runCli(['resume', infoHash, '--overwrite', '--state-dir', node.stateDir])
  assert.equal(resumed.code, 0, resumed.stderr)
  await downloadComplete(node, infoHash)
  assert.ok(readFileSync(path).equals(made.content))
})

test('overwrite in PUT and in the settings; a resume without it changes nothing', async t => {
  const { made, magnet, infoHash, to, path, start } = await scene(t)
  const asking = await start()
  await addDownload(asking, magnet, to, { overwrite: true })
  await downloadComplete(asking, infoHash)
  assert.ok(readFileSync(path).equals(made.content))
  await asking.stop()
  writeFileSync(path, MINE)
  const node = await start()
  await addDownload(node, magnet, to)
  await failed(node, infoHash)
  await node.request('PATCH', `/downloads/${infoHash}`, { state: 'resume' })
  await failed(node, infoHash)
  assert.ok(readFileSync(path).equals(MINE))
  await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  assert.ok(readFileSync(path).equals(MINE))
  await node.request('POST', '/settings', { download_defaults: { foreign_files: 'overwrite' } })
  await addDownload(node, magnet, to)
  await downloadComplete(node, infoHash)
  assert.ok(readFileSync(path).equals(made.content))
})

test('kill -9 at moments of the first pieces makes no file of ours foreign', { timeout: 120_000 }, async t => {
  const { folder, made, magnet, infoHash, path, start } = await scene(t, 1_500_000)
  const stateDir = await folder.sub('state')
  const to = await folder.sub('fresh')
  const settings = { 'download_defaults.saveas': to }
  const first = await start({ stateDir, settings })
  await addDownload(first, magnet, to)
  for (let kill = 0; kill < 6; kill += 1) {
    const node = kill === 0 ? first : await start({ stateDir, settings })
    const target = join(to, 'notes.txt')
    const before = sizeOf(target)
    await waitFor('bytes', () => sizeOf(target) > before || kill > 0, 20_000)
    await new Promise(resolve => setImmediate(resolve))
    await node.kill('SIGKILL')
    if (kill === 2) leaveNothingButTheNote(stateDir, target)
  }
  const last = await start({ stateDir, settings })
  await downloadComplete(last, infoHash)
  assert.ok(readFileSync(join(to, 'notes.txt')).equals(made.content))
  assert.ok(readFileSync(path).equals(MINE))
})

/** As a kill amid the first pieces leaves it: none is journalled, and what was written of them fits nowhere. */
function leaveNothingButTheNote(stateDir: string, path: string): void {
  const database = new Database(join(stateDir, DATABASE_FILE_NAME))
  database.exec('DELETE FROM progress; DELETE FROM piece_journal')
  database.close()
  writeFileSync(path, seededBytes(sizeOf(path), 3))
}

function sizeOf(path: string): number {
  try {
    return readFileSync(path).length
  } catch {
    return 0
  }
}
