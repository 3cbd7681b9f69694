// All routes of channels, in the order of the documentation.

import { channelExtraRoutes } from './channel-extras.ts'
import { channelPlaylistRoutes } from './channel-playlists.ts'
import { channelTorrentRoutes } from './channel-torrents.ts'
import { channelRoutes } from './channels.ts'
import { feedRoutes } from './feeds.ts'
import { searchRoutes } from './search.ts'
import { torrentHealthRoutes } from './torrent-health.ts'

/** Them. */
export const channelsRoutes = [
  ...channelRoutes,
  ...channelTorrentRoutes,
  ...channelPlaylistRoutes,
  ...channelExtraRoutes,
  ...feedRoutes,
  ...searchRoutes,
  ...torrentHealthRoutes,
] as const
