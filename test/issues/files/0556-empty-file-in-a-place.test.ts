// An empty file in the place of one that is not empty was deleted with a download that is forgotten, though another
// program may be about to write it: what it writes then has no name any more.

import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTorrent, seededBytes } from '../../kit/content/make-torrent.ts'
import { LoopbackNode } from '../../kit/nodes/loopback-node.ts'
import { waitFor } from '../../kit/wait-for.ts'

const PIECE = 65_536
const controls = { maxDownloadRate: 0, maxUploadRate: 0, filePriorities: new Map(), sequential: false, forgets: true }

test('an empty file in the place of one that is not stays, one that is empty in the torrent goes', async t => {
  const node = await new LoopbackNode({ events: { sharesFiles: () => false } }).start()
  t.after(() => node.close())
  const files = [
    { path: 'a.mkv', content: seededBytes(PIECE, 1) },
    { path: 'empty.nfo', content: new Uint8Array(0) },
  ]
  const made = makeTorrent({ name: 'show', files, pieceLength: PIECE })
  const handle = node.add(made, { controls })
  await waitFor('it runs', () => handle.snapshot().status === 'downloading')
  const folder = join(node.folder, 'show')
  assert.deepEqual(readdirSync(folder), ['empty.nfo'])
  writeFileSync(join(folder, 'a.mkv'), '')
  await node.session.remove(made.infoHash, { deleteData: 'made' })
  assert.deepEqual(readdirSync(folder), ['a.mkv'])
})
