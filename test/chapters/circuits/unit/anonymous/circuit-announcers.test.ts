// Announcers over circuits: hidden swarms learn what is wanted of them also without announces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInfoHash, type InfoHash } from '../../../../../src/base/ids.ts'
import { CircuitAnnouncers } from '../../../../../src/chapters/circuits/anonymous/circuit-announcers.ts'
import { FakeAnnouncers } from '../../../../kit/doubles/fake-announcers.ts'
import { MemoryCircuits } from '../../kit/memory-circuits.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

test('a torrent that needs no more peers, or is complete, is noticed within five seconds', async () => {
  const clock = new VirtualClock()
  const lane = new MemoryCircuits(clock).lane(1, 0)
  const announcers = new CircuitAnnouncers({ clock, lane, open: new FakeAnnouncers(), hidden: () => undefined })
  let [left, wanted] = [10, 5]
  const announcer = announcers.create({
    infoHash: parseInfoHash('ab'.repeat(20)) as InfoHash,
    infoHashV2: null,
    tiers: [],
    isPrivate: () => false,
    counters: () => ({ uploaded: 0, downloaded: 0, left, corrupt: 0 }),
    wantedPeers: () => wanted,
    onPeers: () => undefined,
  } as unknown as Parameters<CircuitAnnouncers['create']>[0])
  announcer.start()
  const [swarm] = lane.swarms
  assert.deepEqual([swarm?.seeding, swarm?.sated], [false, false])
  wanted = 0
  await clock.advance(5_000)
  assert.deepEqual([swarm?.seeding, swarm?.sated], [false, true])
  left = 0
  await clock.advance(5_000)
  assert.deepEqual([swarm?.seeding, swarm?.sated], [true, true])
  await announcer.stop(0)
  assert.equal(clock.pending, 0)
})
