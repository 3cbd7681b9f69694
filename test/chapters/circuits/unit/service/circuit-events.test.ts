// Events of circuits: told with what they carried, and never so many that they fill the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellCircuitEvents } from '../../../../../src/chapters/circuits/service/circuit-events.ts'
import { FakeOverlay, ownCircuit } from '../../../overlay/kit/fake-overlay.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

type Told = [type: string, event: Record<string, unknown>]

function rig() {
  const [overlay, clock] = [new FakeOverlay(), new VirtualClock()]
  const told: Told[] = []
  const emit = (type: string, event?: unknown) => void told.push([type, event as Told[1]])
  const end = tellCircuitEvents(overlay, { clock, events: { emit }, log: silentLog })
  return { overlay, clock, told, end }
}

test('a circuit is ready, and removed with the reason and what it carried', async () => {
  const { overlay, clock, told, end } = rig()
  const circuit = ownCircuit(7, { createdAtMs: clock.wallMs() })
  overlay.happen({ kind: 'ready', circuit })
  await clock.advance(90_000)
  overlay.happen({ kind: 'removed', circuit, reason: 'Its second hop went away.' })
  assert.deepEqual(told, [
    ['circuit_ready', { circuit_id: 7, purpose: 'data', goal_hops: 3, skipped: 0 }],
    [
      'circuit_removed',
      {
        circuit_id: 7,
        purpose: 'data',
        goal_hops: 3,
        reason: 'Its second hop went away.',
        bytes_up: 7000,
        bytes_down: 140_000,
        uptime: 90,
        skipped: 0,
      },
    ],
  ])
  end()
  assert.equal(overlay.watchers, 0)
})

test('a network in which every circuit dies: a burst, then one a minute, which tells how many were left out', async () => {
  const { overlay, clock, told } = rig()
  const removed = { kind: 'removed', circuit: ownCircuit(1), reason: 'No answer.' } as const
  for (let i = 0; i < 1000; i += 1) overlay.happen(removed)
  assert.equal(told.length, 30)
  await clock.advance(60_000)
  overlay.happen(removed)
  overlay.happen(removed)
  assert.equal(told.length, 31)
  assert.equal(told[30]?.[1]['skipped'], 970)
  await clock.advance(60_000)
  overlay.happen({ kind: 'ready', circuit: ownCircuit(2) })
  assert.equal(told[31]?.[1]['skipped'], 1)
})
