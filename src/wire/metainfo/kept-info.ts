// An info dictionary that this node has kept, read again with the piece layers kept beside it (BEP 52).

import { DecodeError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import { decodeInfoInTurns } from './metainfo.ts'
import type { FileNames } from './renamed-files.ts'
import { runStepsInTurns } from '../steps.ts'
import type { Metainfo } from './torrent-types.ts'

/** What was kept. */
export interface KeptInfo {
  readonly infoBytes: Uint8Array
  /** As encodePieceLayers gives them; null where there are none. */
  readonly pieceLayers: Uint8Array | null
  /** What the torrent is known as: a hybrid may be known by its v2 hash. */
  readonly infoHash: InfoHash
}

/**
 * Reads it, with `turn` awaited every few milliseconds of work. Piece layers that their roots do not prove count as
 * none: peers have them. `names`: of files, in place of the torrent's. Rejects with DecodeError.
 */
export async function decodeKeptInfo(
  { infoBytes, pieceLayers, infoHash: knownAs }: KeptInfo,
  announce: readonly (readonly string[])[],
  turn: () => Promise<unknown>,
  names: FileNames = [],
): Promise<Metainfo> {
  const metainfo = await decodeInfoInTurns(infoBytes, announce, turn, { pieceLayers, knownAs }).catch(error => {
    if (!(error instanceof DecodeError) || pieceLayers === null) throw error
    return decodeInfoInTurns(infoBytes, announce, turn, { knownAs })
  })
  if (names.length === 0) return metainfo
  // Few torrents have renamed files.
  const { namedFiles } = await import('./renamed-files.ts')
  return { ...metainfo, files: await runStepsInTurns(namedFiles(metainfo.files, names), turn) }
}
