// The figures of a node with circuits: theirs while overlays run, none before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circuitFamilies } from '../../../../../src/chapters/circuits/service/circuit-metrics.ts'
import { assertNames, engine, familiesOf, rows } from '../../../../unit/services/metrics-rig.ts'
import { FakeOverlay } from '../../../overlay/kit/fake-overlay.ts'

function rowsWith(overlay: FakeOverlay | null): Promise<Map<string, number>> {
  return rows(engine, overlay, () => (overlay?.running === true ? circuitFamilies(overlay) : []))
}

test('circuits: states, roles, places, candidates and bytes while overlays run; nothing of them before', async () => {
  const found = await rowsWith(new FakeOverlay().withEverything())
  const expected: [string, number][] = [
    ['tributary_overlay_nodes mainline_dht4', 12],
    ['tributary_overlay_nodes TunnelCommunity', 9],
    ['tributary_circuits ready', 2],
    ['tributary_circuits extending', 1],
    ['tributary_circuits closing', 1],
    ['tributary_circuits_of_others exit', 1],
    ['tributary_circuits_of_others rendezvous', 0],
    ['tributary_circuit_places taken', 3],
    ['tributary_circuit_places free', 17],
    ['tributary_circuit_candidates exit', 4],
    ['tributary_circuit_bytes_total own down', 90_000_000],
    ['tributary_circuit_bytes_total relayed both', 5_000_000],
    ['tributary_circuit_bytes_total exited up', 70_000],
    ['tributary_overlay_packets_total TunnelCommunity dropped', 3],
    ['tributary_overlay_bytes_total TunnelCommunity received', 2000],
  ]
  for (const [name, value] of expected) assert.equal(found.get(name), value, name)
  for (const quiet of [null, new FakeOverlay()]) {
    assert.ok(![...(await rowsWith(quiet)).keys()].some(name => name.includes('circuit')))
  }
})

test('names are those of Prometheus, and none is that of a figure of the core', async () => {
  const overlay = new FakeOverlay().withEverything()
  assertNames(await familiesOf(engine, overlay, () => circuitFamilies(overlay)))
})
