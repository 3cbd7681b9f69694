// A disk that stops answering: the stream that reads from it waits, the main loop does not, and nothing is lost when
// the disk comes back. The stall is made by a preloaded library, so the node and its threads are the real ones.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'

const MIB = 2 ** 20

test('a stalled disk holds up its stream and nothing else', { skip: needs('gcc'), timeout: 60_000 }, async () => {
  const folder = await makeTestFolder()
  const library = join(folder.path, 'stall.so')
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, join(projectRoot, 'test/kit/doubles/stalled-disk.c'), '-ldl'])
  const gate = join(folder.path, 'gate')
  const made = makeTorrent({ name: 'stalled-film.bin', length: 8 * MIB, pieceLength: 256 * 1024 })
  const home = await folder.sub('data')
  await writeContent(made, home, 'stalled-film.bin')
  const env = { LD_PRELOAD: library, STALL_GATE: gate, STALL_PART: 'stalled-film' }
  const node = await startNode({ env })
  try {
    const infoHash = await addDownload(node, await writeTorrent(made, folder.path), home)
    await downloadComplete(node, infoHash)
    await writeFile(gate, '')
    const streams = Array.from({ length: 12 }, () => node.request('GET', `/downloads/${infoHash}/stream/0`))
    let settled = 0
    for (const stream of streams)
      stream.then(
        () => settled++,
        () => settled++,
      )
    // A main loop that waits for the disk would never answer these.
    for (let ask = 0; ask < 50; ask++) await node.get('/state')
    await node.get('/downloads?get_peers=1&get_pieces=1&get_files=1')
    assert.equal(settled, 0, 'no stream ended while the disk was stalled')
    await rm(gate)
    for (const stream of await Promise.all(streams)) {
      assert.equal(stream.status, 206)
      assert.ok(stream.body.equals(made.content), 'every byte came after the stall')
    }
  } finally {
    await rm(gate, { force: true })
    await node.stop()
    await folder.remove()
  }
})
