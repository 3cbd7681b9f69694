// Rows of downloads in memory. A row that was spread together has a hidden class of its own in V8, which takes three
// times as much as the row itself: thousands of rows are made alike here.

import type { StoredDownload } from '../../ports/records.ts'

/** The same row, of the shape that all have. */
export function ofOneShape(row: StoredDownload): StoredDownload {
  // Required: a column that is not named here would be lost in silence.
  const shaped: Required<Omit<StoredDownload, 'scrubbedAtMs' | 'readAtMs' | 'renames'>> = {
    infoHash: row.infoHash,
    infoHashV2: row.infoHashV2,
    name: row.name,
    sourceUri: row.sourceUri,
    destination: row.destination,
    announceTiers: row.announceTiers,
    webSeeds: row.webSeeds,
    peers: row.peers,
    addedAtMs: row.addedAtMs,
    hops: row.hops,
    safeSeeding: row.safeSeeding,
    selectedFiles: row.selectedFiles,
    userStopped: row.userStopped,
    totalUp: row.totalUp,
    totalDown: row.totalDown,
    finishedAtMs: row.finishedAtMs,
    error: row.error,
    position: row.position,
    pieceCount: row.pieceCount,
    controls: row.controls,
    seededSec: row.seededSec,
    goalReached: row.goalReached,
    movingTo: row.movingTo,
    movedFrom: row.movedFrom,
    queueOrder: row.queueOrder ?? row.position,
  }
  const { scrubbedAtMs, readAtMs, renames = null } = row
  const scrubbed = scrubbedAtMs === undefined ? shaped : Object.assign(shaped, { scrubbedAtMs })
  const read = readAtMs === undefined ? scrubbed : Object.assign(scrubbed, { readAtMs })
  return renames === null ? read : Object.assign(read, { renames })
}
