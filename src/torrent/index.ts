// The public face of the engine: what services/ and compose.ts may use of it.

export { ExternalAddress } from './peers/external-address.ts'
export type { EncryptionSettings } from './peers/connection-policy.ts'
export { buildIpFilter, IpFilter, ipFilterOf } from './peers/ip-filter.ts'
export { Session } from './session/session.ts'
export type { SessionLimits, SessionOptions } from './session/session-types.ts'
export type { NetworkTrouble, SwarmParts } from './swarm-parts.ts'
export type {
  TorrentControls,
  TorrentEvents,
  TorrentHandle,
  TorrentSpec,
  WebSeedRow,
} from './types.ts'
