// JSON schemas of what is in channels, and of searches (spec 2.3, 2.4, 4.4 and 4.5; decisions part 3).

import { Type } from '@sinclair/typebox'
import { ChannelIdText, KeyText } from './channel-schemas.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const InfohashText = Type.String({ pattern: '^[0-9a-f]{40}$' })
const Text = (description: string) => Type.String({ maxLength: 65_536, description })
// May be empty, also where something is changed.
const Description = Type.String({ minLength: 0, maxLength: 65_536, description: 'cut at 1,023 characters' })

const torrentFields = {
  id: Count('number of this node for it'),
  infohash: InfohashText,
  name: Type.String(),
  size: Count('bytes; 0 = not known'),
  category: Type.String({ description: 'video, audio, document, compressed, image, software, other or xxx' }),
  num_seeders: Count('as they were last found'),
  num_leechers: Count('as they were last found'),
  last_tracker_check: Type.Integer({ minimum: 0, description: 'Unix time, seconds; 0 = not checked yet' }),
}

/** A torrent of a channel (spec 2.3). */
export const ChannelTorrentSchema = Type.Object(torrentFields)

/** GET /channels/discovered/{channelid}/torrents. */
export const TorrentsReply = Type.Object({ torrents: Type.Array(ChannelTorrentSchema) })
/** Body of PUT /channels/discovered/{channelid}/torrents. */
export const UploadParameters = Type.Object({
  torrent: Type.String({ description: 'a torrent file in base64' }),
  description: Type.Optional(Description),
})
/** Its answer. */
export const UploadReply = Type.Object({ added: Type.Boolean() })
/** Body of PUT /channels/discovered/{channelid}/torrents/{torrent}. */
export const UriParameters = Type.Object({ description: Type.Optional(Description) })
/** Its answer. */
export const UriReply = Type.Object({ added: Type.String({ description: 'the address as it was given' }) })
/** DELETE /channels/discovered/{channelid}/torrents/{torrent}. */
export const RemoveTorrentsReply = Type.Object({
  removed: Type.Boolean({ description: 'all were' }),
  failed_torrents: Type.Optional(Type.Array(Type.String(), { description: 'those that were not, when there are any' })),
})
/** Changes of names and descriptions. */
export const TextParameters = Type.Object({
  name: Type.Optional(Text('cut at 255 characters')),
  description: Type.Optional(Description),
})

/** GET /channels/discovered/{channelid}/playlists. */
export const PlaylistsReply = Type.Object({
  playlists: Type.Array(
    Type.Object({
      id: Count('number of this node for it'),
      name: Type.String(),
      description: Type.String(),
      torrents: Type.Array(ChannelTorrentSchema),
    }),
  ),
})
/** Body of PUT /channels/discovered/{channelid}/playlists. */
export const NewPlaylistParameters = Type.Object({
  name: Text('cut at 255 characters'),
  description: Description,
})
/** Its answer. */
export const CreatedReply = Type.Object({ created: Type.Boolean() })

/** GET /channels/discovered/{channelid}/comments. */
export const CommentsReply = Type.Object({
  comments: Type.Array(
    Type.Object({
      id: Count('number of this node for it'),
      author: KeyText,
      text: Type.String(),
      timestamp: Type.Integer({ description: 'Unix time, seconds' }),
      infohash: Type.Union([Type.String(), Type.Null()], {
        description: 'the torrent it is about; null = the channel',
      }),
    }),
  ),
})
/** Body of PUT /channels/discovered/{channelid}/comments. */
export const CommentParameters = Type.Object({
  text: Text('cut at 1,023 characters'),
  infohash: Type.Optional(
    Type.String({ pattern: '^[0-9a-fA-F]{40}$', description: 'a torrent of the channel; absent = the channel itself' }),
  ),
})

/** GET /torrents/{infohash}. */
export const KnownTorrentReply = Type.Object({
  torrent: Type.Object({
    ...torrentFields,
    trackers: Type.Array(Type.String()),
    channels: Type.Array(ChannelIdText, { description: 'those it is in' }),
  }),
})

/** Query of GET /search. */
export const SearchParameters = Type.Object({
  q: Type.String({ maxLength: 500, description: 'words; the last may be the beginning of one' }),
})
/** Its answer. */
export const QueriedReply = Type.Object({ queried: Type.Boolean() })
/** GET /search/completions. */
export const CompletionsReply = Type.Object({ completions: Type.Array(Type.String()) })
