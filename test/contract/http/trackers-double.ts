// A double of what is done to the trackers and peers of a download: every call noted.

import type { DownloadsService } from '../../../src/services/downloads/downloads-api.ts'

/** What the double of downloads has for their trackers and peers. */
export function trackersDouble(
  note: (...call: unknown[]) => void,
): Pick<
  DownloadsService,
  'addPeer' | 'addTracker' | 'changeTracker' | 'setTrackers' | 'removeTracker' | 'forceAnnounce'
> {
  return {
    addPeer: async (infohash, address) => {
      note('addPeer', infohash, address)
      return true
    },
    addTracker: async (infohash, url) => {
      note('addTracker', infohash, url)
      return true
    },
    changeTracker: async (infohash, url, change) => {
      note('changeTracker', infohash, url, change)
      return true
    },
    setTrackers: async (infohash, tiers) => {
      note('setTrackers', infohash, tiers)
      return true
    },
    removeTracker: async (infohash, url) => {
      note('removeTracker', infohash, url)
      return false
    },
    forceAnnounce: async (infohash, url) => {
      note('forceAnnounce', infohash, url)
      return true
    },
  }
}
