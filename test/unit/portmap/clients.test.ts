// The clients of NAT-PMP and PCP on the virtual clock: how often they ask, whom they believe, what each result means,
// and when they notice that a gateway has restarted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayRoute } from '../../../src/ports/gateway.ts'
import { GatewayEpoch } from '../../../src/portmap/epoch.ts'
import { MapError, type MapOrder, type MappingClient } from '../../../src/portmap/mapping-client.ts'
import { NatPmpClient } from '../../../src/portmap/nat-pmp-client.ts'
import { PcpClient } from '../../../src/portmap/pcp-client.ts'
import { MemoryUdp } from '../../kit/sim/memory-udp.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const ROUTE: GatewayRoute = { family: 4, ip: '192.168.1.1', localIp: '192.168.1.2', prefixBits: 24 }
const ORDER: MapOrder = { protocol: 'tcp', internalPort: 6881, externalPort: 6881, lifetimeSec: 3600 }
const GATEWAY = { ip: '192.168.1.1', port: 5351 }
const never = new AbortController().signal

/** A client with what it works with. */
function world(name: 'PCP' | 'NAT-PMP') {
  const clock = new VirtualClock()
  const udp = new MemoryUdp()
  const deps = { clock, udp, random: new SeededRandom(4) }
  const client: MappingClient = name === 'PCP' ? new PcpClient(ROUTE, deps) : new NatPmpClient(ROUTE, deps)
  return { clock, udp, client }
}

/** The failure of a promise that must reject, with time passing. */
async function failureOf(clock: VirtualClock, promise: Promise<unknown>): Promise<string> {
  let failure = ''
  promise.then(
    () => {
      failure = 'none'
    },
    (error: unknown) => {
      failure = error instanceof MapError ? error.failure : String(error)
    },
  )
  await clock.until('an end', () => failure !== '', 60_000)
  return failure
}

function natPmpMapping(request: Buffer, epochSec = 1000, result = 0): Buffer {
  const bytes = Buffer.alloc(16)
  bytes[1] = 128 + (request[1] ?? 0)
  bytes.writeUInt16BE(result, 2)
  bytes.writeUInt32BE(epochSec, 4)
  request.copy(bytes, 8, 4, 12)
  return bytes
}

function pcpMapping(request: Buffer, epochSec = 1000, result = 0): Buffer {
  const bytes = Buffer.from(request)
  bytes[1] = 0x81
  bytes[3] = result
  bytes.writeUInt32BE(epochSec, 8)
  return bytes
}

test('a silent gateway is asked five times, later and later, then counts as one that cannot', async () => {
  for (const name of ['PCP', 'NAT-PMP'] as const) {
    const { clock, udp, client } = world(name)
    const startMs = clock.now()
    const times: number[] = []
    udp.answer = () => {
      times.push(clock.now() - startMs)
      return null
    }
    assert.equal(await failureOf(clock, client.map(ORDER, never)), 'unsupported')
    assert.deepEqual(times, [0, 250, 750, 1750, 3750])
    assert.equal(clock.now() - startMs, 7750)
    assert.ok(udp.sent.every(({ to }) => to.ip === GATEWAY.ip && to.port === GATEWAY.port))
    await client.close()
    assert.equal(udp.open, 0)
    assert.equal(clock.pending, 0)
  }
})

test('only the gateway itself is believed, and only about what was asked', async () => {
  const { clock, udp, client } = world('NAT-PMP')
  let mapped: unknown = null
  void client.map(ORDER, never).then(result => {
    mapped = result
  })
  await clock.advance(10)
  const request = udp.sent[0]?.bytes ?? assert.fail('nothing was sent')
  const good = natPmpMapping(request)
  udp.receive(good, { ip: '192.168.1.3', port: 5351 })
  udp.receive(good, { ip: '192.168.1.1', port: 5350 })
  const otherPort = Buffer.from(good)
  otherPort.writeUInt16BE(1, 8)
  udp.receive(otherPort, GATEWAY)
  const otherProtocol = Buffer.from(good)
  otherProtocol[1] = 129
  udp.receive(otherProtocol, GATEWAY)
  udp.receive(Buffer.alloc(3), GATEWAY)
  udp.receive(Buffer.alloc(2000, 7), GATEWAY)
  await clock.advance(10)
  assert.equal(udp.sent.length, 1, 'still waiting for the mapping')
  udp.receive(good, GATEWAY)
  await clock.advance(10)
  assert.equal(udp.sent.length, 2, 'now the address is asked for')
  udp.receive(Buffer.from('00800000000003e8c6336407', 'hex'), GATEWAY)
  await clock.advance(10)
  assert.deepEqual(mapped, { externalPort: 6881, externalIp: '198.51.100.7', lifetimeSec: 3600, restarted: false })
  await client.close()
})

test('PCP: an answer with another nonce is not one', async () => {
  const { clock, udp, client } = world('PCP')
  udp.answer = request => {
    const answer = pcpMapping(request)
    answer[24] = (answer[24] ?? 0) ^ 1
    return answer
  }
  assert.equal(await failureOf(clock, client.map(ORDER, never)), 'unsupported')
  await client.close()
})

