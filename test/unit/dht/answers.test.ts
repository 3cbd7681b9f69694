// What one node answers to queries sent by hand: BEP 5, 32, 33, 42, 43, 44 with its vectors, 51; sizes, errors, limits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_ANSWER_BYTES } from '../../../src/dht/answers.ts'
import { ANSWER_BURST, ANSWERS_PER_ADDRESS } from '../../../src/dht/rate-limit.ts'
import { filterCount } from '../../../src/wire/dht/dht-filter.ts'
import { immutableTarget, mutableTarget } from '../../../src/wire/dht/dht-item.ts'
import { DHT_ERRORS, type DhtQuery, encodeKrpc } from '../../../src/wire/dht/krpc.ts'
import { DhtClient } from './dht-client.ts'
import { DhtNetwork } from '../../kit/sim/dht-network.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const text = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value, 'latin1'))
const HASH = bytes('aa'.repeat(20))
const NO_SALT = new Uint8Array(0)
const getPeers = { method: 'get_peers', infoHash: HASH, want: null, noSeed: false, scrape: false } as const

/** A network of a few nodes, and somebody who asks the first one. */
async function rig(seed: number) {
  const network = new DhtNetwork(seed)
  await network.grow(12, 20_000)
  const node = network.nodes[0]
  assert.ok(node !== undefined)
  const client = new DhtClient(network, { ip: '200.1.1.1', port: 4000 })
  return { network, node, client, to: node.address }
}

function announceOf(
  token: Uint8Array | null,
  port: number,
  rest: { impliedPort?: boolean; seed?: boolean } = {},
): DhtQuery {
  return {
    method: 'announce_peer',
    infoHash: HASH,
    token: token ?? new Uint8Array(0),
    port,
    impliedPort: rest.impliedPort ?? false,
    seed: rest.seed ?? false,
  }
}

test('ping, find_node, and peers that were announced with a token', async () => {
  const { network, client, to } = await rig(1)
  const pong = await client.reply(to, { method: 'ping' })
  const found = await client.reply(to, { method: 'find_node', target: pong.id, want: null })
  assert.equal(found.nodes?.length, 8)
  assert.equal(found.nodes6, null)
  const empty = await client.reply(to, getPeers)
  assert.equal(empty.values, null)
  assert.equal(empty.nodes?.length, 8)
  assert.equal(await client.errorCode(to, announceOf(text('rubbish!'), 7000)), DHT_ERRORS.protocol)
  await client.reply(to, announceOf(empty.token, 7000))
  assert.deepEqual((await client.reply(to, getPeers)).values, [{ ip: '200.1.1.1', port: 7000 }])
  await client.reply(to, announceOf(empty.token, 1, { impliedPort: true }))
  assert.deepEqual((await client.reply(to, getPeers)).values, [{ ip: '200.1.1.1', port: 4000 }])
  const other = new DhtClient(network, { ip: '200.1.1.2', port: 4000 })
  assert.equal(
    await other.errorCode(to, announceOf(empty.token, 7000)),
    DHT_ERRORS.protocol,
    'a token of another address',
  )
  await network.close()
})

test('scrape filters and samples', async () => {
  const { network, client, to } = await rig(2)
  const scrape = { ...getPeers, scrape: true, noSeed: true } as const
  const nothing = await client.reply(to, scrape)
  assert.equal(nothing.seedFilter, null)
  for (let host = 1; host <= 150; host++) {
    const peer = new DhtClient(network, { ip: `201.${host}.1.1`, port: 4000 })
    const { token } = await peer.reply(to, getPeers)
    await peer.reply(to, announceOf(token, 7000, { seed: host <= 20 }))
  }
  const reply = await client.reply(to, scrape)
  assert.ok(client.lastBytes <= MAX_ANSWER_BYTES, `${client.lastBytes} bytes`)
  assert.ok(reply.seedFilter !== null && reply.peerFilter !== null)
  const [seeds, peers] = [filterCount(reply.seedFilter), filterCount(reply.peerFilter)]
  assert.ok(Math.abs(seeds - 20) < 4 && Math.abs(peers - 130) < 15, `${seeds} seeds, ${peers} peers`)
  assert.ok(reply.values !== null && reply.values.length > 5)
  for (const { ip } of reply.values) assert.ok(Number(ip.split('.')[1]) > 20, `${ip} is a seed`)
  const plain = await client.reply(to, { ...scrape, scrape: false, want: { n4: true, n6: true } })
  assert.ok(client.lastBytes <= MAX_ANSWER_BYTES && (plain.values?.length ?? 0) > 40, `${plain.values?.length}`)
  const sampled = await client.reply(to, { method: 'sample_infohashes', target: HASH, want: null })
  assert.deepEqual(sampled.samples, [HASH])
  assert.equal(sampled.sampleTotal, 1)
  assert.ok(sampled.sampleIntervalSec !== null)
  await network.close()
})

