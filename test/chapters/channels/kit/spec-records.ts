// Parts 2.2 to 2.5 and what of part 6 channels emit, word for word; `extra` are additions of this node.

import type { RecordShape, Shape } from '../../../contract/spec/shapes.ts'

const strings: Shape = { list: 'string' }

/** 2.2; decision 0415. */
export const CHANNEL: RecordShape = {
  fields: {
    id: 'integer',
    dispersy_cid: 'string',
    name: 'string',
    description: 'string',
    subscribed: 'boolean',
    votes: 'integer',
    torrents: 'integer',
    spam: 'integer',
    modified: 'integer',
    can_edit: 'boolean',
  },
  extra: { mode: { values: ['open', 'semi-open', 'closed'] }, own: 'boolean' },
}

/** How the node stands in their network; decision 0415. */
export const STANDING: RecordShape = {
  fields: {},
  extra: {
    state: { values: ['off', 'starting', 'failed', 'alone', 'connected'] },
    peers: 'integer',
    setting: 'string',
    problem: 'string',
  },
}

/** 2.3. */
export const CHANNEL_TORRENT: RecordShape = {
  fields: {
    id: 'integer',
    infohash: 'string',
    name: 'string',
    size: 'integer',
    category: 'string',
    num_seeders: 'integer',
    num_leechers: 'integer',
    last_tracker_check: 'integer',
  },
}

/** 2.4. */
export const PLAYLIST: RecordShape = {
  fields: { id: 'integer', name: 'string', description: 'string', torrents: { list: CHANNEL_TORRENT } },
}

/** 2.5. */
export const RSS_FEED: RecordShape = {
  fields: { url: 'string' },
  extra: {
    time_added: 'integer',
    last_check: 'integer',
    next_check: 'integer',
    failures: 'integer',
    error: 'string',
  },
}

/** Part 6 with the keys of decisions part 6. */
export const CHANNEL_EVENTS: Readonly<Record<string, RecordShape>> = {
  search_result_channel: { fields: { query: 'string', result: 'any' } },
  search_result_torrent: { fields: { query: 'string', result: 'any' } },
  channel_discovered: { fields: { name: 'string', description: 'string', dispersy_cid: 'string' } },
  torrent_discovered: {
    fields: {
      infohash: 'string',
      name: 'string',
      trackers: strings,
      files: { list: 'any' },
      dispersy_cid: 'string',
      timestamp: 'number',
    },
  },
}
