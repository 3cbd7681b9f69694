// The overlay of built nodes: it starts when it is asked to, nodes find each other over loopback, the key stays the
// same over a restart, the peers of last time are found again without the first address.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { waitFor } from '../../../kit/wait-for.ts'

interface Row {
  readonly classification: string
  readonly member: string
  readonly candidates: number
}

const RUNS = { 'ipv8.start': 'always' }

async function rows(node: NodeProcess): Promise<readonly Row[]> {
  const reply = await node.request('GET', '/statistics/communities')
  return reply.json<{ dispersy_community_statistics: Row[] }>().dispersy_community_statistics
}

async function lanAddress(node: NodeProcess): Promise<string> {
  const reply = await node.request('GET', '/statistics/dispersy')
  return reply.json<{ dispersy_statistics: { lan_address: string } }>().dispersy_statistics.lan_address
}

async function hasPeers(node: NodeProcess, count: number): Promise<boolean> {
  return (await rows(node)).some(row => row.classification === 'DiscoveryCommunity' && row.candidates >= count)
}

async function overlayRuns(node: NodeProcess): Promise<void> {
  await waitFor('the overlay runs', async () =>
    (await rows(node)).some(row => row.classification === 'DiscoveryCommunity'),
  )
}

test('nodes find each other by one address, and again after a restart; who they are does not change', async t => {
  const dirs = await Promise.all(Array.from({ length: 2 }, () => mkdtemp(join(os.tmpdir(), 'tributary-overlay-'))))
  t.after(() => Promise.all(dirs.map(dir => rm(dir, { recursive: true, force: true }))))
  const [firstDir = '', secondDir = ''] = dirs
  const first = await startNode({ stateDir: firstDir, settings: RUNS })
  t.after(() => first.stop())
  await overlayRuns(first)
  const address = await lanAddress(first)
  assert.match(address, /^127\.0\.0\.1:\d+$/)
  const second = await startNode({ stateDir: secondDir, settings: { ...RUNS, 'ipv8.bootstrap_override': address } })
  t.after(() => second.stop())
  await waitFor('both have a peer', async () => (await hasPeers(first, 1)) && (await hasPeers(second, 1)))
  const member = (await rows(second))[0]?.member
  const key = await readFile(join(secondDir, 'overlay-key'), 'utf8')
  assert.match(key, /^4c69624e61434c534b3a[0-9a-f]{128}\n$/)
  assert.equal((await stat(join(secondDir, 'overlay-key'))).mode & 0o777, 0o600)
  await second.stop()
  const again = await startNode({ stateDir: secondDir, settings: RUNS })
  t.after(() => again.stop())
  await waitFor('the first is known from last time', () => hasPeers(again, 1))
  assert.equal((await rows(again))[0]?.member, member)
  assert.equal(await readFile(join(secondDir, 'overlay-key'), 'utf8'), key)
})

test('a node that nobody asked for circuits runs no overlay, and one that may not does not either', async t => {
  const idle = await startNode({})
  t.after(() => idle.stop())
  assert.deepEqual(await rows(idle), [])
  await assert.rejects(stat(join(idle.stateDir, 'overlay-key')))
  const forbidden = await startNode({ settings: { ...RUNS, 'ipv8.enabled': false } })
  t.after(() => forbidden.stop())
  assert.deepEqual(await rows(forbidden), [])
})
