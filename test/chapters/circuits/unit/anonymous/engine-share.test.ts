// Two sessions that share memory, queue and rates: one limit counts for both, and the end of one leaves the other its
// queue.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { Session } from '../../../../../src/torrent/index.ts'
import { ANONYMOUS_DEFAULTS } from '../../kit/anonymous-node.ts'
import { FakeAnnouncers } from '../../../../kit/doubles/fake-announcers.ts'
import { makeTorrent, specOf } from '../../../../kit/content/make-torrent.ts'
import { MemoryJournal, MemoryMetadata } from '../../../../kit/doubles/memory-journal.ts'
import { MemoryNetwork } from '../../../../kit/sim/memory-network.ts'
import { MemoryPieceStores } from '../../../../kit/doubles/memory-piece-store.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { NO_QUEUE } from '../../../../../src/torrent/session/torrent-queue.ts'

test('places of the queue are for all sessions together, and go to the other when one ends', async () => {
  const clock = new VirtualClock()
  const network = new MemoryNetwork(clock)
  const blockArena = new SharedArena({ id: 'block', bytes: 1024 * 1024 })
  const stores = new MemoryPieceStores(clock)
  let hosts = 0
  const session = async (share?: Session): Promise<Session> => {
    const limits = { ...ANONYMOUS_DEFAULTS.limits, queue: { ...NO_QUEUE, downloads: 1, dontCountSlow: false } }
    const made = new Session(
      { ...limits, listenIp: '0.0.0.0', listenPort: 6881, localIp: null, version: '0.1.0' },
      {
        clock,
        random: new SeededRandom(7),
        log: silentLog,
        tcp: network.host(`10.0.0.${++hosts}`),
        stores,
        journal: new MemoryJournal(),
        metadata: new MemoryMetadata(),
        announcers: new FakeAnnouncers(),
        blockArena,
        events: {
          metadata: async () => undefined,
          finished: () => undefined,
          failed: () => undefined,
          statusChanged: () => undefined,
        },
        ...(share === undefined ? {} : { share: share.share }),
      },
    )
    await made.start()
    return made
  }
  const plain = await session()
  const hidden = await session(plain)
  assert.equal(hidden.share.budget, plain.share.budget)
  const first = hidden.add(specOf(makeTorrent({ seed: 1 })))
  const second = plain.add(specOf(makeTorrent({ seed: 2 })))
  await clock.until('the first runs', () => first.snapshot().status === 'downloading')
  await clock.until('the second waits', () => second.snapshot().status === 'queued')
  // Its limits are the first session's to set.
  hidden.setLimits({ maxDownloadRate: 1000 })
  assert.equal(plain.share.downLimiter, hidden.share.downLimiter)
  let stopped = false
  void hidden.stop(1000).then(() => {
    stopped = true
  })
  await clock.until('one is stopped', () => stopped, 10_000)
  await clock.until('the other goes on', () => second.snapshot().status === 'downloading')
  void plain.stop(1000)
  await clock.advance(5000)
})
