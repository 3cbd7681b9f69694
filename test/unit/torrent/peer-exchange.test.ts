// Peer exchange without a network: which peers are named to which, how many, how often; what is taken.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { ExchangeState } from '../../../src/torrent/peers/exchange-state.ts'
import { KnownPeers } from '../../../src/torrent/peers/known-peers.ts'
import {
  type ExchangePeer,
  type ExchangeTorrent,
  takePeers,
  tellPeers,
} from '../../../src/torrent/peers/peer-exchange.ts'
import { decodePex, encodePex, type PexFlags, type PexMessage } from '../../../src/wire/peer/ut-pex.ts'

const NONE: PexFlags = { encryption: false, seed: false, utp: false, holepunch: false, reachable: false }
const MINUTE_MS = 60_000

class Peer implements ExchangePeer {
  readonly sent: PexMessage[] = []
  readonly exchange = new ExchangeState()
  readonly connectedAtMs = 0
  readonly link: { readonly remote: PeerAddress; readonly incoming: boolean }
  readonly address: PeerAddress
  listens = false
  uploadOnly = false
  utp = false
  encrypts = false
  offers = ['ut_pex']

  constructor(ip: string, incoming = false) {
    this.address = { ip, port: 6881 }
    this.link = { remote: this.address, incoming }
  }

  idOf(extension: string): number {
    return this.offers.indexOf(extension) + 1
  }

  extend(_id: number, payload: Uint8Array): void {
    this.sent.push(decodePex(payload))
  }
}

function torrentOf(peers: readonly Peer[], isPrivate: boolean | null = false) {
  const map = new Map(peers.map(peer => [peer.address.ip, peer]))
  const known = new KnownPeers()
  const seeds = new Set<ExchangePeer>()
  const banned = new Set<string>()
  const circuits = new Set<string>()
  const settings = { on: true }
  const torrent: ExchangeTorrent = {
    peers: map,
    content: isPrivate === null ? null : { metainfo: { private: isPrivate } },
    known,
    engine: {
      connections: { refuses: ip => banned.has(ip) },
      deps: { swarm: { exchangesPeers: () => settings.on, standsForCircuit: ip => circuits.has(ip) } },
    },
    isSeed: peer => seeds.has(peer),
  }
  return { torrent, map, known, seeds, banned, circuits, settings }
}

const contact = (ip: string, port = 6881, flags = NONE) => ({ address: { ip, port }, flags })
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `8.${1 + (i >> 8)}.${i & 255}.1`)
const added = (message: PexMessage | undefined): string[] => (message?.added ?? []).map(one => one.address.ip)

test('the first message comes after five seconds, then differences once a minute', () => {
  const [a, b, c] = [new Peer('8.0.0.1'), new Peer('8.0.0.2'), new Peer('8.0.0.3')]
  const { torrent, map } = torrentOf([a, b])
  tellPeers(torrent, a, 4999)
  assert.equal(a.sent.length, 0)
  tellPeers(torrent, a, 5000)
  assert.deepEqual(added(a.sent[0]), ['8.0.0.2'])
  map.set('8.0.0.3', c)
  map.delete('8.0.0.2')
  tellPeers(torrent, a, 64_999)
  assert.equal(a.sent.length, 1)
  tellPeers(torrent, a, 65_000)
  assert.deepEqual(added(a.sent[1]), ['8.0.0.3'])
  assert.deepEqual(a.sent[1]?.dropped, [b.address])
  tellPeers(torrent, a, 10 * MINUTE_MS)
  assert.equal(a.sent.length, 2, 'nothing new, no message')
})

test('an address that means a circuit is sent to no peer', () => {
  const [a, b, c] = [new Peer('8.0.0.1'), new Peer('8.0.0.2'), new Peer('8.0.0.3')]
  const { torrent, circuits } = torrentOf([a, b, c])
  circuits.add('8.0.0.2')
  tellPeers(torrent, a, 5000)
  assert.deepEqual(added(a.sent[0]), ['8.0.0.3'])
  // Who is reached by a circuit hears of those that anybody can reach.
  tellPeers(torrent, b, 5000)
  assert.deepEqual(added(b.sent[0]), ['8.0.0.1', '8.0.0.3'])
})

test('who came and went in between is not told of', () => {
  const [a, b] = [new Peer('8.0.0.1'), new Peer('8.0.0.2')]
  const { torrent, map } = torrentOf([a, b])
  tellPeers(torrent, a, 5000)
  map.delete('8.0.0.2')
  map.set('8.0.0.2', new Peer('8.0.0.2'))
  tellPeers(torrent, a, 70_000)
  assert.equal(a.sent.length, 1)
})

test('a message adds and drops fifty at most, the rest follows', () => {
  const a = new Peer('9.9.9.9')
  const crowd = many(120).map(ip => new Peer(ip))
  const { torrent, map } = torrentOf([a, ...crowd])
  for (let minute = 1; minute <= 4; minute += 1) tellPeers(torrent, a, minute * MINUTE_MS)
  assert.deepEqual(
    a.sent.map(message => message.added.length),
    [50, 50, 20],
  )
  assert.equal(new Set(a.sent.flatMap(added)).size, 120)
  for (const peer of crowd) map.delete(peer.address.ip)
  for (let minute = 5; minute <= 8; minute += 1) tellPeers(torrent, a, minute * MINUTE_MS)
  assert.deepEqual(
    a.sent.slice(3).map(message => message.dropped.length),
    [50, 50, 20],
  )
})

