// The routes of channels by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { channelsRoutes } from '../http/all-routes.ts'

/** Every route of the chapter. */
export type ChannelsRoutes = RoutesOf<typeof channelsRoutes>

/** A channel as it is listed. */
export type Channel = ReplyOf<ChannelsRoutes, 'GET /channels/discovered'>['channels'][number]

/** How the node stands in the network of channels. */
export type ChannelNetworkState = ReplyOf<ChannelsRoutes, 'GET /channels/discovered'>['network']

/** A torrent of a channel. */
export type ChannelTorrent = ReplyOf<
  ChannelsRoutes,
  'GET /channels/discovered/{channelid}/torrents'
>['torrents'][number]

/** A playlist of a channel. */
export type Playlist = ReplyOf<ChannelsRoutes, 'GET /channels/discovered/{channelid}/playlists'>['playlists'][number]

/** A comment on a channel or one of its torrents. */
export type Comment = ReplyOf<ChannelsRoutes, 'GET /channels/discovered/{channelid}/comments'>['comments'][number]

/** Who may write in an own channel. */
export type Grant = ReplyOf<ChannelsRoutes, 'GET /channels/discovered/{channelid}/grants'>['grants'][number]

/** A feed whose torrents come into an own channel. */
export type ChannelFeed = ReplyOf<ChannelsRoutes, 'GET /channels/discovered/{channelid}/rssfeeds'>['rssfeeds'][number]

/** What sources told of one torrent, by their names. */
export type TorrentHealth = ReplyOf<ChannelsRoutes, 'GET /torrents/{infohash}/health'>['health']
