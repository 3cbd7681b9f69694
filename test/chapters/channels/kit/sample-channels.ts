// Rows of channels and torrents for tests, told apart by a number.

import type { ListedChannel, ListedTorrent } from '../../../../src/chapters/channels/ports/channel-library.ts'

/** A channel; `at` makes its id. */
export function sampleChannel(at: number, parts: Partial<ListedChannel> = {}): ListedChannel {
  return {
    id: at,
    dispersy_cid: at.toString(16).padStart(40, '0'),
    name: `Channel ${at}`,
    description: '',
    subscribed: false,
    votes: at,
    torrents: at * 3,
    spam: 0,
    modified: 1_795_000_000 - at * 1000,
    can_edit: false,
    mode: 'closed',
    own: false,
    ...parts,
  }
}

/** A torrent; `at` makes its info hash. */
export function sampleTorrent(at: number, parts: Partial<ListedTorrent> = {}): ListedTorrent {
  return {
    id: at,
    infohash: `e${at.toString(16).padStart(39, '0')}`,
    name: `Torrent ${at}`,
    size: at * 1_000_000,
    category: 'video',
    num_seeders: at,
    num_leechers: at * 2,
    last_tracker_check: 1_795_000_000,
    ...parts,
  }
}
