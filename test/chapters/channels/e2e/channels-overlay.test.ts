// The overlay that channels open when they are first asked for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { waitFor } from '../../../kit/wait-for.ts'

interface Row {
  readonly classification: string
}

async function rows(node: NodeProcess): Promise<readonly Row[]> {
  const reply = await node.request('GET', '/statistics/communities')
  return reply.json<{ dispersy_community_statistics: Row[] }>().dispersy_community_statistics
}

test('channels open an overlay of their own, and not the one of circuits', async t => {
  const node = await startNode({})
  t.after(() => node.stop())
  assert.deepEqual(await rows(node), [])
  await node.get('/channels/discovered')
  await waitFor('the overlay of channels runs', async () =>
    (await rows(node)).some(row => row.classification === 'ChannelCommunity'),
  )
  assert.deepEqual(
    (await rows(node)).map(row => row.classification),
    ['DiscoveryCommunity', 'DHTCommunity', 'ChannelCommunity'],
  )
})
