// Whom the routes of channels contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

/**
 * Routes that ask or tell the network of channels: its overlay, the DHT of heads, the torrents of records. All of them
 * are public and none is a download; who wants to be seen there with nothing does not use channels (decision 0417).
 */
const ROUTES: readonly string[] = [
  ...['channels.discovered', 'channels.popular', 'channels.subscribed', 'channels.subscription', 'channels.overview'],
  ...['channels.create', 'channels.change', 'channels.remove', 'channels.subscribe', 'channels.unsubscribe'],
  ...[
    'channels.torrents',
    'channels.addTorrent',
    'channels.removeTorrents',
    'channels.editTorrent',
    'channels.torrent',
  ],
  ...['channels.playlists', 'channels.createPlaylist', 'channels.changePlaylist', 'channels.removePlaylist'],
  ...['channels.addToPlaylist', 'channels.removeFromPlaylist', 'channels.mine', 'channels.changeMine'],
  ...['channels.feeds', 'channels.addFeed', 'channels.removeFeed', 'channels.feed', 'channels.feedLinks'],
  ...['channels.author', 'channels.spam', 'channels.comments', 'channels.comment', 'channels.removeComment'],
  ...['channels.grants', 'channels.grant', 'search.run', 'search.completions'],
]

export const judged: JudgedRoutes = {
  contacting: {
    'channels.addTorrentFrom': 'the source and the metadata by readers(default hops)',
    'channels.recheckFeeds': 'feeds and the torrents of their items by readers(default hops)',
    'torrents.health': 'nobody for a download with hops, in whatever channel it is',
  },
  others: ROUTES,
}
