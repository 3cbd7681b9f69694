// A start with a few thousand seeds, counted and not timed: the first page comes before they are loaded, and a torrent
// costs few calls of the system and few messages. `make bench-scale` measures a hundred thousand.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeManySeeds } from '../../bench/lib/many-seeds.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import type { OperationCounts } from '../kit/operation-counts.ts'
import { waitFor } from '../kit/wait-for.ts'

const SEEDS = 3000
const PAGE = 100
const probe = fileURLToPath(new URL('../kit/operation-counts.js', import.meta.url))

interface Page {
  readonly total: number
  readonly downloads: readonly { readonly status: string }[]
}

function countsIn(file: string): OperationCounts | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OperationCounts
  } catch {
    return null
  }
}

test('three thousand seeds: a page at once, one look at each file, few messages', async t => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'tributary-seeds-'))
  t.after(() => rm(home, { recursive: true }))
  const stateDir = await makeManySeeds(home, SEEDS, null)
  const file = path.join(home, 'counts.json')
  const env = { NODE_OPTIONS: `--import=${probe}`, OPERATION_COUNTS: file }
  const node = await startNode({ stateDir, env, until: 'listening' })
  t.after(() => node.stop())
  const first = await node.get<Page>(`/downloads?limit=${PAGE}`)
  assert.equal(first.total, SEEDS)
  assert.equal(first.downloads.length, PAGE)
  assert.ok(
    first.downloads.some(({ status }) => status !== 'DLSTATUS_SEEDING'),
    'the first page waited until all were loaded',
  )
  await node.until<Page>('/downloads?limit=1&filter=seeding', ({ total }) => total === SEEDS, 60_000)
  process.kill(node.pid, 'SIGUSR2')
  const counts = await waitFor('the counts', () => countsIn(file))
  const { lstat = 0, realpath = 0, open = 0, message = 0 } = counts
  const told = JSON.stringify(counts)
  assert.ok(lstat >= SEEDS && lstat <= 1.2 * SEEDS, told)
  // Looks at files of one folder share it, 64 at a time.
  assert.ok(realpath <= SEEDS / 10, told)
  assert.ok(open <= SEEDS / 10, told)
  // Rows come in pages; what was loaded goes back in batches.
  assert.ok(message <= SEEDS / 10, told)
})
