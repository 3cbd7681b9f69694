// The DHT as the engine uses it, in small networks: peers, seeds, items, samples, both families, ids, saved tables.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, infoHashFromBytes, type PeerAddress } from '../../../src/base/ids.ts'
import { DhtNode, type PeerSource } from '../../../src/dht/node.ts'
import { signItem } from '../../../src/dht/one-lookup.ts'
import type { PeerSearchOptions } from '../../../src/dht/peer-search.ts'
import { defaultDhtOptions } from '../../../src/dht/types.ts'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import { idFitsAddress, idFromKey } from '../../../src/wire/dht/dht-id.ts'
import { DhtNetwork, type NetworkNode } from '../../kit/sim/dht-network.ts'

const hashOf = (byte: number): InfoHash => infoHashFromBytes(new Uint8Array(20).fill(byte))
const text = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value, 'latin1'))
const look: PeerSearchOptions = { announcePort: null, seed: false, impliedPort: false }

/** A search whose peers are kept as `ip:port`. */
function search(node: NetworkNode, infoHash: InfoHash, options = look): { found: Set<string>; source: PeerSource } {
  const found = new Set<string>()
  const onPeers = (peers: readonly PeerAddress[]): void => {
    for (const { ip, port } of peers) found.add(`${ip}:${port}`)
  }
  return { found, source: node.dht.peers(infoHash, options, onPeers) }
}

/** Lets time pass until the promise is settled. */
async function settled<T>(network: DhtNetwork, promise: Promise<T>): Promise<T> {
  let over = false
  const end = (): void => {
    over = true
  }
  promise.then(end, end)
  await network.clock.until('the promise is settled', () => over, 60_000)
  return promise
}

function nodeAt(network: DhtNetwork, index: number): NetworkNode {
  const node = network.nodes[index]
  assert.ok(node !== undefined)
  return node
}

test('what one node announces, others find; closed searches announce no more; a scrape counts', async () => {
  const network = new DhtNetwork(31)
  await network.grow(20, 30_000)
  const hash = hashOf(1)
  const seed = search(nodeAt(network, 3), hash, { announcePort: 5001, seed: true, impliedPort: false })
  const leecher = search(nodeAt(network, 4), hash, { announcePort: 1, seed: false, impliedPort: true })
  await network.clock.advance(20_000)
  const { found, source } = search(nodeAt(network, 9), hash)
  await network.clock.advance(20_000)
  const [first, second] = [nodeAt(network, 3).address.ip, nodeAt(network, 4).address.ip]
  assert.deepEqual(found, new Set([`${first}:5001`, `${second}:6881`]))
  const estimate = await settled(network, nodeAt(network, 11).dht.scrape(hash))
  assert.deepEqual([estimate.seeds, estimate.peers], [1, 1])
  assert.ok(estimate.nodes >= 4, `${estimate.nodes} nodes told`)
  const samples = await settled(network, nodeAt(network, 12).dht.sample(new Uint8Array(20).fill(1)))
  assert.deepEqual(samples.infoHashes, [hash])
  // A peer that is gone is forgotten after 45 minutes; one that stays is announced again.
  seed.source.close()
  source.close()
  leecher.source.update({ seed: true })
  await network.clock.advance(62 * 60_000)
  const later = search(nodeAt(network, 9), hash)
  await network.clock.advance(20_000)
  assert.deepEqual(later.found, new Set([`${second}:6881`]))
  const again = await settled(network, nodeAt(network, 11).dht.scrape(hash))
  assert.deepEqual([again.seeds, again.peers], [1, 0])
  await network.close()
  assert.equal(network.clock.pending, 0)
})

test('items are stored, found, and go forward only', async () => {
  const network = new DhtNetwork(32)
  await network.grow(20, 30_000)
  const [writer, reader] = [nodeAt(network, 5).dht, nodeAt(network, 15).dht]
  const value = text('d3:key5:valuee')
  const none = { proof: null, salt: new Uint8Array(0), cas: null }
  const plain = await settled(network, writer.putItem({ value, ...none }))
  assert.ok(plain.stored >= 6, `stored ${plain.stored} times`)
  assert.deepEqual((await settled(network, reader.getItem({ target: plain.target })))?.value, value)
  assert.equal(await settled(network, reader.getItem({ target: new Uint8Array(20) })), null)
  const seed = new Uint8Array(32).fill(3)
  const key = nodeEd25519.publicKey(seed)
  const salt = text('news')
  const put = (seq: bigint, word: string, cas: bigint | null = null) => {
    const item = { value: text(word), salt, seq }
    return settled(network, writer.putItem({ value: item.value, salt, cas, proof: signItem(nodeEd25519, seed, item) }))
  }
  assert.ok((await put(1n, '3:one')).stored >= 6)
  assert.ok((await put(2n, '3:two')).stored >= 6)
  const found = await settled(network, reader.getItem({ key, salt }))
  assert.deepEqual([found?.value, found?.proof?.seq], [text('3:two'), 2n])
  assert.ok((found?.copies ?? 0) >= 4, `${found?.copies} copies`)
  const old = await put(1n, '3:one')
  assert.equal(old.newer?.proof?.seq, 2n)
  assert.ok(old.errors.includes(302), `${old.errors}`)
  assert.ok((await put(3n, '3:six', 1n)).errors.includes(301))
  assert.ok((await put(3n, '3:six', 2n)).stored >= 6)
  assert.equal(await settled(network, reader.getItem({ key, salt: text('other') })), null)
  await assert.rejects(writer.putItem({ value: new Uint8Array(1001), ...none }), RangeError)
  await network.close()
})