test('only those are sent that can be connected to, with what is known of them', () => {
  const [a, out, incoming, named, six] = [
    new Peer('8.0.0.1'),
    new Peer('8.0.0.2'),
    new Peer('8.0.0.3', true),
    new Peer('8.0.0.4', true),
    new Peer('2a00::1'),
  ]
  named.listens = true
  named.offers = ['ut_pex', 'ut_holepunch']
  out.utp = true
  out.encrypts = true
  six.uploadOnly = true
  const { torrent, seeds } = torrentOf([a, out, incoming, named, six])
  seeds.add(named)
  tellPeers(torrent, a, MINUTE_MS)
  assert.deepEqual(a.sent[0]?.added, [
    contact('8.0.0.2', 6881, { ...NONE, encryption: true, utp: true, reachable: true }),
    contact('8.0.0.4', 6881, { ...NONE, seed: true, holepunch: true }),
    contact('2a00::1', 6881, { ...NONE, seed: true, reachable: true }),
  ])
})

test('local addresses are sent to local peers only', () => {
  const [near, far, other] = [new Peer('192.168.0.5'), new Peer('8.0.0.1'), new Peer('192.168.0.6')]
  const { torrent } = torrentOf([near, far, other])
  tellPeers(torrent, near, MINUTE_MS)
  tellPeers(torrent, far, MINUTE_MS)
  assert.deepEqual(added(near.sent[0]), ['8.0.0.1', '192.168.0.6'])
  assert.deepEqual(far.sent, [])
})

test('private torrents, magnets, those without the extension and a setting keep silent', () => {
  const mute = new Peer('8.0.0.1')
  mute.offers = []
  const cases = [
    { peers: [new Peer('8.0.0.1'), new Peer('8.0.0.2')], isPrivate: true },
    { peers: [new Peer('8.0.0.1'), new Peer('8.0.0.2')], isPrivate: null },
    { peers: [mute, new Peer('8.0.0.2')], isPrivate: false },
  ]
  for (const { peers, isPrivate } of cases) {
    tellPeers(torrentOf(peers, isPrivate).torrent, peers[0] as Peer, MINUTE_MS)
    assert.deepEqual(peers[0]?.sent, [])
  }
  const [a, b] = [new Peer('8.0.0.1'), new Peer('8.0.0.2')]
  const { torrent, settings, known } = torrentOf([a, b])
  settings.on = false
  tellPeers(torrent, a, MINUTE_MS)
  takePeers(torrent, a, encodePex({ added: [contact('8.0.0.9')], dropped: [] }), MINUTE_MS)
  assert.deepEqual(a.sent, [])
  assert.equal(known.size, 0)
})

test('what a peer tells is taken as hearsay; a magnet listens, a private torrent does not', () => {
  for (const [isPrivate, size] of [
    [false, 2],
    [null, 2],
    [true, 0],
  ] as const) {
    const a = new Peer('8.0.0.1')
    const { torrent, known, banned } = torrentOf([a], isPrivate)
    banned.add('8.0.0.3')
    const flags = { ...NONE, holepunch: true, seed: true }
    const list = [contact('8.0.0.2', 1, flags), contact('8.0.0.3'), contact('2a00::9')]
    takePeers(torrent, a, encodePex({ added: list, dropped: [] }), 0)
    assert.equal(known.size, size, `private: ${isPrivate}`)
    const first = known.get('8.0.0.2:1')
    if (size > 0) assert.deepEqual([first?.hearsay, first?.holepunch, first?.seed], [true, true, true])
  }
})

test('a peer may have given fifty addresses, one of a host, none of our local network', () => {
  const a = new Peer('8.0.0.1')
  const { torrent, known } = torrentOf([a])
  const list = many(80).map(ip => contact(ip))
  takePeers(torrent, a, encodePex({ added: list, dropped: [] }), 0)
  assert.equal(known.size, 50)
  const dropped = list.slice(0, 10).map(one => one.address)
  const made = Array.from({ length: 50 }, (_, i) => contact('7.7.7.7', i + 1))
  takePeers(
    torrent,
    a,
    encodePex({ added: [...made, contact('192.168.1.1', 80), contact('10.0.0.1', 22)], dropped }),
    60_000,
  )
  assert.equal(known.size, 51)
  assert.equal(a.exchange.given.size, 41)
  const near = new Peer('192.168.1.7')
  const local = torrentOf([near])
  takePeers(local.torrent, near, encodePex({ added: [contact('192.168.1.1', 80)], dropped: [] }), 0)
  assert.equal(local.known.size, 1, 'a neighbour may name neighbours')
})

test('messages beyond one a minute are passed over, a flood is an offence', () => {
  const a = new Peer('8.0.0.1')
  const { torrent, known } = torrentOf([a])
  const message = (index: number): Uint8Array => encodePex({ added: [contact(`8.1.${index}.1`)], dropped: [] })
  for (let index = 0; index < 6; index += 1) takePeers(torrent, a, message(index), 0)
  assert.equal(known.size, 2, 'one, and one that came early')
  assert.throws(() => takePeers(torrent, a, message(6), 0), DecodeError)
  takePeers(torrent, a, message(7), MINUTE_MS)
  assert.equal(known.size, 3)
})

test('who drops and adds for ever is not followed', () => {
  const a = new Peer('8.0.0.1')
  const { torrent, known } = torrentOf([a])
  let before: readonly PeerAddress[] = []
  for (let minute = 0; minute < 60; minute += 1) {
    const list = Array.from({ length: 50 }, (_, i) => contact(`${20 + minute}.1.${i}.1`))
    takePeers(torrent, a, encodePex({ added: list, dropped: before }), minute * MINUTE_MS)
    before = list.map(one => one.address)
  }
  assert.ok(known.size <= 1000, `${known.size}`)
  // A hundred at once, then twenty a minute.
  assert.ok(known.size >= 100 && known.size <= 100 + 60 * 20, `${known.size}`)
  assert.throws(() => takePeers(torrent, a, Buffer.from('le'), 60 * MINUTE_MS), DecodeError)
})
