// A row of records in memory, and its torrent file.

import type { NewDownload, StoredDownload, StoredMetainfo } from '../../../../src/ports/records.ts'

/** A row with what goes with it. */
export type MemoryRow = StoredDownload & Pick<NewDownload, 'infoBytes' | 'notes' | 'pieceLayers' | 'ownFiles'>

/** What is kept of its torrent file. */
export function storedOf(row: MemoryRow | undefined): StoredMetainfo | null {
  if (row === undefined || row.infoBytes === null) return null
  const { infoBytes, pieceLayers = null } = row
  return { infoBytes, pieceLayers, notes: row.notes ?? { comment: null, createdBy: null, creationDateSec: null } }
}
