// What the routes of channels use.

import type { FeedsService } from '../feeds/feeds-api.ts'
import type { TorrentHealthService } from '../health/torrent-health-api.ts'
import type { ChannelContentsService, ChannelsService, SearchService } from './channels-api.ts'

/** What the routes of channels use. */
export interface ChannelRouteServices {
  readonly channels: ChannelsService
  readonly channelContents: ChannelContentsService
  readonly search: SearchService
  readonly torrentHealth: TorrentHealthService
  readonly feeds: FeedsService
}
