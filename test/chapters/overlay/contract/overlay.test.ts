// Overlays over real sockets and real keys on loopback: nodes find each other, and values, by one address; a taken port
// says so; rubbish from another socket changes nothing.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { type BootstrapAddress, Overlays } from '../../../../src/chapters/overlay/core/index.ts'
import type { UdpNetwork } from '../../../../src/ports/udp.ts'
import { FakeNames } from '../kit/overlay-network.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { datagramNetworks } from '../../../kit/datagram-networks.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const random = new SystemRandom()
const crypto = makeOverlayCrypto(random)
const clock = new SystemClock()

function makeOver(udp: UdpNetwork, t: TestContext, bootstrap: readonly BootstrapAddress[], port = 0): Overlays {
  const pair = crypto.generate()
  const { publicKey, mid } = pair
  const overlays = new Overlays(
    { ip: '127.0.0.1', port, bootstrap },
    {
      udp,
      clock,
      random,
      log: silentLog,
      check: crypto,
      resolver: new FakeNames(),
      identity: { publicKey, mid, member: Buffer.from(mid).toString('hex'), sign: bytes => pair.sign(bytes) },
      localIps: () => [],
    },
  )
  t.after(() => overlays.stop())
  return overlays
}

for (const [name, over] of Object.entries(datagramNetworks)) {
  const udp = over()
  const make = (t: TestContext, bootstrap: readonly BootstrapAddress[], port?: number) =>
    makeOver(udp, t, bootstrap, port)

  test(`${name}: six nodes find each other by one address, and what one stores`, async t => {
    const first = make(t, [])
    await first.start()
    const at = first.lanAddress
    assert.ok(at !== null)
    const others = Array.from({ length: 5 }, () => make(t, [{ host: at.ip, port: at.port }]))
    await Promise.all(others.map(each => each.start()))
    const all = [first, ...others]
    await waitFor('all know each other', () => all.every(each => each.dhtStats.nodes >= 4), 60_000)
    const key = random.bytes(20)
    await waitFor(
      'it is stored',
      async () => (await others[0]?.dht.store(key, Buffer.from('here'), { signed: true })) !== 0,
    )
    const found = await others[4]?.dht.find(key)
    assert.equal(Buffer.from(found?.[0]?.data ?? []).toString(), 'here')
    const rubbish = await udp.bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => undefined)
    t.after(() => rubbish.close())
    const before = first.counts.packetsUnknown
    for (let bytes = 0; bytes < 200; bytes++) rubbish.send(random.bytes(bytes), at)
    await waitFor('it came', () => first.counts.packetsUnknown >= before + 100)
    assert.ok(first.rows().every(row => row.peers > 0))
  })

  test(`${name}: a port that is taken is said to be`, async t => {
    const one = make(t, [])
    await one.start()
    const two = make(t, [], one.lanAddress?.port ?? 0)
    await assert.rejects(two.start(), (error: unknown) => error instanceof AppError && error.code === 'PortTaken')
    await one.stop()
    assert.equal(one.lanAddress, null)
    one.open({ communityId: random.bytes(20), name: 'late' }).introductions.ask({ ip: '127.0.0.1', port: 9 })
    assert.equal(one.counts.packetsSent, 0)
  })
}
