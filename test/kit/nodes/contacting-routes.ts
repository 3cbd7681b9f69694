// Every route of the node, judged: does it make the node contact peers of a swarm, and by which way? A new route is
// judged here, one of a chapter in `kit/judged-routes.ts` of that; those that contact others are walked by
// test/chapters/circuits/e2e/default-hops.test.ts.

import { chapterKits } from '../chapter-kits.ts'

/** Routes after which somebody is contacted for a download, with what decides by which way. */
const CONTACTING: Readonly<Record<string, string>> = {
  'downloads.add':
    'the source by readers(hops), the torrent by the engine of its hops; an update link is refused with hops',
  'downloads.upload': 'the torrent by the engine of its hops',
  'downloads.patch': 'the engine of its hops: resume, recheck, select; anon_hops changes the engine',
  'downloads.remove': 'the engine of its hops says goodbye',
  'downloads.stream': 'the engine of its hops: a reader makes it run',
  'downloads.streamNamed': 'as downloads.stream',
  'downloads.renameFile': 'the engine of its hops: it wakes for it',
  'downloads.addPeer': 'the engine of no hops; refused with hops',
  'downloads.addTracker': 'the announcer of its engine',
  'downloads.changeTracker': 'the announcer of its engine',
  'downloads.removeTracker': 'the announcer of its engine',
  'downloads.forceAnnounce': 'the announcer of its engine',
  'createtorrent.create': 'with `add` the torrent by the engine of the default hops',
  'import.run': 'the torrent by the engine of the default hops',
  'torrentinfo.read': 'the source by readers(hops), metadata by the engine of the hops asked for, else of the default',
  'torrentinfo.files': 'as torrentinfo.read',
  'updates.check': 'the plain DHT, unless the newest version has hops',
  'updates.publish': 'the plain DHT, unless the download has hops',
  'settings.change':
    'the watch folder adds with the default hops; other settings change engines, not which has a torrent',
  'transmission.rpc': 'torrent-add with the default hops, the rest as the routes above',
  'transmission.rpcSlash': 'as transmission.rpc',
}

/** Routes that show or keep something and contact nobody. */
const SILENT: readonly string[] = [
  ...['login.offer', 'login.take', 'login.state', 'login.withdraw'],
  ...['links.list', 'links.add', 'links.remove'],
  ...['watching.recent', 'watching.of', 'watching.read', 'watching.note', 'watching.forget'],
  ...['downloads.list', 'downloads.files', 'downloads.playlist', 'downloads.torrent', 'downloads.torrentSingular'],
  ...['downloads.read', 'downloads.explain', 'downloads.magnet', 'updates.followed', 'updates.unfollow'],
  ...['updates.published', 'updates.withdraw', 'settings.read', 'settings.effective', 'settings.history'],
  ...[
    'slowmode.read',
    'slowmode.change',
    'peers.banned',
    'peers.ban',
    'peers.lift',
    'queue.move',
    'torrentinfo.sent',
    'folders.list',
    'downloads.rates',
  ],
  ...['variables.read', 'state.read', 'health.read', 'statistics.communities', 'statistics.dispersy'],
  ...['statistics.ipv8', 'statistics.tribler', 'keys.list', 'keys.add', 'keys.remove', 'shutdown.run'],
  ...['debug.cpu-history', 'debug.memory-history', 'debug.memory-dump'],
  ...['debug.open-files', 'debug.open-sockets', 'debug.threads', 'debug.doctor', 'debug.log', 'debug.profiler'],
  ...['debug.profiler-start', 'debug.profiler-stop', 'metrics.read', 'events.follow', 'docs.page'],
  ...['docs.pageSlash', 'docs.openapi', 'docs.asset', 'dashboard.page', 'dashboard.part'],
]

/** How a chapter judges its routes. */
export interface JudgedRoutes {
  /** Those after which somebody is contacted for a download, with what decides by which way. */
  readonly contacting?: Readonly<Record<string, string>>
  /** Those that contact nobody, or nobody for a download. */
  readonly others: readonly string[]
}

const kits = (await chapterKits('judged-routes')) as readonly { readonly judged: JudgedRoutes }[]

/** Ids of all routes after which somebody is contacted for a download, with what decides by which way. */
export const contacting: Readonly<Record<string, string>> = Object.assign(
  {},
  CONTACTING,
  ...kits.map(({ judged }) => judged.contacting),
) as Record<string, string>

/** Ids of all routes that are judged. */
export const judgedRoutes: readonly string[] = [
  ...Object.keys(contacting),
  ...SILENT,
  ...kits.flatMap(({ judged }) => judged.others),
]
