// The public face of the engine: what services/ and compose.ts may use of it.

export { ExternalAddress } from './external-address.ts'
export type { EncryptionSettings } from './connection-policy.ts'
export { buildIpFilter, IpFilter } from './ip-filter.ts'
export { Session } from './session.ts'
export type { SessionLimits, SessionOptions } from './session-types.ts'
export type { NetworkTrouble, SwarmParts } from './swarm-parts.ts'
export type {
  TorrentControls,
  TorrentEvents,
  TorrentHandle,
  TorrentSpec,
  WebSeedRow,
} from './types.ts'
