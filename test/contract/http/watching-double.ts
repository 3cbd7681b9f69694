// A double of the service of films that were begun: complete records, every call noted.

import type { WatchingRecord, WatchingService } from '../../../src/services/watching/watching-api.ts'
import { HASH } from './sample-records.ts'

const record: WatchingRecord = {
  fileindex: 0,
  name: 'Film/film.mp4',
  position: 101.5,
  duration: 5400,
  watched: false,
  continue_at: 101.5,
  time: 1_700_000_000,
}

/** What the double of all services has for films that were begun. */
export function watchingDouble(note: (...call: unknown[]) => void): WatchingService {
  return {
    of: async infohash => {
      note('watchingOf', infohash)
      return [record]
    },
    one: async (infohash, fileIndex) => {
      note('watchingOne', infohash, fileIndex)
      return { ...record, name: '', position: 0, duration: null, continue_at: 0, time: 0 }
    },
    note: async (infohash, fileIndex, change) => {
      note('watchingNote', infohash, fileIndex, change)
      return record
    },
    forget: async (infohash, fileIndex) => {
      note('watchingForget', infohash, fileIndex)
      return { infohash, fileindex: Number(fileIndex), removed: true }
    },
    recent: async (limit, all) => {
      note('watchingRecent', limit, all)
      return [{ infohash: HASH, download: 'Film', ...record }]
    },
  }
}
