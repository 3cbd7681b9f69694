// What a DHT node keeps for others: peers, items, tokens; their bounds, ends and rules.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ITEM_TTL_MS, ItemStore, MAX_ITEMS, MAX_ITEMS_PER_ADDRESS } from '../../../src/dht/item-store.ts'
import {
  MAX_PEERS,
  MAX_TORRENTS,
  MAX_TORRENTS_PER_ADDRESS,
  PEER_TTL_MS,
  PeerStore,
} from '../../../src/dht/peer-store.ts'
import { TOKEN_SECRET_MS, WriteTokens } from '../../../src/dht/tokens.ts'
import { parseIp } from '../../../src/wire/net/compact-address.ts'
import { filterCount, filterHas } from '../../../src/wire/dht/dht-filter.ts'
import { ID_BYTES } from '../../../src/wire/dht/dht-id.ts'
import { DHT_ERRORS, type ItemProof } from '../../../src/wire/dht/krpc-types.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const random = new SeededRandom(21)
const someId = (): Uint8Array => Uint8Array.from(random.bytes(ID_BYTES))
const at = (index: number): { ip: string; port: number } => ({
  ip: `${30 + (index >> 16)}.${(index >> 8) & 0xff}.${index & 0xff}.1`,
  port: 6881,
})
const ip = (text: string): Uint8Array => parseIp(text) ?? new Uint8Array(4)

test('tokens are bound to address and target, and last five to ten minutes', () => {
  const tokens = new WriteTokens(random, 0)
  const target = someId()
  const token = tokens.issue('1.2.3.4', target, 0)
  assert.ok(tokens.accepts(token, '1.2.3.4', target, 0))
  assert.ok(tokens.accepts(token, '1.2.3.4', target, TOKEN_SECRET_MS + 1))
  assert.ok(!tokens.accepts(token, '1.2.3.5', target, 0))
  assert.ok(!tokens.accepts(token, '1.2.3.4', someId(), 0))
  assert.ok(!tokens.accepts(token.subarray(1), '1.2.3.4', target, 0))
  assert.ok(!tokens.accepts(token, '1.2.3.4', target, 2 * TOKEN_SECRET_MS + 2))
  const late = new WriteTokens(random, 0)
  const old = late.issue('1.2.3.4', target, 0)
  assert.ok(
    !late.accepts(old, '1.2.3.4', target, 3 * TOKEN_SECRET_MS),
    'nobody asked meanwhile, and it is old all the same',
  )
})

test('peers are unique by address, replace themselves, and end', () => {
  const store = new PeerStore(random)
  const hash = someId()
  assert.ok(store.announce(hash, { ip: '1.1.1.1', port: 1 }, false, 0))
  assert.ok(store.announce(hash, { ip: '1.1.1.1', port: 2 }, true, 0))
  assert.ok(store.announce(hash, { ip: '1.1.1.2', port: 3 }, false, 1000))
  assert.equal(store.peers, 2)
  assert.deepEqual(
    store.pick(hash, 10, true),
    [
      { ip: '1.1.1.2', port: 3 },
      { ip: '1.1.1.1', port: 2 },
    ],
    'with noseed the seed comes last',
  )
  assert.equal(store.pick(hash, 1, false).length, 1)
  assert.deepEqual(store.pick(someId(), 10, false), [])
  store.expire(PEER_TTL_MS)
  assert.deepEqual(store.pick(hash, 10, false), [{ ip: '1.1.1.2', port: 3 }])
  store.expire(PEER_TTL_MS + 1000)
  assert.equal(store.torrents + store.peers, 0)
})

test('many peers on one machine are distinguished by their ports', () => {
  const store = new PeerStore(random)
  const hash = someId()
  for (let port = 1; port <= 5; port++) assert.ok(store.announce(hash, { ip: '127.0.0.1', port }, false, 0))
  assert.equal(store.peers, 5)
})

