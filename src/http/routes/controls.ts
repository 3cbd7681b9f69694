// Extra routes of downloads (decision 0260): sending a torrent file, trackers, and why a download does not move.

import { route } from '../route.ts'
import {
  ExplainReply,
  ForceAnnounceParameters,
  ForcedReply,
  MagnetReply,
  RenamedReply,
  RenameParameters,
  PeerAddedReply,
  PeerParameters,
  TrackerAddedReply,
  TrackerChangedReply,
  TrackerChangeParameters,
  TrackerParameters,
  TrackerRemovedReply,
} from '../schemas/controls.ts'
import { AddReply, ReadParameters, ReadReply, UploadParameters } from '../schemas/downloads.ts'
import { infohashOf, SAMPLE_INFOHASH } from './infohash.ts'

const tag = 'downloads'
const SAMPLE_TRACKER = 'http://tracker.example/announce'

const uploadDownload = route({
  id: 'downloads.upload',
  method: 'POST',
  path: '/downloads',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'Starts a download from a torrent file that is the body of the request',
  choices: [
    'Extra. The body is the torrent file itself, of at most 16 MiB, whatever Content-Type says; everything else that PUT ' +
      '/downloads takes stands in the query.',
    'Answers and rules are those of PUT /downloads; what is no torrent file is 400 `TorrentUnreadable`.',
  ],
  rawBody: 'application/x-bittorrent',
  parameters: UploadParameters,
  reply: AddReply,
  errors: [
    'InvalidParameter',
    'SafeSeedingRequired',
    'TorrentUnreadable',
    'PathNotAllowed',
    'CircuitsUnavailable',
    'NotReady',
  ],
  sample: {
    path: '/downloads',
    query: 'destination=%2Fsrv%2Fmedia&labels[]=films&seeding_ratio=1.5&sequential=1',
    rawBody: Buffer.from('d4:infod4:name4:Filmee'),
    status: 200,
  },
  run: async ({ services }, { body, parameters, caller }) =>
    services.downloads.addFile(body, await services.callerPaths.admit(parameters, caller)),
})

const readDownload = route({
  id: 'downloads.read',
  method: 'GET',
  path: '/downloads/{infohash}',
  kind: 'json',
  bound: [],
  scope: 'read',
  compressed: true,
  tag,
  summary: 'One download',
  choices: ['Extra. `download` is its record as in GET /downloads, with the parts that the same parameters ask for.'],
  parameters: ReadParameters,
  reply: ReadReply,
  errors: ['InvalidParameter', 'DownloadNotFound', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}`, query: 'get_peers=1&get_pieces=1', status: 200 },
  run: async ({ services }, { path, parameters }) => {
    const { get_peers: peers = false, get_pieces: pieces = false, get_files: files = false } = parameters
    const { files: listed, ...record } = await services.downloads.record(infohashOf(path), { peers, pieces, files })
    return { download: listed === undefined ? record : { ...record, files: [...listed] } }
  },
})

const explainDownload = route({
  id: 'downloads.explain',
  method: 'GET',
  path: '/downloads/{infohash}/explain',
  kind: 'json',
  bound: [],
  scope: 'read',
  tag,
  summary: 'Why a download does not move',
  choices: [
    'Extra. `reasons` has stable codes, the one that counts most first; it is empty when nothing is in the way.',
    'What stops it: load_failed, loading, volume_stalled, disk_full, disk_errors, foreign_file, failed, file_changed, ' +
      'seeding_goal_reached, stopped, queued, moving_storage, ' +
      'waiting_for_check, checking, allocating, waiting_for_metadata, nothing_selected, nobody_reads.',
    'The network: interface_gone, proxy_failing. Circuits: no_relays_known, no_exits_known, building_circuits.',
    'The swarm: no_trackers, tracker_refused (`parameters`: its words), private_without_tracker, no_tracker_answers, trackers_pending, no_peers_known, all_filtered, ' +
      'all_blocked, encryption_required, encryption_off, connection_limit, connecting, nobody_reachable.',
    'Connected peers: pieces_nobody_has, nothing_offered, all_choke, peers_silent, nobody_interested. And rate_limited, makes_way, web_seeds_failing.',
  ],
  parameters: null,
  reply: ExplainReply,
  errors: ['DownloadNotFound', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/explain`, status: 200 },
  run: ({ services }, { path }) => services.downloads.explain(infohashOf(path)),
})

const addPeer = route({
  id: 'downloads.addPeer',
  method: 'PUT',
  path: '/downloads/{infohash}/peers',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'Calls a peer by its address',
  choices: [
    'Extra. It is called once the download runs, however often it failed before; `added` is false when it is connected or called already. ' +
      'It is not kept across a restart.',
    'A private torrent, a download over circuits, a banned address, or one too many (2,000 are known): 409.',
  ],
  parameters: PeerParameters,
  reply: PeerAddedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'StateConflict', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/peers`, body: { address: '203.0.113.7:6881' }, status: 200 },
  run: async ({ services }, { path, parameters }) => ({
    added: await services.downloads.addPeer(infohashOf(path), parameters.address),
  }),
})

const addTracker = route({
  id: 'downloads.addTracker',
  method: 'PUT',
  path: '/downloads/{infohash}/trackers',
  kind: 'json',
  bound: [],
  scope: 'add',
  tag,
  summary: 'Adds a tracker',
  choices: ['Extra. `added` is false when it is there already. A private torrent, or one with 256 trackers: 409.'],
  parameters: TrackerParameters,
  reply: TrackerAddedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'StateConflict', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/trackers`, body: { url: SAMPLE_TRACKER }, status: 200 },
  run: async ({ services }, { path, parameters }) => ({
    added: await services.downloads.addTracker(infohashOf(path), parameters.url),
  }),
})

