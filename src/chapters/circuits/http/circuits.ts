// The routes of onion circuits (spec 4.11 and 2.11; decisions part 5; decision 0395). They answer at any time and start
// nothing.

import { routeWith } from '../../../http/route.ts'
import type { CircuitRouteServices } from '../service/circuits-api.ts'
import { CircuitsReply, ExitsReply, NetworkReply, RelaysReply, SlotsReply, TrafficReply } from './circuit-schemas.ts'

const route = routeWith<CircuitRouteServices>()

const common = { kind: 'json', method: 'GET', scope: 'admin', tag: 'debug', parameters: null, errors: [] } as const

const circuits = route({
  ...common,
  id: 'debug.circuits',
  path: '/debug/circuits',
  summary: 'Onion circuits of this node',
  choices: [
    'States: EXTENDING, READY, CLOSING; the newest first. Empty before the overlays run, which an anonymous download starts.',
    '`hops` are those that have answered. Addresses are known of those that this node chose itself; a relay does not tell whom it chose.',
    'Extra: `member` of a hop, `purpose`, `speed_up`, `speed_down`, `rtt`, `loss`, `reason`.',
  ],
  reply: CircuitsReply,
  sample: { path: '/debug/circuits', status: 200 },
  run: ({ services }) => ({ circuits: services.circuits.circuits() }),
})

const slots = route({
  ...common,
  id: 'debug.slots',
  path: '/debug/circuits/slots',
  summary: 'Places for circuits that others build through this node',
  choices: [
    'The n-th record tells which circuit has the n-th place of either kind, 0 = none. The oldest circuits have the random ' +
      'places (setting tunnel_community.random_slots). Empty before the overlays run.',
  ],
  reply: SlotsReply,
  sample: { path: '/debug/circuits/slots', status: 200 },
  run: ({ services }) => ({ slots: services.circuits.slots() }),
})

const relays = route({
  ...common,
  id: 'debug.relays',
  path: '/debug/circuits/relays',
  summary: 'Circuits of others that this node passes on',
  choices: ['Extra. Introduction and rendezvous points too. The oldest first; what is in them this node cannot read.'],
  reply: RelaysReply,
  sample: { path: '/debug/circuits/relays', status: 200 },
  run: ({ services }) => ({ relays: services.circuits.relays() }),
})

const exits = route({
  ...common,
  id: 'debug.exits',
  path: '/debug/circuits/exits',
  summary: 'Circuits of others that leave the network here',
  choices: ['Extra. None unless setting tunnel_community.exitnode_enabled is on. The oldest first.'],
  reply: ExitsReply,
  sample: { path: '/debug/circuits/exits', status: 200 },
  run: ({ services }) => ({ exits: services.circuits.exits() }),
})

const traffic = route({
  ...common,
  id: 'debug.circuit-traffic',
  path: '/debug/circuits/traffic',
  summary: 'Bytes of circuits, by whose they were',
  choices: ['Extra. Own, relayed and exited bytes since the overlays started; zeros before.'],
  reply: TrafficReply,
  sample: { path: '/debug/circuits/traffic', status: 200 },
  run: ({ services }) => ({ traffic: services.circuits.traffic() }),
})

const network = route({
  ...common,
  id: 'debug.circuit-network',
  path: '/debug/circuits/network',
  summary: 'What is known of the network that circuits are made in',
  choices: ['Extra. Relays and exits known now, places for others, addresses. Zeros before the overlays run.'],
  reply: NetworkReply,
  sample: { path: '/debug/circuits/network', status: 200 },
  run: ({ services }) => ({ network: services.circuits.network() }),
})

/** Every route of this file. */
export const circuitRoutes = [circuits, slots, relays, exits, traffic, network] as const