test('items: the vectors of BEP 44 are stored and given back', async () => {
  const { network, client, to } = await rig(3)
  const value = text('12:Hello World!')
  const key = bytes('77ff84905a91936367c01360803104f92432fcd904a43511876df5cdf3e7e548')
  const plain = bytes(
    '305ac8aeb6c9c151fa120f120ea2cfb923564e11552d06a5d856091e5e853cff' +
      '1260d3f39e4999684aa92eb73ffd136e6f4f3ecbfda0ce53a1608ecd7ae21f01',
  )
  const salted = bytes(
    '6834284b6b24c3204eb2fea824d82f88883a3d95e8b4a21b8c0ded553d17d17d' +
      'df9a8a7104b1258f30bed3787e6cb896fca78c58f8e03b5f18f14951a87d9a08',
  )
  const cases = [
    { target: immutableTarget(value), proof: null, salt: NO_SALT },
    { target: mutableTarget(key, NO_SALT), proof: { key, seq: 1n, signature: plain }, salt: NO_SALT },
    { target: mutableTarget(key, text('foobar')), proof: { key, seq: 1n, signature: salted }, salt: text('foobar') },
  ]
  for (const { target, proof, salt } of cases) {
    const get = { method: 'get', target, seq: null, want: null } as const
    const before = await client.reply(to, get)
    assert.ok(before.value === null && before.token !== null)
    await client.reply(to, { method: 'put', token: before.token, value, proof, salt, cas: null })
    const after = await client.reply(to, get)
    assert.deepEqual(after.value, value)
    const given = [proof?.key ?? null, proof?.seq ?? null, proof?.signature ?? null]
    assert.deepEqual([after.key, after.seq, after.signature], given)
    assert.equal(after.nodes?.length, 8)
    if (proof === null) continue
    const newer = await client.reply(to, { ...get, seq: 1n })
    assert.deepEqual([newer.seq, newer.value, newer.key], [1n, null, null], 'nothing newer than what is known')
  }
  await network.close()
})

test('items: what is refused, and with which code', async () => {
  const { network, client, to } = await rig(4)
  const key = bytes('77ff84905a91936367c01360803104f92432fcd904a43511876df5cdf3e7e548')
  const proof = { key, seq: 1n, signature: new Uint8Array(64) }
  const tokenFor = async (target: Uint8Array): Promise<Uint8Array> =>
    (await client.reply(to, { method: 'get', target, seq: null, want: null })).token ?? new Uint8Array(0)
  const token = await tokenFor(mutableTarget(key, NO_SALT))
  const put = { method: 'put', token, value: text('i1e'), proof, salt: NO_SALT, cas: null } as const
  const big = text(`998:${'x'.repeat(998)}`)
  assert.equal(await client.errorCode(to, { ...put, value: big }), DHT_ERRORS.valueTooBig)
  assert.equal(await client.errorCode(to, { ...put, salt: new Uint8Array(65) }), DHT_ERRORS.saltTooBig)
  assert.equal(await client.errorCode(to, { ...put, token: text('rubbish!') }), DHT_ERRORS.protocol)
  assert.equal(await client.errorCode(to, { ...put, proof: null }), DHT_ERRORS.protocol, 'a token for another target')
  assert.equal(await client.errorCode(to, put), DHT_ERRORS.badSignature)
  const largest = text(`996:${'x'.repeat(996)}`)
  const where = immutableTarget(largest)
  await client.reply(to, { ...put, value: largest, proof: null, token: await tokenFor(where) })
  const found = await client.reply(to, { method: 'get', target: where, seq: null, want: null })
  assert.deepEqual(found.value, largest)
  assert.ok(client.lastBytes <= 1400, `${client.lastBytes} bytes`)
  await network.close()
})

test('unknown methods, wrong arguments and rubbish', async () => {
  const { network, client, to } = await rig(5)
  const vote = { method: 'other', name: 'vote', target: null, want: null } as const
  assert.equal(await client.errorCode(to, vote), DHT_ERRORS.unknownMethod)
  assert.equal((await client.reply(to, { ...vote, target: HASH })).nodes?.length, 8)
  const invalid = await client.sendRaw(to, text('d1:ad2:id3:abce1:q4:ping1:t2:aa1:y1:qe'))
  assert.ok(invalid?.kind === 'error' && invalid.code === DHT_ERRORS.protocol)
  for (const rubbish of ['d1:t2:aae', 'd4:spam', 'dle', 'd1:t2:aa1:y1:rde'])
    assert.equal(await client.sendRaw(to, text(`${rubbish}e`)), null)
  await network.close()
})

test('a flood from one address is answered no more than the limit allows, others are answered all the same', async () => {
  const { network, client, to } = await rig(6)
  await network.clock.advance(10_000)
  const ping = encodeKrpc({
    kind: 'query',
    transactionId: text('aa'),
    version: null,
    id: client.id,
    readOnly: true,
    query: { method: 'ping' },
  })
  const seconds = 5
  for (let round = 0; round < seconds * 10; round++) {
    for (let i = 0; i < 50; i++) network.hub.deliver(ping, client.address, to)
    await network.clock.advance(100)
  }
  await network.clock.advance(100)
  const most = ANSWER_BURST + (seconds + 1) * ANSWERS_PER_ADDRESS
  assert.ok(
    client.received.length >= ANSWER_BURST && client.received.length <= most,
    `${client.received.length} answers`,
  )
  const other = new DhtClient(network, { ip: '202.1.1.1', port: 4000 })
  await other.reply(to, { method: 'ping' })
  await network.close()
})

test('a read-only node answers nobody and says so in its queries', async () => {
  const { network, client } = await rig(7)
  const quiet = network.add({ options: { readOnly: true } })
  await network.clock.advance(20_000)
  assert.equal(await client.ask(quiet.address, { method: 'ping' }), null)
  assert.ok(quiet.dht.stats().good > 5)
  for (const { dht } of network.nodes)
    assert.ok(
      !(dht.exportState()[4]?.nodes ?? []).some(node => node.ip === quiet.address.ip),
      'it is in a routing table',
    )
  quiet.dht.setReadOnly(false)
  assert.equal((await client.ask(quiet.address, { method: 'ping' }))?.kind, 'reply')
  await network.close()
  assert.equal(network.clock.pending, 0)
})
