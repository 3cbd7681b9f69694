// What a tracker sees of a node with many torrents: few connections, kept, and few requests at a time.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { GuardedHttp } from '../../../src/io/net/guarded-http.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import { TorrentAnnouncers } from '../../../src/tracker/announcer.ts'
import { loopbackWorld, serve } from '../../fault/hostile-http.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'

const TORRENTS = 60
const AT_ONCE = 8
const REPLY = 'd8:completei1e10:incompletei0e8:intervali1800e5:peers0:e'

const hashOf = (i: number) => i.toString(16).padStart(40, '0') as InfoHash

/** A tracker that answers when it has `AT_ONCE` requests, or all that are left. */
async function startTracker() {
  const held: ServerResponse[] = []
  const seen = { most: 0, answered: 0 }
  const server = await serve((_, reply) => {
    held.push(reply)
    seen.most = Math.max(seen.most, held.length)
    if (held.length < Math.min(AT_ONCE, TORRENTS - seen.answered)) return
    // A turn for more than it should get.
    setImmediate(() => {
      seen.answered += held.length
      for (const one of held.splice(0)) one.end(REPLY)
    })
  })
  return { server, seen }
}

test('the announces of many torrents share eight kept connections, eight at a time', async () => {
  const { server, seen } = await startTracker()
  const world = { ...loopbackWorld(), clock: new SystemClock(), random: new SystemRandom(), log: silentLog }
  const http = new GuardedHttp({ userAgent: 'x', localIp: null }, world)
  const announcers = new TorrentAnnouncers({}, { ...world, http, udp: new DgramNetwork() })
  announcers.setListenPort(6881)
  const all = Array.from({ length: TORRENTS }, (_, i) =>
    announcers.create({
      infoHash: hashOf(i),
      peerId: Buffer.alloc(20, 1),
      tiers: [[server.url('/announce')]],
      isPrivate: () => false,
      wantedPeers: () => 10,
      counters: () => ({ uploaded: 0, downloaded: 0, left: 1 }),
      onPeers: () => undefined,
    }),
  )
  for (const one of all) one.start()
  await waitFor('every torrent heard from its tracker', () => all.every(one => one.rows()[0]?.status === 'Working'))
  assert.equal(seen.most, AT_ONCE)
  assert.equal(server.opened, AT_ONCE)
  assert.equal(server.requests.length, TORRENTS)
  await server.stop()
  await Promise.all(all.map(one => one.stop(0)))
  await announcers.close()
  await http.close()
})
