// The chapter's pages in the dashboard: lists of channels, searches, and the page of one.

import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { shownAt } from './model/channel-places.ts'
import { text } from './texts/channel-names.ts'

/** The chapter's pages in the dashboard: lists of channels, searches, and the page of one. */
export const pages: ChapterPages = {
  id: 'channels',
  name: text('channels'),
  strokes: 'M5 19a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM4 11a9 9 0 0 1 9 9M4 4a16 16 0 0 1 16 16',
  loadPage: async () => (await import('./pages/channel-place.tsx')).ChannelPlace,
  titleAt: parts => (shownAt(parts).page === 'channel' ? text('channel') : text('channels')),
  events: {
    channel_discovered: { name: text('channelDiscovered') },
    torrent_discovered: { name: text('torrentDiscovered') },
  },
  unlisted: ['search_result_channel', 'search_result_torrent'],
}
