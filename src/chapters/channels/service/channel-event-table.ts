// Events of channels (spec part 6, decisions part 6): name -> keys of `event`.

import type { EventDocs } from '../../../services/events/event-table.ts'
import type { ListedChannel, ListedTorrent } from '../ports/channel-library.ts'

/** Payload types by event type. */
export interface ChannelEventPayloads {
  search_result_channel: { query: string; result: ListedChannel }
  search_result_torrent: { query: string; result: ListedTorrent }
  channel_discovered: { name: string; description: string; dispersy_cid: string }
  torrent_discovered: {
    infohash: string
    name: string
    trackers: readonly string[]
    files: { name: string; size: number }[]
    dispersy_cid: string
    timestamp: number
  }
}

/** What is documented of them. */
export const channelEventDocs: EventDocs<ChannelEventPayloads> = {
  lines: {
    search_result_channel: 'A search has found a channel.',
    search_result_torrent: 'A search has found a torrent.',
    channel_discovered: 'A new channel was discovered.',
    torrent_discovered: 'A new torrent was discovered.',
  },
  notes: [
    'Keys of `event`: search_result_channel and search_result_torrent: query, result; channel_discovered: name, ' +
      'description, dispersy_cid; torrent_discovered: infohash, name, trackers, files (name and size), dispersy_cid, ' +
      'timestamp.',
  ],
}