test('peers have bounds: a torrent, all torrents, torrents an address', () => {
  const store = new PeerStore(random)
  const crowded = someId()
  for (let i = 0; i < MAX_PEERS + 10; i++) assert.ok(store.announce(crowded, at(i), false, i))
  assert.equal(store.peers, MAX_PEERS)
  for (let i = 0; i < MAX_TORRENTS + 50; i++) store.announce(someId(), at(100_000 + i), false, i)
  assert.equal(store.torrents, MAX_TORRENTS)
  assert.ok(store.has(crowded), 'the smallest of the oldest go first')
  let taken = 0
  for (let i = 0; i < MAX_TORRENTS_PER_ADDRESS + 20; i++)
    if (store.announce(someId(), { ip: '9.9.9.9', port: 1 }, false, 0)) taken++
  assert.equal(taken, MAX_TORRENTS_PER_ADDRESS)
})

test('filters hold seeds and peers apart; samples stay the same for a while', () => {
  const store = new PeerStore(random)
  const hash = someId()
  store.announce(hash, { ip: '1.1.1.1', port: 1 }, true, 0)
  store.announce(hash, { ip: '2.2.2.2', port: 1 }, false, 0)
  const filters = store.filters(hash, 0)
  assert.ok(filters !== null)
  assert.ok(filterHas(filters.seeds, ip('1.1.1.1')) && !filterHas(filters.seeds, ip('2.2.2.2')))
  assert.ok(filterHas(filters.peers, ip('2.2.2.2')) && !filterHas(filters.peers, ip('1.1.1.1')))
  assert.equal(Math.round(filterCount(filters.seeds)), 1)
  assert.equal(store.filters(someId(), 0), null)
  const samples = store.samples(0)
  assert.deepEqual(samples, [hash])
  for (let i = 0; i < 50; i++) store.announce(someId(), at(i), false, 1)
  assert.equal(store.samples(1000), samples)
  assert.equal(store.samples(3_600_000).length, 20)
})

const KEY = new Uint8Array(32).fill(1)
const proofOf = (seq: bigint): ItemProof => ({ key: KEY, seq, signature: new Uint8Array(64) })
const value = (text: string): Uint8Array => Uint8Array.from(Buffer.from(`${text.length}:${text}`))
const OWN = someId()

test('a mutable item only goes forward, and cas compares', () => {
  const store = new ItemStore()
  const target = someId()
  const put = (seq: bigint, text: string, cas: bigint | null = null): number | null =>
    store.put(target, { value: value(text), proof: proofOf(seq) }, { from: at(1), cas }, OWN, 0)?.code ?? null
  assert.equal(put(5n, 'five', 1n), null, 'cas means nothing where nothing is')
  assert.equal(put(4n, 'four'), DHT_ERRORS.seqTooLow)
  assert.equal(put(5n, 'other'), DHT_ERRORS.seqTooLow)
  assert.equal(put(5n, 'five'), null, 'the same again only keeps it alive')
  assert.equal(put(6n, 'six', 4n), DHT_ERRORS.casMismatch)
  assert.equal(put(6n, 'six', 5n), null)
  assert.equal(store.get(target)?.proof?.seq, 6n)
  assert.equal(store.size, 1)
})

test('items end unless they are put again', () => {
  const store = new ItemStore()
  const [kept, gone] = [someId(), someId()]
  const item = { value: value('x'), proof: null }
  for (const target of [kept, gone]) store.put(target, item, { from: at(1), cas: null }, OWN, 0)
  store.put(kept, item, { from: at(2), cas: null }, OWN, 1000)
  store.expire(ITEM_TTL_MS)
  assert.notEqual(store.get(kept), null)
  assert.equal(store.get(gone), null)
})

test('items have bounds, and what is far from our id goes first', () => {
  const store = new ItemStore()
  const item = { value: value('x'), proof: null }
  let taken = 0
  for (let i = 0; i < MAX_ITEMS_PER_ADDRESS + 9; i++)
    if (store.put(someId(), item, { from: at(1), cas: null }, OWN, 0) === null) taken++
  assert.equal(taken, MAX_ITEMS_PER_ADDRESS)
  for (let i = 0; i < MAX_ITEMS + 100; i++) store.put(someId(), item, { from: at(10 + i), cas: null }, OWN, 0)
  assert.equal(store.size, MAX_ITEMS)
  const far = OWN.map(byte => byte ^ 0xff)
  assert.equal(store.put(far, item, { from: at(5000), cas: null }, OWN, 0)?.code, DHT_ERRORS.server)
  assert.equal(store.put(OWN, item, { from: at(5001), cas: null }, OWN, 0), null)
  assert.equal(store.size, MAX_ITEMS)
})
