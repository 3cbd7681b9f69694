// What happens in the catalogue of channels, told as events (spec part 6): channels and torrents that were not known
// before.

import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { EventSink } from '../../../services/events/event-table.ts'
import type { ChannelEventPayloads } from './channel-event-table.ts'

/** Tells them until the answer is called. How many torrents a second there are is bounded by the catalogue. */
export function tellChannelEvents(
  catalogue: Pick<ChannelCatalogue, 'watch'>,
  events: EventSink<ChannelEventPayloads>,
): () => void {
  return catalogue.watch(event => {
    if (event.kind === 'channel-found') {
      const { name, description, channel: dispersy_cid } = event
      events.emit('channel_discovered', { name, description, dispersy_cid })
    } else if (event.kind === 'torrent-found') {
      const { infohash, name, channel: dispersy_cid, timestamp } = event
      const files = event.files.map(file => ({ name: file.name, size: file.size }))
      events.emit('torrent_discovered', {
        infohash,
        name,
        trackers: event.trackers,
        files,
        dispersy_cid,
        timestamp,
      })
    }
  })
}