const changeTracker = route({
  id: 'downloads.changeTracker',
  method: 'PATCH',
  path: '/downloads/{infohash}/trackers',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'Gives a tracker another URL or tier',
  choices: [
    'Extra. With `new_url` it has that URL, in its tier; with `tier` it goes to the end of that tier. `changed` is false when it was so.',
    'A private torrent takes another URL of a host that it has (a new passkey) and no other: 409; so does a URL that another one has.',
  ],
  parameters: TrackerChangeParameters,
  reply: TrackerChangedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'StateConflict', 'NotReady'],
  sample: {
    path: `/downloads/${SAMPLE_INFOHASH}/trackers`,
    body: { url: SAMPLE_TRACKER, new_url: 'udp://tracker.example:6969/announce', tier: 1 },
    status: 200,
  },
  run: async ({ services }, { path, parameters: { url, new_url: newUrl, tier } }) => ({
    changed: await services.downloads.changeTracker(infohashOf(path), url, { newUrl, tier }),
  }),
})

const removeTracker = route({
  id: 'downloads.removeTracker',
  method: 'DELETE',
  path: '/downloads/{infohash}/trackers',
  kind: 'json',
  bound: [],
  scope: 'add',
  tag,
  summary: 'Takes a tracker away',
  choices: ['Extra. It hears `stopped` if it heard of the download. `removed` is false when it was not there.'],
  parameters: TrackerParameters,
  reply: TrackerRemovedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'StateConflict', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/trackers`, body: { url: SAMPLE_TRACKER }, status: 200 },
  run: async ({ services }, { path, parameters }) => ({
    removed: await services.downloads.removeTracker(infohashOf(path), parameters.url),
  }),
})

const forceAnnounce = route({
  id: 'downloads.forceAnnounce',
  method: 'PUT',
  path: '/downloads/{infohash}/tracker_force_announce',
  kind: 'json',
  bound: [],
  scope: 'add',
  tag,
  summary: 'Announces now',
  choices: [
    'Extra. To one tracker or to all, without waiting for their interval; never before their min interval has passed (a minute where they name none).',
    '`forced` is false when nobody was asked: the download does not run, or every tracker was asked too short a time ago.',
  ],
  parameters: ForceAnnounceParameters,
  reply: ForcedReply,
  errors: ['InvalidParameter', 'DownloadNotFound', 'StateConflict', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/tracker_force_announce`, body: { url: SAMPLE_TRACKER }, status: 200 },
  run: async ({ services }, { path, parameters }) => ({
    forced: await services.downloads.forceAnnounce(infohashOf(path), parameters.url),
  }),
})

const renameFile = route({
  id: 'downloads.renameFile',
  method: 'PATCH',
  path: '/downloads/{infohash}/files',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'Gives a file or folder of a download another name',
  choices: [
    'Extra. `path` is that of a file as GET names it (`name`), of a folder above files, or absent: the folder of the whole torrent, or ' +
      'its only file. `name` is a name and no path; the file stays where it is. What is fetched and shared goes on.',
    'Answered when it is done. `renamed` is false when it is called so already. A name that something has: 409; a name that not every ' +
      'system takes: 400.',
    'Peers, web seeds, the torrent file and magnet links know the torrent by its own names, which come back when it is added again.',
  ],
  parameters: RenameParameters,
  reply: RenamedReply,
  errors: [
    'MissingParameter',
    'InvalidParameter',
    'PathNotAllowed',
    'DownloadNotFound',
    'FileNotFound',
    'MetadataNotFound',
    'StateConflict',
    'VolumeStalled',
    'NotReady',
  ],
  sample: {
    path: `/downloads/${SAMPLE_INFOHASH}/files`,
    body: { path: 'extras/a.mkv', name: 'b.mkv' },
    status: 200,
  },
  run: async ({ services }, { path, parameters }) => ({
    renamed: await services.downloads.renameFile(infohashOf(path), { path: '', ...parameters }),
  }),
})

const downloadMagnet = route({
  id: 'downloads.magnet',
  method: 'GET',
  path: '/downloads/{infohash}/magnet',
  kind: 'json',
  bound: [],
  scope: 'read',
  tag,
  summary: 'A magnet link of a download',
  choices: [
    'Extra. Names every info hash that is known (`btih`, `btmh`), the name, the trackers known now and web seeds.',
  ],
  parameters: null,
  reply: MagnetReply,
  errors: ['DownloadNotFound', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/magnet`, status: 200 },
  run: ({ services }, { path }) => services.downloads.magnet(infohashOf(path)),
})

/** Every route of this file. */
export const controlRoutes = [
  uploadDownload,
  readDownload,
  explainDownload,
  downloadMagnet,
  renameFile,
  addPeer,
  addTracker,
  changeTracker,
  removeTracker,
  forceAnnounce,
] as const
