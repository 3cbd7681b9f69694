// Every route of the node, judged: does it make the node contact peers of a swarm, and by which way? A new route is
// judged here; those that contact others are walked by test/chapters/circuits/e2e/default-hops.test.ts.

/** Routes after which somebody is contacted for a download, with what decides by which way. */
export const CONTACTING: Readonly<Record<string, string>> = {
  'downloads.add':
    'the source by readers(hops), the torrent by the engine of its hops; an update link is refused with hops',
  'downloads.upload': 'the torrent by the engine of its hops',
  'downloads.patch': 'the engine of its hops: resume, recheck, select; anon_hops changes the engine',
  'downloads.remove': 'the engine of its hops says goodbye',
  'downloads.stream': 'the engine of its hops: a reader makes it run',
  'downloads.streamNamed': 'as downloads.stream',
  'downloads.addTracker': 'the announcer of its engine',
  'downloads.removeTracker': 'the announcer of its engine',
  'downloads.forceAnnounce': 'the announcer of its engine',
  'createtorrent.create': 'with `add` the torrent by the engine of the default hops',
  'import.run': 'the torrent by the engine of the default hops',
  'torrentinfo.read': 'the source by readers(hops), metadata by the engine of the hops asked for, else of the default',
  'updates.check': 'the plain DHT, unless the newest version has hops',
  'updates.publish': 'the plain DHT, unless the download has hops',
  'torrents.health': 'nobody for a download with hops, in whatever channel it is',
  'settings.change':
    'the watch folder adds with the default hops; other settings change engines, not which has a torrent',
  'channels.addTorrentFrom': 'the source and the metadata by readers(default hops)',
  'channels.recheckFeeds': 'feeds and the torrents of their items by readers(default hops)',
  'transmission.rpc': 'torrent-add with the default hops, the rest as the routes above',
  'transmission.rpcSlash': 'as transmission.rpc',
}

/**
 * Routes that ask or tell the network of channels: its overlay, the DHT of heads, the torrents of records. All of them
 * are public and none is a download; who wants to be seen there with nothing does not use channels (decision 0417).
 */
export const OF_CHANNELS: readonly string[] = [
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

/** Routes that ask the servers of chains, which the owner named, and nobody of a swarm (decision 0432). */
export const OF_WALLETS: readonly string[] = [
  ...['wallets.list', 'wallets.create', 'wallets.balance', 'wallets.transactions', 'wallets.transfer'],
  ...['wallets.fees', 'wallets.raiseFee', 'wallets.unlock', 'wallets.lock', 'wallets.exportSeed'],
  ...['wallets.restoreSeed', 'wallets.setSpendKey', 'wallets.removeSpendKey', 'wallets.audit'],
]

/** Routes of the market: its overlay and the servers of chains; nothing of them is a download (decision 0446). */
export const OF_MARKET: readonly string[] = [
  ...['market.asks', 'market.ask', 'market.bids', 'market.bid', 'market.orders', 'market.transactions'],
  ...['market.cancel', 'market.explain', 'market.payments', 'market.fees'],
]

/** Routes that show or keep something and contact nobody. */
export const SILENT: readonly string[] = [
  ...['downloads.list', 'downloads.files', 'downloads.playlist', 'downloads.torrent', 'downloads.torrentSingular'],
  ...['downloads.read', 'downloads.explain', 'downloads.magnet', 'updates.followed', 'updates.unfollow'],
  ...['updates.published', 'updates.withdraw', 'settings.read', 'settings.effective', 'settings.history'],
  ...['variables.read', 'state.read', 'health.read', 'statistics.communities', 'statistics.dispersy'],
  ...['statistics.ipv8', 'statistics.tribler', 'keys.list', 'keys.add', 'keys.remove', 'shutdown.run'],
  ...['debug.circuits', 'debug.slots', 'debug.relays', 'debug.exits', 'debug.circuit-traffic'],
  ...['debug.circuit-network', 'debug.cpu-history', 'debug.memory-history', 'debug.memory-dump'],
  ...['debug.open-files', 'debug.open-sockets', 'debug.threads', 'debug.log', 'debug.profiler'],
  ...['debug.profiler-start', 'debug.profiler-stop', 'metrics.read', 'events.follow', 'docs.page'],
  ...['docs.pageSlash', 'docs.openapi', 'docs.asset', 'dashboard.page', 'dashboard.part'],
]
