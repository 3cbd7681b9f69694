// A DHT node that is sent anything by anybody: it never throws, answers a datagram with one answer at most (and a ping
// of its own), and no answer is larger than it may be.

import assert from 'node:assert/strict'
import type { PeerAddress } from '../../src/base/ids.ts'
import { DhtNode } from '../../src/dht/node.ts'
import { defaultDhtOptions } from '../../src/dht/types.ts'
import { decodeKrpc, encodeKrpc, type KrpcMessage, looksLikeKrpc, makeReply } from '../../src/wire/dht/krpc.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { VirtualClock } from '../kit/sim/virtual-clock.ts'

const ID = new Uint8Array(20).fill(0x61)
const TARGET = new Uint8Array(20).fill(0x62)
const token = new Uint8Array(8)
const proof = { key: new Uint8Array(32), seq: 1n, signature: new Uint8Array(64) }
const value = Uint8Array.from(Buffer.from('2:hi'))

const query = (query: Extract<KrpcMessage, { kind: 'query' }>['query']): Uint8Array =>
  encodeKrpc({ kind: 'query', transactionId: Uint8Array.of(1, 2), version: null, id: ID, readOnly: false, query })

const SEEDS = [
  query({ method: 'ping' }),
  query({ method: 'find_node', target: TARGET, want: { n4: true, n6: true } }),
  query({ method: 'get_peers', infoHash: TARGET, want: null, noSeed: true, scrape: true }),
  query({ method: 'announce_peer', infoHash: TARGET, token, port: 1, impliedPort: true, seed: true }),
  query({ method: 'get', target: TARGET, seq: 1n, want: null }),
  query({ method: 'put', token, value, proof, salt: TARGET, cas: 1n }),
  query({ method: 'sample_infohashes', target: TARGET, want: null }),
  encodeKrpc({
    kind: 'reply',
    transactionId: Uint8Array.of(0, 0, 0, 0),
    version: null,
    seenAs: { ip: '1.2.3.4', port: 5 },
    reply: makeReply(ID, { nodes: [{ id: TARGET, address: { ip: '5.6.7.8', port: 9999 } }], token }),
  }),
]

function someAddress(source: Fuzz): PeerAddress {
  const ip = source.pick(['1.2.3.4', '5.6.7.8', '127.0.0.1', '10.0.0.1', `9.${source.below(256)}.1.1`])
  return { ip, port: 1 + source.below(65_535) }
}

fuzz('any datagrams', 1, source => {
  const sent: Uint8Array[] = []
  const clock = new VirtualClock()
  const deps = {
    clock,
    random: new SeededRandom(source.below(1000)),
    resolver: { resolve: () => Promise.resolve([]) },
    ed25519: {
      verify: () => source.below(2) === 0,
      sign: () => new Uint8Array(64),
      publicKey: () => new Uint8Array(32),
    },
    senders: { 4: { send: (bytes: Uint8Array) => void sent.push(bytes) }, 6: null },
  }
  const node = new DhtNode({ ...defaultDhtOptions, bootstrap: [] }, deps, null)
  node.start()
  for (let i = 0; i < 5; i++) {
    const before = sent.length
    const seed = source.pick(SEEDS)
    const bytes = source.below(2) === 0 ? seed : source.mutate(seed)
    assert.equal(node.receive(4, bytes, someAddress(source)), looksLikeKrpc(bytes))
    const answers = sent.slice(before).filter(answer => decodeKrpc(answer).kind !== 'query')
    assert.ok(answers.length <= 1 && sent.length - before <= 2, `${sent.length - before} datagrams for one`)
    for (const answer of answers) assert.ok(answer.length <= 1400, `${answer.length} bytes`)
  }
  node.stats()
  node.stop()
})
