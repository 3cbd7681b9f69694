// SIGTERM while a thread of the node runs in an endless loop of JavaScript, which is in no system call and answers no
// message: within five seconds, and everything that was answered before is there again.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { startNode } from '../../kit/nodes/node-process.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { waitFor } from '../../kit/wait-for.ts'

const MIB = 2 ** 20
type List = { downloads: DownloadRecord[] }

describe('threads that loop', { concurrency: 2 }, () => {
  for (const [name, where] of [
    ['a thread that hashes', 'piscina'],
    ['the thread of the store', 'workers/records'],
  ] as const) {
    test(`${name} loops for ever: the stop waits for it no longer than for others`, { timeout: 60_000 }, async () => {
      const folder = await makeTestFolder()
      const stateDir = await folder.sub('state')
      const gate = join(folder.path, 'gate')
      const preload = join(projectRoot, 'test/kit/doubles/looping-threads.cjs')
      const env = { NODE_OPTIONS: `--require=${preload}`, LOOP_GATE: gate, LOOP_IN: where }
      const made = makeTorrent({ name: 'film.bin', length: 16 * MIB, pieceLength: 256 * 1024 })
      const data = await folder.sub('data')
      await writeContent(made, data, 'film.bin')
      let node = await startNode({ stateDir, env })
      try {
        const infoHash = await addDownload(node, await writeTorrent(made, folder.path), data)
        await downloadComplete(node, infoHash)
        await writeFile(gate, '')
        // Whoever asks a thread that loops gets no answer.
        const asked = node.request('PATCH', `/downloads/${infoHash}`, { state: 'recheck' }).catch(() => undefined)
        await waitFor('a thread that loops', () => existsSync(`${gate}.loops`))
        const began = performance.now()
        const end = await node.kill('SIGTERM')
        const ms = performance.now() - began
        await asked
        assert.ok(ms < 5000, `${ms.toFixed()} ms\n${end.stderr}`)
        assert.deepEqual([end.code, end.signal], [0, null], end.stderr)
        node = await startNode({ stateDir })
        await node.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
      } finally {
        await node.stop()
        await folder.remove()
      }
    })
  }
})
