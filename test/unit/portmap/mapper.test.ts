// Port mapping as a whole on the virtual clock, with scripted clients: order of protocols, renewal, failures, restarts,
// gateways that come and go, the end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayRoute } from '../../../src/ports/gateway.ts'
import { PortMapper } from '../../../src/portmap/mapper.ts'
import { MapError, type Mapped, type MapOrder, type MappingClient } from '../../../src/portmap/mapping-client.ts'
import type { MappingRow } from '../../../src/portmap/route-mapper.ts'
import { MemoryUdp } from '../../kit/sim/memory-udp.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const MINUTE = 60_000
const HOME: GatewayRoute = { family: 4, ip: '192.168.1.1', localIp: '192.168.1.2', prefixBits: 24 }
const AWAY: GatewayRoute = { family: 4, ip: '10.9.0.1', localIp: '10.9.0.5', prefixBits: 16 }

/** A client whose answers a test writes. */
class ScriptedClient implements MappingClient {
  readonly name: MappingClient['name']
  readonly calls: string[] = []
  closed = false
  answer: (order: MapOrder) => Mapped | MapError
  /** Never settles until the signal fires. */
  hangs = false
  readonly #clock: VirtualClock

  constructor(name: MappingClient['name'], clock: VirtualClock, answer: ScriptedClient['answer']) {
    this.name = name
    this.#clock = clock
    this.answer = answer
  }

  async map(order: MapOrder, signal: AbortSignal): Promise<Mapped> {
    this.calls.push(
      `map ${order.protocol} ${order.externalPort} @${Math.round((this.#clock.now() - 1_000_000) / 1000)}`,
    )
    if (this.hangs) await aborted(signal)
    const answer = this.answer(order)
    if (answer instanceof MapError) throw answer
    return answer
  }

