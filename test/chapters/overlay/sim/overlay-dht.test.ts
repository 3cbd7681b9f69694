// The overlay's DHT among thirty nodes on a line that loses packets: values, signed and unsigned, peers by the hash of
// their key.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMUNITY_IDS } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import { fakeIdentity } from '../kit/fake-keys.ts'
import { type OverlayNode, OverlayNetwork } from '../kit/overlay-network.ts'

async function grown(seed: number, count: number, lossPerMille: number): Promise<OverlayNetwork> {
  const network = new OverlayNetwork(seed, { lossPerMille })
  await network.grow(count, 90_000)
  return network
}

function node(network: OverlayNetwork, at: number): OverlayNode {
  const found = network.nodes[at]
  assert.ok(found !== undefined)
  return found
}

async function within<T>(network: OverlayNetwork, work: Promise<T>, limitMs = 60_000): Promise<T> {
  let result: { readonly value: T } | null = null
  void work.then(value => {
    result = { value }
  })
  await network.clock.until('the work is done', () => result !== null, limitMs)
  return (result as unknown as { readonly value: T }).value
}

const text = (data: Uint8Array): string => Buffer.from(data).toString()

test('what one of thirty stores each other finds, with loss and without the one who stored', async () => {
  const network = await grown(3, 30, 50)
  const key = Buffer.alloc(20, 7)
  const storer = node(network, 3)
  const stored = await within(network, storer.overlays.dht.store(key, Buffer.from('here')))
  assert.ok(stored >= 5, String(stored))
  assert.ok((await within(network, storer.overlays.dht.store(key, Buffer.from('mine'), { signed: true }))) >= 5)
  await network.kill(storer)
  for (const at of [0, 5, 11, 28]) {
    const found = await within(network, node(network, at).overlays.dht.find(key))
    assert.deepEqual(found.map(value => text(value.data)).sort(), ['here', 'mine'])
    const signed = found.find(value => value.publicKey !== null)
    assert.deepEqual(signed?.publicKey, fakeIdentity(storer.name).publicKey)
  }
  assert.deepEqual(await within(network, node(network, 2).overlays.dht.find(Buffer.alloc(20, 9))), [])
  await network.close()
})

test('the newest of what a key signs is found; values of different nodes stand side by side; what is too large is not stored', async () => {
  const network = await grown(5, 20, 0)
  const key = Buffer.alloc(20, 1)
  const [a, b] = [node(network, 4), node(network, 9)]
  await within(network, a.overlays.dht.store(key, Buffer.from('old'), { signed: true }))
  await network.clock.advance(5_000)
  await within(network, a.overlays.dht.store(key, Buffer.from('new'), { signed: true }))
  await within(network, b.overlays.dht.store(key, Buffer.from('other'), { signed: true }))
  for (let i = 0; i < 20; i++) await within(network, b.overlays.dht.store(key, Buffer.from(`point ${i}`)))
  const found = (await within(network, node(network, 15).overlays.dht.find(key))).map(value => text(value.data))
  assert.ok(found.includes('new') && found.includes('other') && !found.includes('old'))
  // Answers have eight values; the rest is asked for page by page.
  assert.equal(found.length, 22)
  assert.equal(await within(network, a.overlays.dht.store(key, Buffer.alloc(170))), 0)
  await network.close()
})

test('each node is stored under its mid, and is found and reached by that', async () => {
  const network = await grown(17, 30, 30)
  await network.clock.until('all are stored', () => network.nodes.every(each => each.overlays.dhtStats.storedAt >= 4))
  for (const [from, to] of [
    [1, 25],
    [29, 2],
  ] as const) {
    const wanted = node(network, to)
    const found = await within(network, node(network, from).overlays.dht.connect(fakeIdentity(wanted.name).mid))
    assert.deepEqual(found?.address, wanted.address)
    assert.deepEqual(found?.publicKey, fakeIdentity(wanted.name).publicKey)
  }
  assert.equal(await within(network, node(network, 0).overlays.dht.connect(fakeIdentity('nobody').mid)), null)
  await network.close()
})

test('a node alone finds nothing and stores for itself; a stopped one ends what is under way', async () => {
  const network = new OverlayNetwork(2)
  const alone = await network.add()
  assert.equal(await within(network, alone.overlays.dht.store(Buffer.alloc(20, 3), Buffer.from('x'))), 0)
  assert.deepEqual(
    (await within(network, alone.overlays.dht.find(Buffer.alloc(20, 3)))).map(value => text(value.data)),
    ['x'],
  )
  await network.grow(5)
  const work = alone.overlays.dht.find(Buffer.alloc(20, 4))
  await alone.stop()
  assert.deepEqual(await work, [])
  assert.equal(
    alone.overlays.rows().find(row => row.id === COMMUNITY_IDS.dht),
    undefined,
  )
  await network.close()
})

test('nodes behind NATs find each other, what they store, and themselves: they are punctured for each other', async () => {
  const network = new OverlayNetwork(23)
  await network.add()
  for (let i = 0; i < 15; i++) await network.add({ natted: true })
  await network.clock.until(
    'all have peers',
    () => network.nodes.every(each => each.overlays.rows().every(row => row.peers >= 10)),
    300_000,
  )
  const key = Buffer.alloc(20, 5)
  assert.ok((await within(network, node(network, 3).overlays.dht.store(key, Buffer.from('here')))) >= 5)
  const late = await network.add({ natted: true })
  await network.clock.until('it knows somebody', () => late.overlays.dhtStats.nodes >= 3, 60_000)
  assert.equal(text((await within(network, late.overlays.dht.find(key)))[0]?.data ?? new Uint8Array(0)), 'here')
  const wanted = node(network, 9)
  const found = await within(network, late.overlays.dht.connect(fakeIdentity(wanted.name).mid))
  assert.deepEqual(found?.address, wanted.address)
  await network.close()
})
