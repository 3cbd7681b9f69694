// A node of the overlay network against packets that begin like true ones: changed, cut, with any numbers and texts,
// all of them signed as far as the node can tell, so that every handler sees them. No handler throws and nothing grows.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import { Overlays } from '../../../../src/chapters/overlay/core/index.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { UdpNetwork } from '../../../../src/ports/udp.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import { fakeIdentity } from '../kit/fake-keys.ts'
import { fuzz } from '../../../kit/sim/fuzz.ts'
import { FakeNames } from '../kit/overlay-network.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'

const path = join(projectRoot, 'test/vectors/ipv8-live/overlays.json')
const { packets } = JSON.parse(readFileSync(path, 'utf8')) as { packets: readonly { readonly hex: string }[] }
const recorded = packets.map(({ hex }) => new Uint8Array(Buffer.from(hex, 'hex')))

/** Time goes on with each packet, so that no budget hides what is behind it; nothing expires. */
let nowMs = 0
const timer = { cancel: () => undefined }
const clock: Clock = { now: () => nowMs, wallMs: () => nowMs, after: () => timer, every: () => timer }

let receive: (bytes: Uint8Array, from: PeerAddress) => void = () => undefined
let sent = 0
const udp: UdpNetwork = {
  bind: (_at, to) => {
    receive = to
    const socket = { address: { ip: '0.0.0.0', port: 8090 }, send: () => void sent++, close: () => Promise.resolve() }
    return Promise.resolve(socket)
  },
}
const errors: unknown[] = []
const overlays = new Overlays(
  { ip: null, port: 8090, bootstrap: [] },
  {
    udp,
    clock,
    random: new SeededRandom(4),
    resolver: new FakeNames(),
    localIps: () => ['192.168.0.2'],
    log: { ...silentLog, error: (_message, fields) => errors.push(fields) },
    identity: fakeIdentity('us'),
    check: { verify: () => true },
  },
)
const tunnels = overlays.open({
  communityId: communityIdBytes(COMMUNITY_IDS.plainTunnels) ?? new Uint8Array(20),
  name: 'TunnelCommunity',
})
tunnels.introductions.setExtra(() => Uint8Array.of(0, 9))
await overlays.start()

fuzz('any packets', 1, source => {
  for (let i = 0; i < 50; i++) {
    nowMs += 1_000
    const packet = source.pick(recorded)
    const bytes = source.mutate(packet)
    if (source.below(8) > 0) bytes.set(packet.subarray(0, Math.min(22, bytes.length)))
    const from = { ip: `${20 + source.below(60)}.${source.below(256)}.0.1`, port: 1 + source.below(60_000) }
    const before = sent
    receive(bytes, from)
    // An answer, a puncture for it, a ping or a question.
    assert.ok(sent - before <= 4, `${sent - before} datagrams for one`)
  }
  assert.deepEqual(errors, [])
  for (const row of overlays.rows()) assert.ok(row.peers <= 256)
  const { targets, storedPeers } = overlays.dhtStats
  assert.ok(targets <= 4_096 && storedPeers <= 512)
})
