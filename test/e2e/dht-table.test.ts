// The DHT's table outlives the node: a node that was in the network finds it again at the next start, without bootstrap
// nodes. And what the settings say: no DHT, or one that answers no queries.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeKrpc } from '../../src/wire/dht/krpc.ts'
import { idKey } from '../../src/wire/dht/dht-id.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { type RealDhtNode, settled, startDhtNode } from '../kit/peers/real-dht.ts'
import { waitFor } from '../kit/wait-for.ts'

const NODES = 10
/** Nobody is there. */
const NOBODY = '127.0.0.1:9'

describe('the DHT of a built node', { concurrency: 1 }, () => {
  const dht: RealDhtNode[] = []
  /** Ids of strangers, by the nodes they asked something; read-only ones apart. */
  const askers = new Map<string, Set<number>>()
  const shy = new Set<string>()
  let folder: TestFolder

  const hear = (at: number, bytes: Uint8Array): void => {
    const message = decodeKrpc(bytes)
    if (message.kind !== 'query') return
    const id = idKey(message.id)
    askers.set(id, (askers.get(id) ?? new Set()).add(at))
    if (message.readOnly) shy.add(id)
  }
  const strangers = (): string[] => {
    const own = new Set(dht.map(node => node.dht.stats()[4]?.id))
    return [...askers.keys()].filter(id => !own.has(id))
  }
  const bootstrap = (): string => {
    const first = dht[0]?.address
    return `${first?.ip}:${first?.port}`
  }
  /** Waits for a stranger that has asked at least half of the nodes. */
  const busyStranger = (): Promise<string> =>
    waitFor('a node that asks many', () => strangers().find(id => (askers.get(id)?.size ?? 0) >= NODES / 2), 20_000)

  before(async () => {
    folder = await makeTestFolder()
    for (let at = 0; at < NODES; at++) {
      const contacts = dht.slice(0, 3).map(node => node.address)
      dht.push(await startDhtNode('127.0.0.1', contacts, {}, bytes => hear(at, bytes)))
    }
    await settled(dht, NODES - 1)
  })
  after(async () => {
    for (const node of dht) await node.stop()
    await folder?.remove()
  })

  test('its table is used at the next start', { timeout: 90_000 }, async () => {
    const stateDir = await folder.sub('state')
    const settings = { 'libtorrent.dht': true, 'libtorrent.dht_bootstrap': bootstrap() }
    const first = await startNode({ stateDir, settings })
    const id = await busyStranger()
    await waitFor('a place in tables', () => dht.filter(node => knows(node, id)).length >= NODES / 2)
    assert.equal((await first.stop()).code, 0)
    askers.clear()
    const second = await startNode({ stateDir, settings: { ...settings, 'libtorrent.dht_bootstrap': NOBODY } })
    try {
      assert.equal(await busyStranger(), id, 'it kept its id')
    } finally {
      await second.stop()
    }
  })

  test('a read-only node says so, and nobody keeps it', { timeout: 60_000 }, async () => {
    askers.clear()
    const node = await startNode({
      settings: {
        'libtorrent.dht': true,
        'libtorrent.dht_read_only': true,
        'libtorrent.dht_bootstrap': bootstrap(),
      },
    })
    try {
      const id = await busyStranger()
      assert.ok(shy.has(id))
      assert.ok(!dht.some(one => knows(one, id)))
    } finally {
      await node.stop()
    }
  })

  test('without DHT nobody is asked', { timeout: 60_000 }, async () => {
    askers.clear()
    const without = await startNode({ settings: { 'libtorrent.dht': false, 'libtorrent.dht_bootstrap': bootstrap() } })
    const other = await startNode({ settings: { 'libtorrent.dht': true, 'libtorrent.dht_bootstrap': bootstrap() } })
    try {
      await busyStranger()
      assert.equal(strangers().length, 1)
    } finally {
      await without.stop()
      await other.stop()
    }
  })
})

function knows(node: RealDhtNode, id: string): boolean {
  return (node.dht.exportState()[4]?.nodes ?? []).some(one => one.id === id)
}