  async unmap(order: MapOrder, signal: AbortSignal): Promise<void> {
    this.calls.push(`unmap ${order.protocol} ${order.externalPort}`)
    if (this.hangs) await aborted(signal)
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => reject(new MapError('temporary', 'given up'))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}

const works = (order: MapOrder): Mapped => ({
  externalPort: order.externalPort,
  externalIp: '198.51.100.7',
  lifetimeSec: order.lifetimeSec,
  restarted: false,
})
const cannot = (): MapError => new MapError('unsupported', 'cannot')

/** A mapper with scripted clients, new ones for each gateway. `hangs`: no client ever answers. */
function world(answers: Partial<Record<MappingClient['name'], ScriptedClient['answer']>>, hangs = false) {
  const clock = new VirtualClock()
  const clients: ScriptedClient[] = []
  const told: (readonly MappingRow[])[] = []
  const state = { routes: [HOME] as readonly GatewayRoute[] }
  const mapper = new PortMapper(
    { portAt: () => 6881, description: 'test' },
    {
      gateways: { routes: () => Promise.resolve(state.routes) },
      udp: new MemoryUdp(),
      http: { send: () => Promise.reject(new Error('no HTTP in this test')) },
      clock,
      random: new SeededRandom(1),
      log: silentLog,
      changed: rows => told.push(rows),
      clientsFor: () => {
        const made = (['PCP', 'NAT-PMP', 'UPnP'] as const).map(
          name => new ScriptedClient(name, clock, answers[name] ?? cannot),
        )
        for (const client of made) client.hangs = hangs
        clients.push(...made)
        return made
      },
    },
  )
  const stop = async (deadlineMs = 1000): Promise<void> => {
    let stopped = false
    void mapper.stop(deadlineMs).then(() => {
      stopped = true
    })
    await clock.until('stopped', () => stopped, 60_000)
    assert.equal(clock.pending, 0, 'a timer was left')
    assert.ok(clients.every(client => client.closed))
  }
  return { clock, clients, told, state, mapper, stop }
}

const callsOf = (client: ScriptedClient | undefined): string[] => client?.calls ?? []

test('the first protocol that maps is used, both protocols are mapped, and taken away at the end', async () => {
  const { clock, clients, told, mapper, stop } = world({ 'NAT-PMP': works, UPnP: works })
  mapper.start()
  mapper.start()
  await clock.advance(1000)
  const [pcp, natPmp, upnp] = clients
  assert.deepEqual(callsOf(pcp), ['map tcp 6881 @0', 'map udp 6881 @0'])
  assert.deepEqual(callsOf(natPmp), ['map tcp 6881 @0', 'map udp 6881 @0'])
  assert.deepEqual(callsOf(upnp), [])
  const row = {
    gateway: '192.168.1.1',
    via: 'NAT-PMP',
    internalPort: 6881,
    externalPort: 6881,
    externalIp: '198.51.100.7',
  }
  assert.deepEqual(mapper.rows(), [
    { ...row, protocol: 'tcp' },
    { ...row, protocol: 'udp' },
  ])
  assert.equal(told.length, 2)
  assert.deepEqual(mapper.problems(), [])
  await stop()
  assert.deepEqual(callsOf(natPmp).slice(2), ['unmap tcp 6881', 'unmap udp 6881'])
  assert.deepEqual(mapper.rows(), [])
})

test('renewed at half their life at the latest, with the port that was given', async () => {
  const given = (lifetimeSec: number) => (order: MapOrder) => ({ ...works(order), externalPort: 7000, lifetimeSec })
  const short = world({ PCP: given(600) })
  short.mapper.start()
  await short.clock.advance(11 * MINUTE)
  assert.deepEqual(
    callsOf(short.clients[0]).filter(call => call.includes('tcp')),
    ['map tcp 6881 @0', 'map tcp 7000 @300', 'map tcp 7000 @600'],
  )
  assert.equal(short.told.length, 2, 'what stays as it is needs no telling')
  await short.stop()
  const long = world({ PCP: given(86_400) })
  long.mapper.start()
  await long.clock.advance(31 * MINUTE)
  assert.equal(callsOf(long.clients[0]).filter(call => call.includes('tcp')).length, 3, 'a restart is noticed in time')
  await long.stop()
  const mad = world({ PCP: given(1) })
  mad.mapper.start()
  await mad.clock.advance(10 * MINUTE)
  assert.ok(callsOf(mad.clients[0]).length <= 44, 'a gateway cannot make us ask all the time')
  await mad.stop()
})

test('when nothing maps, all are tried again, later and later', async () => {
  const { clock, clients, mapper, stop } = world({})
  mapper.start()
  await clock.advance(8 * MINUTE)
  const times = callsOf(clients[0]).filter(call => call.includes('tcp'))
  assert.deepEqual(times, ['map tcp 6881 @0', 'map tcp 6881 @60', 'map tcp 6881 @180', 'map tcp 6881 @420'])
  assert.deepEqual(mapper.problems(), [{ gateway: '192.168.1.1', problem: 'UPnP: cannot' }])
  await stop()
  assert.ok(clients.every(client => !client.calls.some(call => call.startsWith('unmap'))))
})

test('renewals that fail are tried three times, then everything begins again', async () => {
  const { clock, clients, told, mapper, stop } = world({ PCP: works, UPnP: works })
  mapper.start()
  await clock.advance(1000)
  const [pcp, , upnp] = clients
  assert.ok(pcp)
  pcp.answer = cannot
  await clock.advance(17 * MINUTE)
  assert.equal(mapper.rows()[0]?.via, 'UPnP')
  assert.deepEqual(
    callsOf(pcp).filter(call => call.includes('tcp')),
    ['map tcp 6881 @0', 'map tcp 6881 @900', 'map tcp 6881 @920', 'map tcp 6881 @940', 'map tcp 6881 @940'],
  )
  assert.equal(callsOf(upnp).length, 2)
  assert.ok(
    told.some(rows => rows.length === 0),
    'the loss was told',
  )
  await stop()
})

test('one protocol that fails does not take the other away', async () => {
  const { clock, mapper, stop } = world({
    PCP: order => (order.protocol === 'udp' ? new MapError('refused', 'no') : works(order)),
  })
  mapper.start()
  await clock.advance(1000)
  assert.deepEqual(
    mapper.rows().map(row => row.protocol),
    ['tcp'],
  )
  await stop()
})

test('a mapping that is not renewed is not shown any more when its time is over', async () => {
  const { clock, clients, mapper, stop } = world({ PCP: order => ({ ...works(order), lifetimeSec: 600 }) })
  mapper.start()
  await clock.advance(1000)
  const [pcp] = clients
  assert.ok(pcp)
  pcp.answer = order => (order.protocol === 'udp' ? cannot() : { ...works(order), lifetimeSec: 600 })
  await clock.advance(6 * MINUTE)
  assert.equal(mapper.rows().length, 2, 'it stands for a while')
  await clock.advance(5 * MINUTE)
  assert.deepEqual(
    mapper.rows().map(row => row.protocol),
    ['tcp'],
  )
  await stop()
})

test('a gateway that restarted between two answers gets both mappings again, a mad one not for ever', async () => {
  const { clock, clients, mapper, stop } = world({ PCP: works })
  mapper.start()
  await clock.advance(1000)
  const [pcp] = clients
  assert.ok(pcp)
  pcp.answer = order => ({ ...works(order), restarted: order.protocol === 'udp' })
  const before = pcp.calls.length
  await clock.advance(15 * MINUTE)
  assert.equal(pcp.calls.length - before, 4, 'both, and both once more')
  await stop()
})

test('gateways are followed: a new one is mapped through, one that is gone is left', async () => {
  const { clock, clients, state, mapper, stop } = world({ PCP: works })
  mapper.start()
  await clock.advance(1000)
  state.routes = [AWAY]
  await clock.advance(MINUTE)
  assert.deepEqual(
    mapper.rows().map(row => `${row.gateway} ${row.protocol}`),
    ['10.9.0.1 tcp', '10.9.0.1 udp'],
  )
  assert.deepEqual(
    clients.map(client => client.closed),
    [true, true, true, false, false, false],
  )
  state.routes = []
  await clock.advance(MINUTE)
  assert.deepEqual(mapper.rows(), [])
  await stop()
})

test('the end: a gateway that hangs is waited for no longer than it may take', async () => {
  const { clock, clients, mapper, stop } = world({ PCP: works })
  mapper.start()
  await clock.advance(1000)
  for (const client of clients) client.hangs = true
  const startMs = clock.now()
  await stop(2000)
  assert.equal(clock.now() - startMs, 2000)
  await stop()
})

test('what was asked for when the end came is taken away too: the gateway may have mapped it', async () => {
  const { clock, clients, mapper, stop } = world({ PCP: works }, true)
  mapper.start()
  await clock.advance(5000)
  assert.deepEqual(callsOf(clients[0]), ['map tcp 6881 @0'])
  await stop()
  assert.deepEqual(mapper.rows(), [])
  assert.deepEqual(callsOf(clients[0]).slice(1), ['unmap tcp 6881'])
})
