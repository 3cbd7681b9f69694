// What the parts of a torrent report of themselves; session/torrent-reactions.ts says what follows. All else that a
// part needs it is handed as the part that does it (decision 0516).

import type { Metainfo } from '../wire/metainfo/torrent-types.ts'

/** Told by parts that are made before those it concerns. Calls are synchronous and must not throw. */
export interface PartReports {
  /** A piece is verified, written and durable; `have` is set. */
  pieceDone(piece: number): void
  /** Pieces are not had any more; the picker knows. */
  piecesLost(pieces: readonly number[]): void
  /** What was found is to become durable soon. */
  checkpoint(): void
  /** The disk, or the records, said no. */
  storeFailed(error: unknown): void
  /** The torrent cannot go on. */
  failed(error: unknown): void
  /** Proof speaks against these addresses. */
  guilty(ips: readonly string[], reason: string): void
  /** The metadata of a magnet is here and checked. */
  metadataFound(metainfo: Metainfo): void
}
