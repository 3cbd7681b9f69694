// The routes of circuits by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { circuitRoutes } from '../http/circuits.ts'

/** Every route of the chapter. */
export type CircuitRoutes = RoutesOf<typeof circuitRoutes>

/** A circuit of the node. */
export type OwnCircuit = ReplyOf<CircuitRoutes, 'GET /debug/circuits'>['circuits'][number]

/** A circuit of others that passes through it, or ends at it. */
export type JoinedCircuit = ReplyOf<CircuitRoutes, 'GET /debug/circuits/relays'>['relays'][number]

/** The network they are made in. */
export type CircuitNetwork = ReplyOf<CircuitRoutes, 'GET /debug/circuits/network'>['network']

/** Whose bytes passed. */
export type CircuitTraffic = ReplyOf<CircuitRoutes, 'GET /debug/circuits/traffic'>['traffic']
