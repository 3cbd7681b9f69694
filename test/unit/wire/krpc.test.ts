// Datagrams of the DHT: the example packets of BEP 5 byte by byte, the fields of the later ones, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { decodeKrpc, encodeKrpc, type KrpcMessage, looksLikeKrpc, makeReply } from '../../../src/wire/dht/krpc.ts'

const text = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value, 'latin1'))
const shown = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

const ASKER = text('abcdefghij0123456789')
const OTHER = text('mnopqrstuvwxyz123456')
const aa = text('aa')

/** The message in the packet, which is also what the message encodes to. */
function both(packet: string, message: KrpcMessage): void {
  assert.equal(shown(encodeKrpc(message)), packet)
  assert.deepEqual(decodeKrpc(text(packet)), message)
}

const queryOf = (query: Extract<KrpcMessage, { kind: 'query' }>['query']): KrpcMessage => ({
  kind: 'query',
  transactionId: aa,
  version: null,
  id: ASKER,
  readOnly: false,
  query,
})

test('the example packets of BEP 5: queries', () => {
  both('d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe', queryOf({ method: 'ping' }))
  both(
    'd1:ad2:id20:abcdefghij01234567896:target20:mnopqrstuvwxyz123456e1:q9:find_node1:t2:aa1:y1:qe',
    queryOf({ method: 'find_node', target: OTHER, want: null }),
  )
  both(
    'd1:ad2:id20:abcdefghij01234567899:info_hash20:mnopqrstuvwxyz123456e1:q9:get_peers1:t2:aa1:y1:qe',
    queryOf({ method: 'get_peers', infoHash: OTHER, want: null, noSeed: false, scrape: false }),
  )
  both(
    'd1:ad2:id20:abcdefghij012345678912:implied_porti1e9:info_hash20:mnopqrstuvwxyz1234564:porti6881e5:token8:aoeusnthe1:q13:announce_peer1:t2:aa1:y1:qe',
    queryOf({
      method: 'announce_peer',
      infoHash: OTHER,
      token: text('aoeusnth'),
      port: 6881,
      impliedPort: true,
      seed: false,
    }),
  )
})

test('the example packets of BEP 5: replies and errors', () => {
  const reply = { kind: 'reply', transactionId: aa, version: null, seenAs: null } as const
  both('d1:rd2:id20:mnopqrstuvwxyz123456e1:t2:aa1:y1:re', { ...reply, reply: makeReply(OTHER) })
  both('d1:rd2:id20:abcdefghij01234567895:token8:aoeusnth6:valuesl6:axje.u6:idhtnmee1:t2:aa1:y1:re', {
    ...reply,
    reply: makeReply(ASKER, {
      token: text('aoeusnth'),
      values: [
        { ip: '97.120.106.101', port: 0x2e75 },
        { ip: '105.100.104.116', port: 0x6e6d },
      ],
    }),
  })
  both('d1:eli201e23:A Generic Error Ocurrede1:t2:aa1:y1:ee', {
    kind: 'error',
    transactionId: aa,
    version: null,
    seenAs: null,
    code: 201,
    message: 'A Generic Error Ocurred',
  })
})

test('the fields of BEP 32, 33, 42, 43, 44 and 51', () => {
  const proof = { key: new Uint8Array(32).fill(1), seq: 2n ** 63n - 1n, signature: new Uint8Array(64).fill(2) }
  const messages: KrpcMessage[] = [
    { ...queryOf({ method: 'find_node', target: OTHER, want: { n4: true, n6: true } }), version: text('TB01') },
    queryOf({ method: 'get_peers', infoHash: OTHER, want: { n4: false, n6: true }, noSeed: true, scrape: true }),
    queryOf({ method: 'get', target: OTHER, seq: 7n, want: null }),
    queryOf({ method: 'put', token: aa, value: text('li1ee'), proof: null, salt: new Uint8Array(0), cas: null }),
    queryOf({ method: 'put', token: aa, value: text('d1:ai1ee'), proof, salt: text('foo'), cas: 6n }),
    queryOf({ method: 'sample_infohashes', target: OTHER, want: null }),
    queryOf({ method: 'other', name: 'n\u00e9w', target: OTHER, want: null }),
    {
      kind: 'reply',
      transactionId: aa,
      version: text('LT20'),
      seenAs: { ip: '2001:470::5', port: 6881 },
      reply: makeReply(OTHER, {
        nodes: [{ id: ASKER, address: { ip: '1.2.3.4', port: 5 } }],
        nodes6: [{ id: ASKER, address: { ip: '2001:470::1', port: 65_535 } }],
        token: aa,
        values: [{ ip: '2001:470::7', port: 81 }],
        seedFilter: new Uint8Array(256).fill(3),
        peerFilter: new Uint8Array(256),
        value: text('12:Hello World!'),
        ...proof,
        samples: [ASKER, OTHER],
        sampleTotal: 1000,
        sampleIntervalSec: 600,
      }),
    },
  ]
  for (const message of messages) assert.deepEqual(decodeKrpc(encodeKrpc(message)), message)
  const readOnly: KrpcMessage = {
    kind: 'query',
    transactionId: aa,
    version: null,
    id: ASKER,
    readOnly: true,
    query: { method: 'ping' },
  }
  both('d1:ad2:id20:abcdefghij0123456789e1:q4:ping2:roi1e1:t2:aa1:y1:qe', readOnly)
})

