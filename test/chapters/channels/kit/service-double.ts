// A double of the services of channels: complete rows, every call noted.

import type { ListedChannel, ListedTorrent } from '../../../../src/chapters/channels/ports/channel-library.ts'
import type { FeedsService } from '../../../../src/chapters/channels/feeds/feeds-api.ts'
import type { TorrentHealthService } from '../../../../src/chapters/channels/health/torrent-health-api.ts'
import type {
  ChannelContentsService,
  ChannelsService,
  SearchService,
} from '../../../../src/chapters/channels/service/channels-api.ts'
import { HASH } from '../../../contract/http/sample-records.ts'

export const CHANNEL = 'c0123456789abcdef0123456789abcdef0123456'
const KEY = 'ab'.repeat(32)

export const listedChannel: ListedChannel = {
  id: 7,
  dispersy_cid: CHANNEL,
  name: 'Films',
  description: 'Old ones',
  subscribed: true,
  votes: 3,
  torrents: 2,
  spam: 1,
  modified: 1_700_000_000,
  can_edit: true,
  mode: 'open',
  own: false,
}

export const listedTorrent: ListedTorrent = {
  id: 4,
  infohash: HASH,
  name: 'Film',
  size: 1000,
  category: 'video',
  num_seeders: 5,
  num_leechers: 6,
  last_tracker_check: 1_700_000_001,
}

type Note = (...call: unknown[]) => void

/** What the double of all services has for channels. */
export function serviceDouble(note: Note): {
  readonly channels: ChannelsService
  readonly channelContents: ChannelContentsService
  readonly search: SearchService
  readonly torrentHealth: TorrentHealthService
  readonly feeds: FeedsService
} {
  const noted =
    <R>(name: string, answer: R) =>
    async (...call: unknown[]): Promise<R> => {
      note(name, ...call)
      return answer
    }
  return {
    channels: {
      discovered: noted('discovered', [listedChannel]),
      standing: () => ({ state: 'connected', peers: 3, setting: '', problem: '' }),
      popular: noted('popular', [listedChannel]),
      subscribed: noted('subscribed', [listedChannel]),
      channel: noted('channel', listedChannel),
      create: noted('createChannel', listedChannel),
      change: noted('changeChannel', true),
      remove: noted('removeChannel', undefined),
      subscribe: noted('subscribe', undefined),
      unsubscribe: noted('unsubscribe', undefined),
      callSpam: noted('callSpam', undefined),
      mine: noted('mine', listedChannel),
      author: noted('author', KEY),
      grants: noted('grants', [{ contributor: KEY, add: true, moderate: false }]),
      grant: noted('grant', undefined),
    },
    channelContents: {
      torrents: noted('channelTorrents', [listedTorrent]),
      addUpload: noted('addUpload', undefined),
      addUri: noted('addUri', undefined),
      editTorrent: noted('editTorrent', true),
      removeTorrents: noted('removeTorrents', [CHANNEL]),
      playlists: noted('playlists', [{ id: 3, name: 'Best', description: 'Of the year', torrents: [listedTorrent] }]),
      createPlaylist: noted('createPlaylist', undefined),
      changePlaylist: noted('changePlaylist', undefined),
      removePlaylist: noted('removePlaylist', undefined),
      addToPlaylist: noted('addToPlaylist', undefined),
      removeFromPlaylist: noted('removeFromPlaylist', undefined),
      comments: noted('comments', [
        { id: 3, author: KEY, text: 'A good one', timestamp: 1_700_000_002, infohash: null },
      ]),
      comment: noted('comment', undefined),
      removeComment: noted('removeComment', undefined),
      torrent: noted('knownTorrent', {
        ...listedTorrent,
        trackers: ['http://t.example/announce'],
        channels: [CHANNEL],
      }),
    },
    search: {
      search: noted('search', undefined),
      completions: noted('completions', ['films of old']),
    },
    torrentHealth: {
      health: noted('torrentHealth', {
        'http://tracker.example/announce': [{ infohash: HASH, seeders: 43, leechers: 20 }],
        DHT: { error: 'no answer in time' },
      }),
    },
    feeds: {
      list: noted('feeds', [
        {
          url: 'https://feeds.example/films.xml',
          time_added: 1_700_000_000,
          last_check: 1_700_000_002,
          next_check: 1_700_001_802,
          failures: 0,
          error: '',
        },
      ]),
      add: noted('addFeed', undefined),
      remove: noted('removeFeed', undefined),
      recheck: noted('recheckFeeds', undefined),
      channelFeed: noted('channelFeed', { contentType: 'application/atom+xml', text: '<feed/>', etag: '"1"' }),
    },
  }
}
