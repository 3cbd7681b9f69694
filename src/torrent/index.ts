// The public face of the engine: what services/ and compose.ts may use of it.

export { ExternalAddress } from './external-address.ts'
export { DEFAULT_ENCRYPTION, ENCRYPTION_METHODS, ENCRYPTION_MODES } from './connection-policy.ts'
export type { EncryptionMethods, EncryptionMode, EncryptionSettings } from './connection-policy.ts'
export { buildIpFilter, IpFilter } from './ip-filter.ts'
export { Session } from './session.ts'
export type { SessionDeps, SessionLimits, SessionOptions } from './session-types.ts'
export type { NetworkTrouble, SwarmParts } from './swarm-parts.ts'
export type {
  FileReader,
  FileSnapshot,
  PieceOrder,
  PeerSnapshot,
  TorrentControls,
  TorrentEvents,
  TorrentHandle,
  TorrentObstacles,
  TorrentSnapshot,
  TorrentSpec,
  TorrentStatus,
  WebSeedRow,
  WebSeedState,
} from './types.ts'
