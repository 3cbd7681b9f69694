// Figures of the overlays and their circuits for Prometheus. Read at a scrape, and only while the overlays run.

import type { OverlayFacts } from '../../overlay/ports/overlay-facts.ts'
import { counter, gauge } from '../../../services/diagnostics/metric-families.ts'
import type { MetricFamily, MetricSample } from '../../../services/diagnostics/metrics-api.ts'

const STATES = ['EXTENDING', 'READY', 'CLOSING'] as const
const ROLES = ['relay', 'exit', 'introduction', 'rendezvous'] as const

/** Circuits of this node and of others, candidates, bytes, and what passed each overlay. */
export function circuitFamilies(overlay: OverlayFacts): MetricFamily[] {
  const [own, joined, candidates] = [overlay.circuits(), overlay.joined(), overlay.candidates()]
  const places = overlay.places()
  return [
    gauge(
      'tributary_circuits',
      'Circuits of this node.',
      STATES.map(state => sample({ state: state.toLowerCase() }, own.filter(each => each.state === state).length)),
    ),
    gauge(
      'tributary_circuits_of_others',
      'Circuits of others that pass through this node or end here.',
      ROLES.map(role => sample({ role }, joined.filter(each => each.role === role).length)),
    ),
    gauge('tributary_circuit_places', 'Places for circuits of others.', [
      sample({ state: 'taken' }, places.taken),
      sample({ state: 'free' }, Math.max(0, places.total - places.taken)),
    ]),
    gauge('tributary_circuit_candidates', 'Peers that may be a hop, and those of them that are exits.', [
      sample({ kind: 'relay' }, candidates.relays),
      sample({ kind: 'exit' }, candidates.exits),
    ]),
    trafficFamily(overlay),
    ...packetFamilies(overlay),
  ]
}

function trafficFamily(overlay: OverlayFacts): MetricFamily {
  const { ownUp, ownDown, relayed, exitedUp, exitedDown } = overlay.traffic()
  return counter('tributary_circuit_bytes_total', 'Bytes of circuits, by whose they were.', [
    sample({ traffic: 'own', direction: 'up' }, ownUp),
    sample({ traffic: 'own', direction: 'down' }, ownDown),
    sample({ traffic: 'relayed', direction: 'both' }, relayed),
    sample({ traffic: 'exited', direction: 'up' }, exitedUp),
    sample({ traffic: 'exited', direction: 'down' }, exitedDown),
  ])
}

function packetFamilies(overlay: OverlayFacts): MetricFamily[] {
  const rows = overlay.overlays()
  return [
    counter(
      'tributary_overlay_packets_total',
      'Datagrams of each overlay of circuits.',
      rows.flatMap(({ name, packetsSent, packetsReceived, packetsDropped }) => [
        sample({ overlay: name, packets: 'sent' }, packetsSent),
        sample({ overlay: name, packets: 'received' }, packetsReceived),
        sample({ overlay: name, packets: 'dropped' }, packetsDropped),
      ]),
    ),
    counter(
      'tributary_overlay_bytes_total',
      'Bytes of each overlay of circuits.',
      rows.flatMap(({ name, bytesSent, bytesReceived }) => [
        sample({ overlay: name, direction: 'sent' }, bytesSent),
        sample({ overlay: name, direction: 'received' }, bytesReceived),
      ]),
    ),
  ]
}

function sample(labels: Readonly<Record<string, string>>, value: number): MetricSample {
  return { labels, value }
}