test('IPv6 is a network of its own, and a node of both networks brings them together', async () => {
  const network = new DhtNetwork(33)
  for (let i = 0; i < 10; i++) network.add({ address: network.freshAddress6() })
  for (let i = 0; i < 10; i++) network.add()
  const [address4, address6] = [network.freshAddress(), network.freshAddress6()]
  const { clock, random, hub } = network
  const socket4 = hub.attach(address4, (bytes, from) => void both.receive(4, bytes, from))
  const socket6 = hub.attach(address6, (bytes, from) => void both.receive(6, bytes, from))
  const first6 = nodeAt(network, 0).address
  const both: DhtNode = new DhtNode(
    { ...defaultDhtOptions, bootstrap: [{ host: first6.ip, port: first6.port }] },
    {
      clock,
      random,
      resolver: { resolve: () => Promise.reject(new Error('no such name')) },
      ed25519: nodeEd25519,
      senders: { 4: socket4, 6: socket6 },
    },
    null,
  )
  both.start()
  both.addNode(nodeAt(network, 10).address)
  await clock.advance(60_000)
  const stats = both.stats()
  assert.ok((stats[4]?.good ?? 0) >= 5, `${stats[4]?.good} of IPv4`)
  assert.ok((stats[6]?.good ?? 0) >= 5, `${stats[6]?.good} of IPv6`)
  const hash = hashOf(2)
  const announced = both.peers(hash, { announcePort: 7001, seed: false, impliedPort: false }, () => undefined)
  await clock.advance(20_000)
  const four = search(nodeAt(network, 15), hash)
  const six = search(nodeAt(network, 5), hash)
  await clock.advance(20_000)
  assert.deepEqual(four.found, new Set([`${address4.ip}:7001`]))
  assert.deepEqual(six.found, new Set([`${address6.ip}:7001`]))
  // The IPv6 socket goes: nothing leaves by it any more, the other network goes on.
  both.useSender(6, null)
  const sent = socket6.sentDatagrams
  await clock.advance(600_000)
  assert.equal(socket6.sentDatagrams, sent)
  assert.equal(both.stats()[6], null)
  assert.ok((both.stats()[4]?.good ?? 0) >= 5)
  announced.close()
  both.stop()
  await network.close()
  assert.equal(clock.pending, 0)
})

test('a node whose id does not fit takes one that does, once enough others say where it is', async () => {
  const network = new DhtNetwork(34)
  await network.grow(20, 30_000)
  const newcomer = network.add({ saved: null })
  const first = newcomer.dht.exportState()[4]?.id
  await network.clock.advance(60_000)
  const stats = newcomer.dht.stats()[4]
  assert.equal(stats?.externalIp, newcomer.address.ip)
  assert.notEqual(stats?.id, first)
  const id = idFromKey(stats?.id ?? '')
  assert.ok(id !== null && idFitsAddress(id, newcomer.address.ip))
  assert.ok((stats?.good ?? 0) >= 8)
  await network.close()
})

test('a saved table is enough to come back, also when the first contacts are gone', async () => {
  const network = new DhtNetwork(35)
  await network.grow(20, 30_000)
  const node = nodeAt(network, 7)
  const saved = node.dht.exportState()
  assert.ok((saved[4]?.nodes.length ?? 0) >= 8)
  node.stop()
  await network.clock.advance(1000)
  const address = node.address
  const back = network.add({ address, saved: structuredClone(saved), options: { bootstrap: [] } })
  await network.clock.advance(10_000)
  const stats = back.dht.stats()
  assert.equal(stats[4]?.id, saved[4]?.id)
  assert.ok(stats.good >= 8, `${stats.good} good nodes`)
  const broken = { id: 'x', nodes: [{ id: 'y', ip: 'z', port: -1 }, ...(saved[4]?.nodes ?? []).slice(0, 1)] }
  const other = network.add({ saved: { 4: broken, 6: null }, options: { bootstrap: [] } })
  await network.clock.advance(20_000)
  assert.ok(other.dht.stats().good >= 1)
  await network.close()
})

test('a search that begins before the network is reached succeeds soon after', async () => {
  const network = new DhtNetwork(36)
  await network.grow(12, 20_000)
  const hash = hashOf(3)
  search(nodeAt(network, 2), hash, { announcePort: 5002, seed: false, impliedPort: false })
  await network.clock.advance(20_000)
  const alone = network.add({ options: { bootstrap: [] } })
  const { found } = search(alone, hash)
  await network.clock.advance(30_000)
  assert.equal(found.size, 0)
  alone.dht.addNode(nodeAt(network, 0).address)
  await network.clock.advance(90_000)
  assert.deepEqual(found, new Set([`${nodeAt(network, 2).address.ip}:5002`]))
  await network.close()
})

test('stopping settles what waits', async () => {
  const network = new DhtNetwork(37)
  await network.grow(12, 20_000)
  const { dht } = nodeAt(network, 4)
  const pending = [dht.scrape(hashOf(4)), dht.getItem({ target: new Uint8Array(20) })]
  await network.clock.advance(15)
  dht.stop()
  const [estimate, item] = await Promise.all(pending)
  assert.deepEqual(estimate, { seeds: 0, peers: 0, nodes: 0 })
  assert.equal(item, null)
  assert.equal(dht.receive(4, text('d1:t2:aae'), { ip: '1.1.1.1', port: 1 }), false)
  await network.close()
  assert.equal(network.clock.pending, 0)
})
