// Datagrams of the DHT: any bytes give a message, an invalid query or a DecodeError; what was decoded encodes to a
// datagram that decodes to the same; canonical datagrams survive byte by byte. Values stay within their bounds.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { type DhtQuery, decodeKrpc, encodeKrpc, type KrpcMessage, makeReply } from '../../src/wire/dht/krpc.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'

/** The message, or null for a DecodeError; anything else thrown fails the test. */
function attempt(bytes: Uint8Array): ReturnType<typeof decodeKrpc> | null {
  try {
    return decodeKrpc(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

const exactly = (source: Fuzz, count: number): Uint8Array => Uint8Array.from({ length: count }, () => source.below(256))
const maybe = <T>(source: Fuzz, make: () => T): T | null => (source.below(2) === 0 ? null : make())
const wants = [null, { n4: true, n6: false }, { n4: false, n6: true }, { n4: true, n6: true }]
const values = ['i1e', '0:', 'le', 'de', 'd1:ai1ee', 'd1:bi1e1:ai1ee', '12:Hello World!', 'lli-5eee']
const rawValue = (source: Fuzz): Uint8Array => Uint8Array.from(Buffer.from(source.pick(values)))
const seqOf = (source: Fuzz): bigint => source.pick([0n, 1n, 2n ** 53n, 2n ** 63n - 1n])
const ip4 = (source: Fuzz): string => `${1 + source.below(200)}.${source.below(256)}.1.${source.below(256)}`
const ip6 = (source: Fuzz): string => `2001:470:${(1 + source.below(60_000)).toString(16)}::1`

function somePut(source: Fuzz): DhtQuery {
  const proof = maybe(source, () => ({
    key: exactly(source, 32),
    seq: seqOf(source),
    signature: exactly(source, 64),
  }))
  const salt = proof === null ? new Uint8Array(0) : exactly(source, source.below(80))
  const cas = proof === null ? null : maybe(source, () => seqOf(source))
  return { method: 'put', token: source.bytes(20), value: rawValue(source), proof, salt, cas }
}

function someQuery(source: Fuzz): DhtQuery {
  const target = exactly(source, 20)
  const want = source.pick(wants)
  const flag = source.below(2) === 1
  return source.pick<() => DhtQuery>([
    () => ({ method: 'ping' }),
    () => ({ method: 'find_node', target, want }),
    () => ({ method: 'get_peers', infoHash: target, want, noSeed: flag, scrape: source.below(2) === 1 }),
    () => ({
      method: 'announce_peer',
      infoHash: target,
      token: source.bytes(20),
      port: 1 + source.below(65_535),
      impliedPort: flag,
      seed: source.below(2) === 1,
    }),
    () => ({ method: 'get', target, seq: maybe(source, () => seqOf(source)), want }),
    () => somePut(source),
    () => ({ method: 'sample_infohashes', target, want }),
    () => ({ method: 'other', name: source.pick(['vote', '', 'x\u00ff']), target: maybe(source, () => target), want }),
  ])()
}

function someReply(source: Fuzz): KrpcMessage {
  const node = (ip: string): { id: Uint8Array; address: { ip: string; port: number } } => ({
    id: exactly(source, 20),
    address: { ip, port: 1 + source.below(65_535) },
  })
  const list = <T>(make: () => T): T[] => Array.from({ length: source.below(9) }, make)
  return {
    kind: 'reply',
    transactionId: exactly(source, source.below(33)),
    version: maybe(source, () => exactly(source, 4)),
    seenAs: maybe(source, () => ({ ip: source.pick([ip4(source), ip6(source)]), port: 1 + source.below(65_535) })),
    reply: makeReply(exactly(source, 20), {
      nodes: maybe(source, () => list(() => node(ip4(source)))),
      nodes6: maybe(source, () => list(() => node(ip6(source)))),
      token: maybe(source, () => source.bytes(20)),
      values: maybe(source, () => list(() => ({ ip: source.pick([ip4(source), ip6(source)]), port: 7 }))),
      seedFilter: maybe(source, () => exactly(source, 256)),
      value: maybe(source, () => rawValue(source)),
      key: maybe(source, () => exactly(source, 32)),
      seq: maybe(source, () => seqOf(source)),
      samples: maybe(source, () => list(() => exactly(source, 20))),
      sampleTotal: maybe(source, () => source.below(5000)),
      sampleIntervalSec: maybe(source, () => source.below(21_601)),
    }),
  }
}

function someMessage(source: Fuzz): KrpcMessage {
  const transactionId = exactly(source, 1 + source.below(8))
  const version = maybe(source, () => exactly(source, 4))
  return source.pick<() => KrpcMessage>([
    () => ({
      kind: 'query',
      transactionId,
      version,
      id: exactly(source, 20),
      readOnly: source.below(2) === 1,
      query: someQuery(source),
    }),
    () => someReply(source),
    () => ({
      kind: 'error',
      transactionId,
      version,
      seenAs: null,
      code: source.below(400),
      message: source.pick(['', 'no', '\u00e9\u20ac']),
    }),
  ])()
}

fuzz('a message survives encode and decode, and its datagram decode and encode', 0.4, source => {
  const message = someMessage(source)
  const bytes = encodeKrpc(message)
  const decoded = decodeKrpc(bytes)
  assert.deepEqual(decoded, message)
  assert.ok(Buffer.from(bytes).equals(encodeKrpc(message)))
})

fuzz('changed and random datagrams give a value within its bounds or a DecodeError', 0.6, source => {
  const random = source.below(10) === 0
  const message = attempt(random ? source.bytes(200) : source.mutate(encodeKrpc(someMessage(source))))
  if (message === null || message.kind === 'invalid') return
  assert.ok(message.transactionId.length <= 32)
  if (message.kind === 'reply') {
    const { reply } = message
    assert.equal(reply.id.length, 20)
    assert.ok((reply.nodes?.length ?? 0) <= 32 && (reply.values?.length ?? 0) <= 256)
    for (const { address } of [...(reply.nodes ?? []), ...(reply.nodes6 ?? [])])
      assert.ok(address.port > 0 && address.port < 65_536)
    for (const node of reply.nodes6 ?? []) assert.ok(node.address.ip.includes(':'))
  }
  assert.deepEqual(decodeKrpc(encodeKrpc(message)), message)
})
