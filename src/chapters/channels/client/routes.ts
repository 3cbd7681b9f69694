// The routes of channels by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { channelsRoutes } from '../http/all-routes.ts'

/** Every route of the chapter. */
export type ChannelsRoutes = RoutesOf<typeof channelsRoutes>

/** A channel as it is listed. */
export type Channel = ReplyOf<ChannelsRoutes, 'GET /channels/discovered'>['channels'][number]

/** A torrent of a channel. */
export type ChannelTorrent = ReplyOf<
  ChannelsRoutes,
  'GET /channels/discovered/{channelid}/torrents'
>['torrents'][number]