test('PCP: a mapping keeps its nonce, another protocol has another', async () => {
  const { clock, udp, client } = world('PCP')
  udp.answer = request => pcpMapping(request)
  await client.map(ORDER, never)
  await client.map(ORDER, never)
  await client.map({ ...ORDER, protocol: 'udp' }, never)
  await client.unmap(ORDER, never)
  const nonces = udp.sent.map(({ bytes }) => bytes.toString('hex', 24, 36))
  assert.equal(nonces[0], nonces[1])
  assert.notEqual(nonces[0], nonces[2])
  assert.equal(nonces[0], nonces[3])
  const last = udp.sent[3]?.bytes ?? assert.fail()
  assert.equal(last.readUInt32BE(4), 0, 'lifetime 0 takes it away')
  assert.equal(clock.pending, 0)
  await client.close()
})

test('what each result means', async () => {
  const meanings = {
    'NAT-PMP': { 1: 'unsupported', 2: 'refused', 3: 'temporary', 4: 'temporary', 5: 'unsupported', 77: 'temporary' },
    PCP: {
      1: 'unsupported',
      2: 'refused',
      4: 'unsupported',
      7: 'temporary',
      8: 'temporary',
      12: 'refused',
      200: 'temporary',
    },
  } as const
  for (const name of ['PCP', 'NAT-PMP'] as const) {
    for (const [result, failure] of Object.entries(meanings[name])) {
      const { clock, udp, client } = world(name)
      const answer = name === 'PCP' ? pcpMapping : natPmpMapping
      udp.answer = request => answer(request, 1000, Number(result))
      assert.equal(await failureOf(clock, client.map(ORDER, never)), failure, `${name} ${result}`)
      assert.equal(udp.sent.length, 1, 'not asked again')
      await client.close()
    }
  }
})

test('a NAT-PMP gateway that is asked in PCP says so at once', async () => {
  const { clock, udp, client } = world('PCP')
  udp.answer = () => Buffer.from('0081000100000001', 'hex')
  assert.equal(await failureOf(clock, client.map(ORDER, never)), 'unsupported')
  assert.equal(udp.sent.length, 1)
  await client.close()
})

test('a mapping without life or port is none; an address that is not told is no failure', async () => {
  const { clock, udp, client } = world('NAT-PMP')
  udp.answer = request => {
    const answer = natPmpMapping(request)
    answer.writeUInt32BE(0, 12)
    return answer
  }
  assert.equal(await failureOf(clock, client.map(ORDER, never)), 'refused')
  udp.answer = request => (request[1] === 0 ? Buffer.from('0080000300000001', 'hex') : natPmpMapping(request))
  assert.equal((await client.map(ORDER, never)).externalIp, null)
  await client.close()
})

test('given up: at once, with nothing left', async () => {
  const { clock, udp, client } = world('NAT-PMP')
  const abort = new AbortController()
  const failure = failureOf(clock, client.map(ORDER, abort.signal))
  abort.abort()
  assert.equal(await failure, 'temporary')
  assert.equal(clock.pending, 0)
  await client.close()
  assert.equal(await failureOf(clock, client.map(ORDER, never)), 'temporary')
  assert.equal(udp.open, 0)
})

test('a gateway whose clock fell back, or ran away, has lost its mappings', async () => {
  const { clock, udp, client } = world('PCP')
  let epochSec = 5000
  udp.answer = request => pcpMapping(request, epochSec)
  const restarted = async (laterMs: number, nextSec: number): Promise<boolean> => {
    await clock.advance(laterMs)
    epochSec = nextSec
    return (await client.map(ORDER, never)).restarted
  }
  assert.equal(await restarted(0, 5000), false)
  assert.equal(await restarted(600_000, 5600), false)
  assert.equal(await restarted(600_000, 6190), false, 'clocks differ a little')
  assert.equal(await restarted(600_000, 20), true)
  assert.equal(await restarted(600_000, 620), false)
  assert.equal(await restarted(600_000, 9000), true, 'another gateway')
  await client.close()
})

test('PCP: clocks may differ by a sixteenth', async () => {
  const { clock, udp, client } = world('PCP')
  let epochSec = 5000
  udp.answer = request => pcpMapping(request, epochSec)
  await client.map(ORDER, never)
  // 1,600 s there may be 1,500 here and 2 less, but no less than that.
  for (const [hereSec, isLost] of [
    [1499, false],
    [1497, true],
  ] as const) {
    await clock.advance(hereSec * 1000)
    epochSec += 1600
    assert.equal((await client.map(ORDER, never)).restarted, isLost, `${hereSec}`)
  }
  await client.close()
})

test('epochs: how far clocks may differ', () => {
  const nat = new GatewayEpoch(8)
  assert.equal(nat.lost(0, 100), false)
  assert.equal(nat.lost(800_000, 100 + 700), false, '7/8 of the time')
  assert.equal(nat.lost(1_600_000, 800 + 690), true)
  assert.equal(nat.lost(1_600_000, 1489), false, 'a second back at once is rounding')
  assert.equal(nat.lost(1_600_000, 1480), true)
})
