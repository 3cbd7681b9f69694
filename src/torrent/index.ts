// The public face of the engine: what services/ and compose.ts may use of it.

export { Session } from './session.ts'
export type { SessionDeps, SessionLimits, SessionOptions } from './session-types.ts'
export type {
  FileReader,
  FileSnapshot,
  PeerSnapshot,
  TorrentEvents,
  TorrentHandle,
  TorrentSnapshot,
  TorrentSpec,
  TorrentStatus,
} from './types.ts'
