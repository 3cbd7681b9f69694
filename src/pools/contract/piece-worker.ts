// What a piece worker is started with.

import type { HashPath } from '../jobs/native-hash.ts'

/** What a piece worker is started with. */
export interface PieceWorkerData {
  /** The arenas' buffers by ArenaNumber. */
  readonly arenas: readonly SharedArrayBuffer[]
  /** The ring of its pool's batches. */
  readonly ring: SharedArrayBuffer
  /** By which path of the machine code it hashes; null = by node:crypto. */
  readonly hash: HashPath | null
}
