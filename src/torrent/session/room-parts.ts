// The parts of an awake torrent that the other rooms of src/torrent have, by name. Types only: each part here takes
// those it uses.

import type { NewMetadata } from '../metadata/new-metadata.ts'
import type { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'
import type { TorrentSwarm } from '../peers/torrent-swarm.ts'
import type { ChangedFiles } from '../pieces/changed-files.ts'
import type { PieceLosses } from '../pieces/piece-losses.ts'
import type { TorrentCheck } from '../pieces/torrent-check.ts'
import type { TorrentCheckpoints } from '../pieces/torrent-checkpoints.ts'
import type { TorrentPieces } from '../pieces/torrent-pieces.ts'
import type { TorrentScrub } from '../pieces/torrent-scrub.ts'
import type { TorrentStreams } from '../streams/torrent-streams.ts'
import type { TorrentWebSeeds } from '../web-seeds/torrent-web-seeds.ts'

/** Parts of other rooms. */
export interface RoomParts {
  readonly requests: TorrentRequests
  readonly metadata: TorrentMetadata
  readonly newMetadata: NewMetadata
  readonly pieces: TorrentPieces
  readonly losses: PieceLosses
  readonly check: TorrentCheck
  readonly checkpoints: TorrentCheckpoints
  readonly changed: ChangedFiles
  readonly scrub: TorrentScrub
  readonly swarm: TorrentSwarm
  readonly webSeeds: TorrentWebSeeds
  readonly streams: TorrentStreams
}
