// The built node on a disk that answers some reads and writes with EIO: the download goes on by itself, and so does the
// one that gives.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { differences, makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { startHttpTracker } from '../../kit/peers/http-tracker.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { startNode } from '../../kit/nodes/node-process.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

const MIB = 2 ** 20
type List = { downloads: DownloadRecord[] }

describe('faults that pass', { concurrency: 2 }, () => {
  for (const what of ['write', 'read'] as const) {
    test(`a ${what} that fails for a moment stops nothing`, { skip: needs('gcc'), timeout: 90_000 }, async t => {
      const folder = await makeTestFolder()
      t.after(() => folder.remove())
      const library = join(folder.path, 'failing-disk.so')
      execFileSync('gcc', [
        '-shared',
        '-fPIC',
        '-o',
        library,
        join(projectRoot, 'test/kit/doubles/failing-disk.c'),
        '-ldl',
      ])
      const gate = join(folder.path, 'gate')
      const env = { LD_PRELOAD: library, FAIL_PART: 'film.bin', FAIL_GATE: gate }
      const tracker = await startHttpTracker('127.0.0.1')
      t.after(() => tracker.stop())
      const made = makeTorrent({ name: 'film.bin', length: 8 * MIB, pieceLength: 64 * 1024, announce: [[tracker.url]] })
      const torrent = await writeTorrent(made, folder.path)
      const [from, to] = [await folder.sub('from'), await folder.sub('to')]
      await writeContent(made, from, 'film.bin')
      const settings = { 'libtorrent.max_upload_rate': 1500 * 1024 }
      const seeder = await startNode({ settings, env: what === 'read' ? env : {} })
      t.after(() => seeder.stop())
      await downloadComplete(seeder, await addDownload(seeder, torrent, from))
      const node = await startNode({ env: what === 'write' ? env : {} })
      t.after(() => node.stop())
      const failing = what === 'write' ? node : seeder

      const infoHash = await addDownload(node, torrent, to)
      await node.until<List>('/downloads', ({ downloads }) => (downloads[0]?.progress ?? 0) > 0.1)
      await writeFile(gate, what)
      await waitFor('faults', () => existsSync(`${gate}.failed`) && statSync(`${gate}.failed`).size > 2, 20_000)
      type Explained = { explanation: { reasons: { code: string }[] } }
      const trouble = async () =>
        JSON.stringify(await failing.get<Explained>(`/downloads/${infoHash}/explain`)).includes('disk_errors')
      await waitFor('the disk is named', trouble, 10_000)
      await rm(gate)
      await downloadComplete(node, infoHash, 60_000)
      assert.deepEqual(await differences(made, to, 'film.bin'), [])
      for (const one of [node, seeder]) {
        const [record] = (await one.get<List>('/downloads')).downloads
        assert.equal(record?.status, 'DLSTATUS_SEEDING', record?.error)
      }
    })
  }
})
