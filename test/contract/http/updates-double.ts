// A double of the service of torrents that are updated: complete records, every call noted.

import type { PublishedUpdate, UpdatesService } from '../../../src/services/api.ts'
import { HASH } from './sample-records.ts'

const KEY = 'cd'.repeat(32)

function published(name: string): PublishedUpdate {
  const uri = `magnet:?xs=urn:btpk:${KEY}&s=64&dn=${name}`
  return { name, infohash: HASH, uri, public_key: KEY, salt: '64', seq: '1', time_published: 1, copies: 8, error: '' }
}

/** What the double of all services has for updates. */
export function updatesDouble(note: (...call: unknown[]) => void): UpdatesService {
  return {
    followed: () => {
      note('followed')
      const version = { infohash: HASH, seq: '7', time: 1_700_000_000 }
      return [
        {
          target: HASH,
          uri: `magnet:?xs=urn:btpk:${KEY}`,
          public_key: KEY,
          salt: '',
          infohash: HASH,
          seq: '7',
          state: 'following' as const,
          time_added: 1,
          time_checked: 2,
          time_updated: 3,
          versions: [version],
          error: '',
        },
      ]
    },
    check: async (target: string) => {
      note('checkUpdate', target)
      return { target, infohash: HASH, seq: '9223372036854775807', updated: true }
    },
    unfollow: async (target: string) => {
      note('unfollow', target)
      return { target, removed: true }
    },
    published: () => {
      note('published')
      return [published('dataset')]
    },
    publish: async (name: string, infohash: string) => {
      note('publish', name, infohash)
      return published(name)
    },
    withdraw: async (name: string) => {
      note('withdraw', name)
      return { name, removed: true }
    },
  }
}
