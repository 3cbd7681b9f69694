// States of a torrent as numbers (RPC specification of Transmission, part 3.3), and what goes with them.

import type { DownloadRecord } from '../../services/downloads/download-records-api.ts'

const STOPPED = 0
const CHECK_WAIT = 1
const CHECK = 2
const DOWNLOAD_WAIT = 3
const DOWNLOAD = 4
const SEED_WAIT = 5
const SEED = 6

/** The state of a download as a number from 0 to 6. */
export function statusCode({
  status,
  queued,
  progress,
}: Pick<DownloadRecord, 'status' | 'queued' | 'progress'>): number {
  switch (status) {
    case 'DLSTATUS_WAITING4HASHCHECK':
      return CHECK_WAIT
    case 'DLSTATUS_HASHCHECKING':
      return CHECK
    case 'DLSTATUS_SEEDING':
      return SEED
    case 'DLSTATUS_STOPPED':
      if (!queued) return STOPPED
      return progress >= 1 ? SEED_WAIT : DOWNLOAD_WAIT
    case 'DLSTATUS_STOPPED_ON_ERROR':
      return STOPPED
    default:
      return DOWNLOAD
  }
}

/** Whether it was stopped, by whatever. */
export function isStopped(record: Pick<DownloadRecord, 'status' | 'queued' | 'progress'>): boolean {
  return statusCode(record) === STOPPED
}
