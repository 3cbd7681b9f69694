// The history of settings in the built node: requests, and what was edited in the file between two runs.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder } from '../kit/content/content-on-disk.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'

interface Entry {
  readonly option: string
  readonly value: unknown
  readonly origin: string
}

async function historyOf(node: NodeProcess): Promise<unknown[]> {
  const { history } = await node.get<{ history: Entry[] }>('/settings/history?limit=10')
  return history.map(({ option, value, origin }) => [option, value, origin])
}

test('GET /settings/history tells what requests and editors changed', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const first = await startNode({ stateDir: folder.path })
  await first.request('POST', '/settings', { libtorrent: { max_upload_rate: 1000 } })
  await first.request('POST', '/settings', { libtorrent: { max_upload_rate: 2000 }, webhooks: { secret: 'abc' } })
  const asked = [
    ['webhooks.secret', null, 'request'],
    ['libtorrent.max_upload_rate', 2000, 'request'],
    ['libtorrent.max_upload_rate', 1000, 'request'],
  ]
  assert.deepEqual(await historyOf(first), asked)
  // Answered is answered, also for the history.
  await first.kill('SIGKILL')

  const path = join(folder.path, 'tributary.yaml')
  await writeFile(path, (await readFile(path, 'utf8')).replace('2000', '3000'))
  const second = await startNode({ stateDir: folder.path })
  t.after(() => second.stop())
  assert.deepEqual(await historyOf(second), [['libtorrent.max_upload_rate', 3000, 'file'], ...asked])
})
