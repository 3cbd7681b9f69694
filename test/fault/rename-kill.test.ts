// kill -9 while files of a download are renamed: no piece is lost, and afterwards everything is under one name, old or
// new, under which the node goes on.

import assert from 'node:assert/strict'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { addDownload, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type NodeProcess, type NodeReply, startNode } from '../kit/nodes/node-process.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { waitFor } from '../kit/wait-for.ts'

const KILLS = Number(process.env['KILLS'] ?? '4')
const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)
const FILES = 30

async function piecesOf(node: NodeProcess, infoHash: string): Promise<string> {
  await downloadUntil(node, infoHash, ({ status }) => status === 'DLSTATUS_DOWNLOADING', 20_000)
  return (await downloadRecord(node, infoHash, '?get_pieces=1')).pieces ?? ''
}

test(`kill -9 at ${KILLS} moments of a rename`, { timeout: 60_000 + KILLS * 10_000 }, async t => {
  const folder = await makeTestFolder()
  const [stateDir, to] = [await folder.sub('state'), await folder.sub('to')]
  const random = new SeededRandom(SEED)
  t.diagnostic(`SEED=${SEED}`)
  let node: NodeProcess | null = null
  const left = (): Promise<string[]> => readdir(to)
  t.after(async () => {
    await node?.kill('SIGKILL')
    await folder.remove()
  })
  const files = Array.from({ length: FILES }, (_, n) => ({ path: `sub/${n}.bin`, length: 32 * 1024 }))
  const made = makeTorrent({ name: 'Set', files, pieceLength: 16 * 1024, seed: 3 })
  await writeContent(made, to, 'Set')
  // It is never complete: what is there must be known piece by piece.
  await rm(join(to, 'Set/sub/7.bin'))
  node = await startNode({ stateDir })
  await addDownload(node, await writeTorrent(made, folder.path), to)
  const had = await piecesOf(node, made.infoHash)
  let last = 'Set'
  for (let kill = 0; kill < KILLS; kill++) {
    const name = `Set ${kill}`
    const asked: Promise<NodeReply | null> = node
      .request('PATCH', `/downloads/${made.infoHash}/files`, { name })
      .catch(() => null)
    // When the new folder is there, files are being placed; a little later they are under both names, or the old go.
    await waitFor('the new name', async () => (await left()).includes(name), 20_000)
    await new Promise(resolve => setTimeout(resolve, kill * random.below(10)))
    await node.kill('SIGKILL')
    const answered = (await asked)?.status === 200
    t.diagnostic(answered ? 'killed after it' : `killed in it: ${(await left()).join(', ')}`)
    node = await startNode({ stateDir })
    assert.equal(await piecesOf(node, made.infoHash), had, 'pieces are lost')
    await waitFor('one of the names to be left', async () => (await left()).length === 1, 10_000)
    const [root] = await left()
    assert.ok(root === name || (root === last && !answered), root)
    last = root
    assert.equal((await readdir(join(to, root, 'sub'))).length, FILES - 1)
    assert.equal((await stat(join(to, root, 'sub', '0.bin'))).nlink, 1)
  }
})
