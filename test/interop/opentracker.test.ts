// Announces against opentracker (Debian), over HTTP and UDP: two torrents' peers find each other, counts are right,
// stopped removes, an unlisted infohash is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, parseInfoHash } from '../../src/base/ids.ts'
import { AddressPolicy } from '../../src/io/net/address-policy.ts'
import { SystemClock } from '../../src/io/clock.ts'
import { DnsResolver } from '../../src/io/net/dns-resolver.ts'
import { GuardedHttp } from '../../src/io/net/guarded-http.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import type { HashAnnouncer, TrackerRow } from '../../src/ports/announcer.ts'
import { TorrentAnnouncers } from '../../src/tracker/announcer.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { startOpentracker } from '../kit/peers/opentracker.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'
import { strictLog } from '../unit/tracker/tracker-kit.ts'

const LISTED = '0123456789abcdef0123456789abcdef01234567'
const UNLISTED = 'ff23456789abcdef0123456789abcdef01234567'

interface Node {
  readonly announcers: TorrentAnnouncers
  readonly peers: string[]
  create(infoHash: string, url: string): HashAnnouncer
  close(): Promise<void>
}

function makeNode(listenPort: number): Node {
  const policy = new AddressPolicy()
  const resolver = new DnsResolver({ policy })
  const http = new GuardedHttp({ userAgent: 'Tributary/test', localIp: null }, { policy, resolver })
  const random = new SystemRandom()
  const deps = { clock: new SystemClock(), random, log: strictLog, http, udp: new DgramNetwork(), resolver }
  const announcers = new TorrentAnnouncers({ httpTimeoutMs: 5_000, udpRetryBaseMs: 2_000 }, deps)
  announcers.setListenPort(listenPort)
  const peers: string[] = []
  return {
    announcers,
    peers,
    create: (infoHash, url) =>
      announcers.create({
        infoHash: parseInfoHash(infoHash) as InfoHash,
        peerId: random.bytes(20),
        tiers: [[url]],
        isPrivate: () => false,
        wantedPeers: () => 50,
        counters: () => ({ uploaded: 0, downloaded: 0, left: listenPort === 5_001 ? 0 : 100 }),
        onPeers: found => void peers.push(...found.map(peer => `${peer.ip}:${peer.port}`)),
      }),
    close: async () => {
      await announcers.close()
      await http.close()
    },
  }
}

async function rowWhen(announcer: HashAnnouncer, done: (row: TrackerRow) => boolean): Promise<TrackerRow> {
  const row = (): TrackerRow | undefined => announcer.rows()[0]
  return await waitFor('a tracker row', () => (done(row() as TrackerRow) ? row() : false), 10_000, row)
}

async function swarmOfTwo(urlOf: (port: number) => string): Promise<void> {
  const tracker = await startOpentracker('127.0.0.1', [LISTED])
  const seeder = makeNode(5_001)
  const leecher = makeNode(5_002)
  try {
    const url = urlOf(tracker.port)
    const seeding = seeder.create(LISTED, url)
    seeding.start()
    await rowWhen(seeding, row => row.status === 'Working')
    const leeching = leecher.create(LISTED, url)
    leeching.start()
    const row = await rowWhen(leeching, found => found.status === 'Working')
    assert.ok(leecher.peers.includes('127.0.0.1:5001'), leecher.peers.join())
    assert.equal(row.seeders, 1)
    assert.equal(row.leechers, 1)

    await seeding.stop(5_000)
    const late = makeNode(5_003)
    const looking = late.create(LISTED, url)
    looking.start()
    const after = await rowWhen(looking, found => found.status === 'Working')
    assert.equal(after.seeders, 0, 'stopped was not heard')
    assert.ok(!late.peers.includes('127.0.0.1:5001'))
    await looking.stop(5_000)
    await late.close()

    const refused = leecher.create(UNLISTED, url)
    refused.start()
    const bad = await rowWhen(refused, found => found.status.startsWith('Error: '))
    // Over UDP it refuses with an announce answer of 8 bytes.
    assert.match(bad.status, /not authorized|cut off/)
    await refused.stop(1_000)
    await leeching.stop(5_000)
  } finally {
    await seeder.close()
    await leecher.close()
    await tracker.stop()
  }
}

const skip = needs('opentracker')

test('opentracker over HTTP', { skip }, () => swarmOfTwo(port => `http://127.0.0.1:${port}/announce`))

test('opentracker over UDP', { skip }, async () => {
  await swarmOfTwo(port => `udp://127.0.0.1:${port}/announce`)
  cell('UDP tracker', 'other', 'opentracker')
})