test('the value of an item passes through as it came, also when it is not canonical', () => {
  const value = 'd1:bi1e1:ai2ee'
  const packet = `d1:ad2:id20:abcdefghij01234567895:token2:aa1:v${value}e1:q3:put1:t2:aa1:y1:qe`
  const message = decodeKrpc(text(packet))
  assert.ok(message.kind === 'query' && message.query.method === 'put')
  assert.equal(shown(message.query.value), value)
  assert.equal(shown(encodeKrpc(message)), packet)
})

test('a query with wrong arguments is distinguished from rubbish', () => {
  const invalid = [
    'd1:ad2:id3:abce1:q4:ping1:t2:aa1:y1:qe',
    'd1:q4:ping1:t2:aa1:y1:qe',
    'd1:ad2:id20:abcdefghij0123456789e1:q9:find_node1:t2:aa1:y1:qe',
    'd1:ad2:id20:abcdefghij01234567899:info_hash20:mnopqrstuvwxyz1234565:token2:aae1:q13:announce_peer1:t2:aa1:y1:qe',
    'd1:ad2:id20:abcdefghij01234567893:seqi-1e6:target20:mnopqrstuvwxyz123456e1:q3:get1:t2:aa1:y1:qe',
    'd1:ad2:id20:abcdefghij01234567893:seqi1e5:token2:aa1:vi1ee1:q3:put1:t2:aa1:y1:qe',
  ]
  for (const packet of invalid) {
    const message = decodeKrpc(text(packet))
    assert.equal(message.kind, 'invalid', packet)
    assert.deepEqual(message.transactionId, aa)
  }
  const rubbish = [
    '',
    'de',
    'l-3:',
    'd1:t2:aae',
    'd1:t2:aa1:y1:xe',
    'd1:ad2:id20:abcdefghij0123456789e1:q4:ping1:y1:qe',
    'd1:rd2:id3:abce1:t2:aa1:y1:re',
    'd1:rd2:id20:mnopqrstuvwxyz1234565:nodes3:abce1:t2:aa1:y1:re',
    'd1:elee1:t2:aa1:y1:ee',
    'd1:rd2:id20:mnopqrstuvwxyz123456e1:t2:aa1:y1:re ',
    `d1:t33:${'x'.repeat(33)}1:y1:qe`,
  ]
  for (const packet of rubbish) assert.throws(() => decodeKrpc(text(packet)), DecodeError, packet)
  assert.throws(() => decodeKrpc(new Uint8Array(5000)), DecodeError)
})

test('nodes and peers that cannot be reached are left out', () => {
  const node = 'mnopqrstuvwxyz123456\x01\x02\x03\x04\x00\x00'
  const good = 'mnopqrstuvwxyz123456\x01\x02\x03\x04\x00\x05'
  const message = decodeKrpc(
    text(
      `d1:rd2:id20:abcdefghij01234567895:nodes52:${node}${good}6:valuesl6:\xe0\x00\x00\x01\x00\x053:abc6:\x01\x01\x01\x01\x00\x05ee1:t2:aa1:y1:re`,
    ),
  )
  assert.ok(message.kind === 'reply')
  assert.deepEqual(message.reply.nodes, [{ id: OTHER, address: { ip: '1.2.3.4', port: 5 } }])
  assert.deepEqual(message.reply.values, [{ ip: '1.1.1.1', port: 5 }])
})

test('packets of uTP do not look like the DHT', () => {
  assert.equal(looksLikeKrpc(text('d1:t2:aae')), true)
  assert.equal(looksLikeKrpc(Uint8Array.of(0x41, 0x02, 0, 1)), false)
  assert.equal(looksLikeKrpc(Uint8Array.of(0x64)), false)
  assert.equal(looksLikeKrpc(new Uint8Array(0)), false)
})
