// Announcing a torrent with two info hashes: trackers and DHT hear both, users see one row a tracker.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, infoHashFromBytes, type PeerAddress } from '../../../src/base/ids.ts'
import { type DhtSearches, SwarmAnnouncers } from '../../../src/node/engine/swarm-announcers.ts'
import type { Announcer, TrackerRow } from '../../../src/ports/announcer.ts'
import type { TorrentDhtNode } from '../../../src/wire/metainfo/torrent-types.ts'
import { FakeAnnouncer, FakeAnnouncers } from '../../kit/doubles/fake-announcers.ts'

const hashOf = (byte: number): InfoHash => infoHashFromBytes(new Uint8Array(20).fill(byte))
const [v1, v2] = [hashOf(1), hashOf(2)]

class FakeDht implements DhtSearches {
  readonly open = new Map<InfoHash, (peers: readonly PeerAddress[]) => void>()
  readonly calls: string[] = []
  readonly nodes: string[] = []

  nodesAt(contacts: readonly TorrentDhtNode[]): void {
    this.nodes.push(...contacts.map(({ host, port }) => `${host} ${port}`))
  }

  peers(infoHash: InfoHash, _options: object, onPeers: (peers: readonly PeerAddress[]) => void) {
    const note = (what: string): void => void this.calls.push(`${what} ${infoHash.slice(0, 2)}`)
    this.open.set(infoHash, onPeers)
    return { update: () => note('update'), soon: () => note('soon'), close: () => void this.open.delete(infoHash) }
  }
}

interface Bench {
  readonly announcer: Announcer
  readonly trackers: FakeAnnouncers
  readonly dht: FakeDht
  readonly named: string[]
  readonly facts: { isPrivate: boolean }
  of(infoHash: InfoHash): FakeAnnouncer
}

function bench(): Bench {
  const trackers = new FakeAnnouncers()
  const dht = new FakeDht()
  const named: string[] = []
  const facts = { isPrivate: false }
  const announcer = new SwarmAnnouncers({ trackers, dht, impliedPort: false }).create({
    infoHash: v1,
    peerId: new Uint8Array(20),
    tiers: [['http://t/a']],
    dhtNodes: [{ host: 'dht.example', port: 6881 }],
    wantedPeers: () => 10,
    counters: () => ({ uploaded: 0, downloaded: 0, left: 1 }),
    isPrivate: () => facts.isPrivate,
    onPeers: (peers, origin) => void named.push(...peers.map(({ ip }) => `${origin} ${ip}`)),
  })
  const of = (infoHash: InfoHash): FakeAnnouncer => trackers.made.get(infoHash) ?? assert.fail('not announced')
  return { announcer, trackers, dht, named, facts, of }
}

for (const late of [false, true]) {
  test(`a second info hash that is known ${late ? 'later' : 'from the start'} is announced like the first`, async () => {
    const { announcer, dht, named, of } = bench()
    if (!late) announcer.alsoAs(v2)
    announcer.start()
    announcer.addTiers([['http://u/a']])
    if (late) announcer.alsoAs(v2)
    announcer.alsoAs(v2)
    assert.deepEqual([...dht.open.keys()], [v1, v2])
    dht.open.get(v1)?.([{ ip: '1.1.1.1', port: 1 }])
    dht.open.get(v2)?.([{ ip: '2.2.2.2', port: 1 }])
    of(v2).answer([{ ip: '3.3.3.3', port: 1 }])
    assert.deepEqual(named, ['dht 1.1.1.1', 'dht 2.2.2.2', 'tracker 3.3.3.3'])
    announcer.completed()
    announcer.announceSoon()
    announcer.announceNow(null)
    for (const hash of [v1, v2]) {
      assert.deepEqual(of(hash).tiers(), [['http://t/a'], ['http://u/a']])
      assert.deepEqual(of(hash).calls, ['started', 'completed', 'soon', 'now all'])
    }
    assert.deepEqual(
      dht.calls.filter(call => call.startsWith('soon')),
      ['soon 01', 'soon 02', 'soon 01', 'soon 02'],
    )
    assert.deepEqual(
      announcer.rows().map(({ url, peers }) => [url, peers]),
      [
        ['http://t/a', 0],
        ['http://u/a', 0],
        ['[DHT]', 2],
      ],
    )
    assert.deepEqual(announcer.remove(['http://t/a']), ['http://t/a'])
    await announcer.stop(100)
    assert.deepEqual([of(v1).calls.at(-1), of(v2).calls.at(-1)], ['stopped', 'stopped'])
    assert.equal(dht.open.size, 0)
    assert.deepEqual(of(v2).tiers(), [['http://u/a']])
  })
}

test('a row shows what either swarm knows', () => {
  const { announcer, of } = bench()
  announcer.alsoAs(v2)
  const row = (change: Partial<TrackerRow>): TrackerRow[] => [
    { url: 'http://t/a', status: 'Error: no', peers: 0, seeders: null, leechers: null, ...change },
  ]
  of(v1).rows = () => row({ seeders: 3, tier: 1, nextSec: 90 })
  of(v2).rows = () => row({ status: 'Working', peers: 4, seeders: 1, leechers: 2, nextSec: 70 })
  const counts = { peers: 4, seeders: 3, leechers: 2 }
  assert.deepEqual(announcer.rows()[0], { url: 'http://t/a', status: 'Working', ...counts, tier: 1, nextSec: 70 })
  const before = announcer.revision
  of(v2).revision += 1
  assert.equal(announcer.revision, before + 1)
})

test('a magnet that turns out to be private leaves the DHT under both names', () => {
  const { announcer, dht, facts } = bench()
  announcer.start()
  announcer.alsoAs(v2)
  facts.isPrivate = true
  dht.open.get(v2)?.([{ ip: '2.2.2.2', port: 1 }])
  assert.equal(dht.open.size, 0)
})

test('a magnet that turns out to be private leaves the DHT at once, without an answer from there', () => {
  const { announcer, dht, facts } = bench()
  announcer.start()
  announcer.metadataKnown()
  assert.equal(dht.open.size, 1)
  facts.isPrivate = true
  announcer.metadataKnown()
  assert.equal(dht.open.size, 0)
})

test('the DHT hears once of the nodes that a torrent names, when it starts', async () => {
  const { announcer, dht } = bench()
  assert.deepEqual(dht.nodes, [])
  announcer.start()
  assert.deepEqual(dht.nodes, ['dht.example 6881'])
  await announcer.stop(100)
  announcer.start()
  assert.deepEqual(dht.nodes, ['dht.example 6881'])
})

test('nodes that a private torrent names are nobody to the DHT', () => {
  const { announcer, dht, facts } = bench()
  facts.isPrivate = true
  announcer.start()
  assert.deepEqual(dht.nodes, [])
})
