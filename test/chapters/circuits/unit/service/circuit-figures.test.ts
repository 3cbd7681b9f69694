// What is shown of circuits: nothing before overlays run, then each figure in its place.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CircuitFigures } from '../../../../../src/chapters/circuits/service/circuit-figures.ts'
import { FakeOverlay, joinedCircuit, ownCircuit } from '../../../overlay/kit/fake-overlay.ts'

const quiet = { forbiddenBy: () => '', startFailure: () => '' }

function figures(overlay: FakeOverlay | null, random = 2): CircuitFigures {
  return new CircuitFigures({ overlay: () => overlay, randomSlots: () => random, ...quiet })
}

test('while the node starts, and before overlays run: zeros and empty lists', () => {
  const idle = new FakeOverlay().withEverything()
  idle.running = false
  idle.bytes = new FakeOverlay().bytes
  for (const made of [figures(null), figures(idle)]) {
    for (const list of [made.circuits(), made.slots(), made.relays(), made.exits()]) assert.deepEqual(list, [])
    assert.deepEqual(made.traffic(), { own_up: 0, own_down: 0, relayed: 0, exited_up: 0, exited_down: 0 })
    assert.deepEqual(made.network(), {
      running: false,
      wan_address: '0.0.0.0:0',
      lan_address: '0.0.0.0:0',
      runtime: 0,
      relays: 0,
      exits: 0,
      places: 0,
      places_taken: 0,
      reason: 'The overlays do not run: nothing has asked for circuits yet.',
    })
  }
})

test('a circuit: the names of the specification, a hop without address is unknown, the newest first', () => {
  const overlay = new FakeOverlay().withEverything()
  const circuits = figures(overlay).circuits()
  assert.deepEqual(
    circuits.map(({ id }) => id),
    [14, 13, 12, 11],
  )
  assert.deepEqual(circuits[3], {
    id: 11,
    state: 'READY',
    goal_hops: 3,
    bytes_up: 11_000,
    bytes_down: 220_000,
    created: 1_795_000_000,
    hops: [
      { host: '203.0.113.11:7759', member: '111'.padStart(40, '0') },
      { host: 'unknown', member: '112'.padStart(40, '0') },
      { host: 'unknown', member: '113'.padStart(40, '0') },
    ],
    purpose: 'data',
    speed_up: 10,
    speed_down: 2_500_001,
    rtt: 84.3,
    loss: 0.02,
    reason: '',
  })
  assert.equal(circuits[1]?.rtt, null)
  assert.match(circuits[1]?.reason ?? '', /third hop/)
})

test('circuits of others: exits apart from those that pass through', () => {
  const made = figures(new FakeOverlay().withEverything())
  assert.deepEqual(
    made.relays().map(({ id, role, to }) => [id, role, to]),
    [
      [21, 'relay', '198.51.100.9:7001'],
      [23, 'introduction', ''],
    ],
  )
  assert.deepEqual(made.exits(), [
    {
      id: 22,
      role: 'exit',
      from: '198.51.100.4:7000',
      to: '',
      bytes_up: 30,
      bytes_down: 40,
      created: 1_795_000_000,
    },
  ])
  assert.deepEqual(made.traffic(), {
    own_up: 1_000_000,
    own_down: 90_000_000,
    relayed: 5_000_000,
    exited_up: 70_000,
    exited_down: 80_000,
  })
  assert.deepEqual(made.network(), {
    running: true,
    wan_address: '192.0.2.77:7759',
    lan_address: '192.168.1.5:7759',
    runtime: 61.5,
    relays: 21,
    exits: 4,
    places: 20,
    places_taken: 3,
    reason: '',
  })
})

test('slots: the oldest circuits have the random places, the others compete; a settled bound whatever is asked', () => {
  const overlay = new FakeOverlay()
  overlay.running = true
  overlay.placesNow = { total: 5, taken: 3 }
  overlay.others = [joinedCircuit(33), joinedCircuit(31), joinedCircuit(32)]
  assert.deepEqual(figures(overlay).slots(), [
    { competing: 33, random: 31 },
    { competing: 0, random: 32 },
    { competing: 0, random: 0 },
  ])
  assert.deepEqual(
    figures(overlay, 9)
      .slots()
      .map(({ random }) => random),
    [31, 32, 33, 0, 0],
  )
  overlay.placesNow = { total: 1e9, taken: 3 }
  assert.equal(figures(overlay, 0).slots().length, 1000)
})

test('a circuit of its own that is new comes first, whatever its number', () => {
  const overlay = new FakeOverlay()
  overlay.running = true
  overlay.own = [ownCircuit(2), ownCircuit(1, { createdAtMs: Date.UTC(2030, 0) })]
  assert.deepEqual(
    figures(overlay)
      .circuits()
      .map(({ id }) => id),
    [1, 2],
  )
})

test('why no circuit is ready: the first thing that is missing on the way to one', () => {
  const overlay = new FakeOverlay()
  overlay.running = true
  const reason = () => figures(overlay).network().reason
  assert.match(reason(), /Looking for peers/)
  overlay.runtime = 61
  assert.match(reason(), /No peer of the network answers.*ipv8/)
  overlay.known = { relays: 5, exits: 0 }
  assert.match(reason(), /^5 relays are known, none of them lets traffic out/)
  overlay.known = { relays: 5, exits: 2 }
  assert.match(reason(), /No download asks for circuits now/)
  overlay.own = [ownCircuit(1, { state: 'EXTENDING', reason: 'The second hop does not answer.' })]
  assert.equal(reason(), 'A circuit is being built. The second hop does not answer.')
  overlay.own = [...overlay.own, ownCircuit(2, { purpose: 'introduction-seeder' })]
  assert.match(reason(), /^A circuit is being built/, 'one of another purpose carries no downloads')
  overlay.own = [...overlay.own, ownCircuit(3)]
  assert.equal(reason(), '')
  const idle = { overlay: () => null, randomSlots: () => 0, ...quiet }
  const failed = { ...idle, startFailure: () => 'The overlay could not be started: its port is taken.' }
  assert.match(new CircuitFigures(failed).network().reason, /port is taken/)
  const forbidden = new CircuitFigures({ ...failed, forbiddenBy: () => 'ipv8.enabled' })
  assert.match(
    forbidden.network().reason,
    /off by the setting ipv8\.enabled: .* Switch it on in the settings, and restart the node\.$/,
  )
})
