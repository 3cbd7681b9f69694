// Every route has a command, every command a sentence; what the command line prints escapes nothing and fits its place.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { addAllCommands } from '../kit/all-commands.ts'
import { routeTable } from '../kit/all-routes.ts'
import { sourceFiles } from './source-tree.ts'

/** The command for each route. */
const COMMANDS: Readonly<Record<string, string>> = {
  'downloads.list': 'ls',
  'downloads.read': 'info',
  'downloads.add': 'add',
  'downloads.upload': 'add',
  'downloads.remove': 'rm',
  'downloads.patch': 'limit',
  'downloads.files': 'files',
  'downloads.playlist': 'play',
  'downloads.torrent': 'torrent-file',
  'downloads.torrentSingular': 'torrent-file',
  'downloads.stream': 'stream-url',
  'downloads.streamNamed': 'play',
  'downloads.subtitles': 'subtitles',
  'downloads.hlsMaster': 'hls',
  'downloads.hlsSegments': 'hls',
  'downloads.hlsSegment': 'hls',
  'downloads.hlsTexts': 'hls',
  'downloads.hlsTextSegment': 'hls',
  'downloads.explain': 'explain',
  'downloads.rates': 'rates',
  'downloads.magnet': 'magnet',
  'downloads.addTracker': 'trackers',
  'downloads.addPeer': 'peers',
  'downloads.changeTracker': 'trackers',
  'downloads.removeTracker': 'trackers',
  'downloads.forceAnnounce': 'trackers',
  'peers.banned': 'bans',
  'peers.ban': 'bans',
  'peers.lift': 'bans',
  'createTorrent.create': 'create-there',
  'torrentinfo.read': 'torrent-info',
  'torrentinfo.files': 'torrent-files',
  'torrentinfo.sent': 'torrent-files',
  'folders.list': 'folders',
  'settings.read': 'settings get',
  'settings.change': 'settings set',
  'settings.effective': 'settings effective',
  'settings.history': 'settings history',
  'variables.read': 'variables',
  'state.read': 'state',
  'health.read': 'health',
  'docs.openapi': 'api',
  'login.offer': 'open',
  'login.take': 'open',
  'login.state': 'open',
  'login.withdraw': 'open',
  'channels.overview': 'channels show',
  'channels.change': 'channels change',
  'channels.remove': 'channels end',
  'channels.torrents': 'channels torrents',
  'channels.addTorrent': 'channels add-file',
  'channels.addTorrentFrom': 'channels add',
  'channels.removeTorrents': 'channels rm',
  'channels.editTorrent': 'channels edit',
  'channels.playlists': 'channels playlists',
  'channels.createPlaylist': 'channels playlist-create',
  'channels.changePlaylist': 'channels playlist-change',
  'channels.removePlaylist': 'channels playlist-remove',
  'channels.addToPlaylist': 'channels playlist-add',
  'channels.removeFromPlaylist': 'channels playlist-rm',
  'channels.spam': 'channels spam',
  'channels.comments': 'channels comments',
  'channels.comment': 'channels comment',
  'channels.removeComment': 'channels comment-rm',
  'channels.grants': 'channels grants',
  'channels.grant': 'channels grant',
  'channels.feeds': 'channels feeds',
  'channels.addFeed': 'channels feed-add',
  'channels.removeFeed': 'channels feed-rm',
  'channels.recheckFeeds': 'channels feeds-recheck',
  'channels.feedLinks': 'channels feed-links',
  'channels.feed': 'channels feed',
  'search.run': 'search',
  'wallets.transactions': 'wallets transactions',
  'wallets.list': 'wallets list',
  'wallets.create': 'wallets create',
  'wallets.balance': 'wallets balance',
  'wallets.transfer': 'wallets transfer',
  'wallets.fees': 'wallets fees',
  'wallets.unlock': 'wallets unlock',
  'wallets.lock': 'wallets lock',
  'wallets.audit': 'wallets audit',
  'wallets.raiseFee': 'wallets raise-fee',
  'wallets.exportSeed': 'wallets export-seed',
  'wallets.restoreSeed': 'wallets restore-seed',
  'wallets.setSpendKey': 'wallets set-spend-key',
  'wallets.removeSpendKey': 'wallets remove-spend-key',
  'market.asks': 'market asks',
  'market.ask': 'market ask',
  'market.bids': 'market bids',
  'market.bid': 'market bid',
  'market.orders': 'market orders',
  'market.transactions': 'market transactions',
  'market.cancel': 'market cancel',
  'market.explain': 'market explain',
  'market.payments': 'market payments',
  'market.fees': 'market fees',
  'debug.circuits': 'circuits',
  'debug.relays': 'circuits',
  'debug.exits': 'circuits',
  'debug.circuit-traffic': 'circuits',
  'debug.circuit-network': 'circuits',
  'debug.memory-dump': 'debug memory-dump',
}
/** Pages for browsers, and what other programs speak: `call` reaches them. */
const NO_COMMAND = /^(docs\.(?!openapi)|dashboard\.|transmission\.)/

function program(): Command {
  const made = new Command('tributary')
  made.command('settings')
  addAllCommands(made)
  return made
}

function allCommands(command: Command, path = ''): [path: string, command: Command][] {
  return command.commands.flatMap((one): [string, Command][] => {
    const name = `${path} ${one.name()}`.trim()
    return [[name, one], ...allCommands(one, name)]
  })
}

test('every route has a command', () => {
  const known = new Map(allCommands(program()))
  const texts = sourceFiles('src')
    .filter(({ path }) => /^src\/(cli|chapters\/[a-z]+\/cli)\//.test(path))
    .map(({ text }) => text)
    .join('\n')
  for (const { id, method, path } of routeTable) {
    if (NO_COMMAND.test(id)) continue
    const named = COMMANDS[id]
    if (named !== undefined) assert.ok(known.has(named), `${id}: there is no command ${named}`)
    else assert.ok(texts.includes(`'${method} ${path}'`), `${id} (${method} ${path}) has no command`)
  }
})

test('every command says what it does, and takes the same options for its node', () => {
  for (const [name, command] of allCommands(program())) {
    if (name === 'settings') continue
    assert.ok(command.description().length > 5, name)
    if (command.commands.length > 0 || /^(backup|restore|completion|man)$/.test(name)) continue
    const options = command.options.map(({ long }) => long)
    for (const option of ['--url', '--key-file', '--state-dir', '--json']) assert.ok(options.includes(option), name)
  }
})
