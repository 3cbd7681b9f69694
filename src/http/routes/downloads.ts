// Routes of downloads (spec 4.1, decisions part 2). They translate names and nothing else; the rules live in services.

import { AppError } from '../../base/errors.ts'
import type { FileRecord } from '../../services/downloads/download-records-api.ts'
import { askedList } from '../list-query.ts'
import { type BytesReply, ListedJson, PreparedJson, route } from '../route.ts'
import {
  AddParameters,
  AddReply,
  FilesReply,
  ListReply,
  PageParameters,
  PatchParameters,
  PatchReply,
  RemoveParameters,
  RemoveReply,
} from '../schemas/downloads.ts'
import { infohashOf, SAMPLE_INFOHASH } from './infohash.ts'

const tag = 'downloads'
/** Records that are made without waiting for other long answers. */
const MAX_PREPARED = 1000

/** Files as they are listed; a link is made when its file is taken, since each costs a signature. */
function* withLinks(files: Iterable<FileRecord>, linkTo: (index: number) => string): Generator<object, void> {
  for (const file of files) yield { ...file, stream_url: linkTo(file.index) }
}

export const listDownloads = route({
  id: 'downloads.list',
  method: 'GET',
  path: '/downloads',
  kind: 'json',
  bound: [],
  scope: 'read',
  compressed: true,
  tag,
  summary: 'All downloads, active and inactive',
  choices: [
    '`get_pieces` adds `pieces`: base64, one bit a piece, most significant bit first.',
    '`eta` is 0 when complete and 8640000 when nothing moves. `total_up`, `total_down` and `ratio` are of all time.',
    '`num_peers` and `num_seeds` are those known, `num_connected_*` (extra) those connected.',
    '`availability`: complete sources, plus the fraction of pieces that one more has; 0 when unknown.',
    '`infohash_v2` (extra): 64 digits of a v2 or hybrid torrent, else null; every path takes it for `infohash`. A torrent ' +
      'that is v2 only has the first 40 of them as its `infohash`.',
    '`labels`, `sequential`, `super_seeding`, `watch_and_forget`, `seeding_*` and `moving_to` are extra, as is `priority` of a file (0 = not fetched, to 7).',
    '`max_*_speed`: the limit in force, 0 = none: the lower of its own and the common one. `vod_mode`: a reader is open; `vod_*`: the buffer of the newest one.',
    'Peer fields from `id` on are extra. Trackers end with the pseudo rows `[DHT]` and `[PeX]`.',
    'Each file has `progress` here too.',
    'A download that waits in the queue (settings `active_*`) is DLSTATUS_STOPPED, and `queued` (extra) is true. The order is that of ' +
      '`queue_order` (PATCH /queue).',
    'While the node starts, every download is listed; those not loaded yet are DLSTATUS_WAITING4HASHCHECK.',
    'Extra: `limit`, `after`, `offset`, `filter`, `sort`, `infohash`, `fields`, `get_totals` and `get_facets` ask for a part of the list; with any of them ' +
      'the answer has `total` (downloads that are meant, on all pages) and `next` (the `after` of the next page, empty on the last one).',
    '`offset` (extra): so many downloads are passed over first, behind `after` where both are given: the part of the list that is in view. ' +
      'Where downloads come and go between two pages, one may be on both or on none: `after` is for whoever reads all.',
    '`get_totals` (extra) adds `totals` of all downloads, whatever the other parameters mean: `count`, `speed_down`, `speed_up`, and in ' +
      '`states` how many are in each state that `filter` knows. `get_facets` (extra) adds `facets`, of all downloads too: how many have each ' +
      'label, tracker (its host) and folder, in the words that `filter` finds them by.',
    '`sort`: without it the order in which they were added; equal ones follow each other by `infohash`; texts compare in lower case. `after` ' +
      'is a place in that order: it holds although the download there is gone or has moved since its page was answered; one that ' +
      'was never on a page and does not exist is 404. Who follows `next` sees every download that stays and keeps its place exactly once.',
    '`filter`: words with blanks or commas between. States, any of which must hold: `all`, `active`, `inactive`, `downloading`, `seeding`, ' +
      '`completed`, `stopped`, `paused`, `queued`, `checking`, `errored`, `trouble`, `moving`, `stalled`, `allocating`, `metadata`, `circuits`, ' +
      'as such or as `state:NAME`. `label:NAME`: it has that label. `tracker:PART`, `folder:PART`: in the host of a tracker, in the path of its folder; ' +
      'in double quotes (`tracker:"example.org"`) the whole of it. `size>1.5GiB`, `size<700MB`. Empty in quotes (`label:""`): it has none. Every other word must be in name, labels or infohash, in ' +
      'any case; in double quotes it is no state and may hold blanks; two double quotes in those are one.',
    '`fields`: records have these only, and what `get_*` adds; `peers`, `pieces` and `files` among them ask for those. `infohash`: names ' +
      'that are not known are passed over. Lists may also be repeated (`fields[]=name&fields[]=size`).',
    'Changes that no request made may be two seconds late with these, 200 ms without. An answer without `limit` that would be longer than ' +
      '64 MiB is 400.',
  ],
  parameters: PageParameters,
  reply: ListReply,
  errors: ['InvalidParameter', 'DownloadNotFound'],
  sample: { path: '/downloads', query: 'get_peers=1&get_files=true&get_pieces=1', status: 200 },
  run: async ({ services: { downloads } }, { parameters }) => {
    const { query, fields, ...parts } = askedList(parameters)
    const plain = !Object.values(parts).includes(true)
    const early = query === null || !plain ? null : await downloads.earlyPage(query)
    if (early !== null) return new PreparedJson(await downloads.pageJson(early, fields))
    // An empty list from a node that has not looked yet would say that every download is gone.
    await downloads.whenListed()
    if (query === null)
      return plain
        ? new PreparedJson(await downloads.listJson())
        : new ListedJson('downloads', () => downloads.list(parts))
    const page = await downloads.findPage(query)
    if (plain && page.infohashes.length <= MAX_PREPARED) return new PreparedJson(await downloads.pageJson(page, fields))
    const { total, next, totals } = page
    const members = { total, next, ...(totals === null ? {} : { totals }) }
    const frame = { before: '{"downloads":', after: () => `,${JSON.stringify(members).slice(1)}` }
    const options = { ...parts, only: page.infohashes, ...(fields === null ? {} : { fields }) }
    return new ListedJson(frame, () => downloads.list(options))
  },
})

export const addDownload = route({
  id: 'downloads.add',
  method: 'PUT',
  path: '/downloads',
  kind: 'json',
  // Lists may be as long as a torrent has files.
  longBody: true,
  scope: 'add',
  tag,
  summary: 'Starts a download',
  choices: [
    'A known infohash is answered as if started; its new trackers are merged (not into a private torrent), nothing ' +
      'else changes.',
    '`uri`: magnet (`btih` in hex or base32, `btmh`, `tr`, `dn`, `ws`, `x.pe`, `so`), http, https, `file:` or an absolute path; its ' +
      'old name `torrent` is read too. Torrent files have at most 16 MiB; http(s) redirects 5 times at most, within 30 s, ' +
      'and private addresses are refused unless in network.allow_private.',
    'A link with `xs=urn:btpk:` (BEP 46) is followed: see GET /updates/followed. `started` is false and `infohash` empty when ' +
      'no version was found within 20 s; the search goes on.',
    'What is absent comes from the settings download_defaults. `selected_files` (extra): indexes, absent = all.',
    '`paused` (extra): it is added stopped. Extra as in PATCH: `max_download_speed`, `max_upload_speed`, `seeding_ratio`, `seeding_time`, `file_priorities` ' +
      '(not for a magnet whose files are not known: 404), `sequential`, `super_seeding`, `overwrite`, `watch_and_forget`, `labels`.',
    'A file that is there and is longer than the torrent says, or of whose whole pieces some hold data and none is right, is not of ' +
      'the download: it stops as DLSTATUS_STOPPED_ON_ERROR, `error` and `explain` say which file (`ForeignFile`), and nothing is ' +
      'changed. `overwrite` writes over such files; absent = as download_defaults.foreign_files says. A file that no whole piece can ' +
      'judge and that turns out different is set aside as `NAME.before-<8 of the infohash>` (event file_set_aside).',
    '`anon_hops` is 0 to 3; above 0 it needs `safe_seeding`, and everything goes through circuits, the fetching of an http ' +
      '`uri` too: an https one is 400 `BadScheme`, for exits carry no TLS, and a link with `xs=urn:btpk:` is 400. 503 ' +
      '`CircuitsUnavailable` only where the settings forbid circuits; without any yet it waits as DLSTATUS_CIRCUITS, and the ' +
      'extra field `circuits` says why.',
    'With `safe_seeding` and 0 hops the download goes on over circuits (number_hops, at least 1) when it is complete; it stops ' +
      'where the settings forbid them.',
    'Statuses follow one another as METADATA (magnets), ALLOCATING_DISKSPACE, WAITING4HASHCHECK and HASHCHECKING (when ' +
      'data is there), DOWNLOADING, SEEDING; with hops CIRCUITS instead of METADATA and DOWNLOADING while no circuit is ready.',
  ],
  parameters: AddParameters,
  oldNames: { torrent: 'uri' },
  reply: AddReply,
  errors: [
    'MissingParameter',
    'InvalidParameter',
    'SafeSeedingRequired',
    'TorrentUnreadable',
    'BadMagnet',
    'BadScheme',
    'PathNotAllowed',
    'SourceFailed',
    'AddressRefused',
    'MetadataNotFound',
    'CircuitsUnavailable',
    'DhtUnavailable',
    'VolumeStalled',
    'NotReady',
  ],
  sample: {
    path: '/downloads',
    body: {
      uri: `magnet:?xt=urn:btih:${SAMPLE_INFOHASH}`,
      anon_hops: 0,
      safe_seeding: true,
      destination: '/srv/media',
      selected_files: [0, 2],
    },
    status: 200,
  },
  run: async ({ services }, { parameters, caller }) =>
    services.downloads.add(await services.callerPaths.admit(parameters, caller)),
})

export const removeDownload = route({
  id: 'downloads.remove',
  method: 'DELETE',
  path: '/downloads/{infohash}',
  kind: 'json',
  bound: [],
  scope: 'add',
  tag,
  summary: 'Removes a download, with or without its files',
  choices: [
    '`remove_data` is required, in the body or the query.',
    'Answers when the files are closed, and deleted if that was asked for.',
    'Where their volume does not answer: without `remove_data` it is removed, and the files are closed later (adding the same again ' +
      'is 503 `VolumeStalled` until then); with it 503 `VolumeStalled`, and what had begun by then is ended when it answers.',
  ],
  parameters: RemoveParameters,
  reply: RemoveReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'VolumeStalled', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}`, body: { remove_data: true }, status: 200 },
  run: ({ services }, { path, parameters }) => services.downloads.remove(infohashOf(path), parameters.remove_data),
})

export const patchDownload = route({
  id: 'downloads.patch',
  method: 'PATCH',
  path: '/downloads/{infohash}',
  kind: 'json',
  bound: [],
  longBody: true,
  scope: 'add',
  tag,
  summary: 'Changes state, file selection, hops, limits, place or labels of a download',
  description: '`anon_hops` must be the only parameter.',
  choices: [
    'An empty body changes nothing and answers `modified` false.',
    '`selected_files`: indexes; an empty list = no file, absent = unchanged; one out of range is 400 and changes nothing.',
    '`stop`: DLSTATUS_STOPPED at once, also after a restart. `resume`: works again, also after an error. `recheck`: ' +
      'DLSTATUS_HASHCHECKING, then the state before; 409 without metadata.',
    '`anon_hops`: connections of the old kind are closed before one of the new kind opens; data, selection and time_added ' +
      'stay. Above 0 `safe_seeding` becomes true, with 0 false. 503 `CircuitsUnavailable` where the settings forbid circuits; ' +
      '409 while its files are being moved.',
    'Extra are `destination`, `max_download_speed`, `max_upload_speed`, `seeding_ratio`, `seeding_time`, `file_priorities`, ' +
      '`sequential`, `super_seeding`, `overwrite`, `watch_and_forget` and `labels`. The two speeds: bytes a second of this download alone, 0 = none.',
    '`seeding_ratio`, `seeding_time` (minutes): seeding ends at the first that is reached; -1 = never, -2 = as the ' +
      'settings say. Resuming a download that was stopped so sets both to -1.',
    '`file_priorities`: by index, 0 = not fetched, 1 (last) to 7 (first), 4 = normal, -1 = as it is; a shorter list leaves ' +
      'the rest. After `selected_files` of the same request. 404 before the metadata. `sequential`: pieces in their order, ' +
      'within a priority. `super_seeding`: once complete, each new peer hears of a few pieces only (BEP 16).',
    '`overwrite` with `resume`: files that are not of the download and lie in its places are written over from now on; false ends ' +
      'that. A file with other names (hard links) is never written to: a copy takes its place.',
    '`watch_and_forget`: only what readers ask for is fetched, and of that disk.watch_cache_bytes are kept beside what they are at; the ' +
      'least recently read goes first. Peers and trackers are told of none of it, it is never DLSTATUS_SEEDING, and it is removed ' +
      'disk.watch_cache_hours after the last reader (event download_forgotten), unless it is a version of a followed torrent. Only files ' +
      'that it made itself lose bytes or go with it: not those that were there before, have other names (hard links), or lie where ' +
      'another download has files. False: the selected files are fetched whole, and stay.',
    '`labels` replaces those there are; an empty JSON list removes all.',
    '`destination`: the files are moved there in the background, also over restarts; `moving_to` shows it until it is done. ' +
      'Nothing is overwritten. The folder where they are gives a move up. 409 while another one is under way.',
    'Where the volume of the files does not answer, what asks nothing of it is done (`stop` too: progress and files follow when it ' +
      'answers); `recheck` is 503 `VolumeStalled`.',
  ],
  parameters: PatchParameters,
  reply: PatchReply,
  errors: [
    'InvalidParameter',
    'DownloadNotFound',
    'StateConflict',
    'MetadataNotFound',
    'CircuitsUnavailable',
    'VolumeStalled',
    'NotReady',
  ],
  sample: {
    path: `/downloads/${SAMPLE_INFOHASH}`,
    body: {
      selected_files: [1],
      state: 'resume',
      max_upload_speed: 100_000,
      seeding_ratio: 2.5,
      file_priorities: [-1, 7],
      labels: ['films'],
      destination: '/srv/archive',
    },
    status: 200,
  },
  run: async ({ services }, { path, parameters, caller }) => {
    if (parameters.anon_hops !== undefined && Object.keys(parameters).length > 1) {
      throw new AppError('InvalidParameter', 'anon_hops must be the only parameter in this request.')
    }
    return services.downloads.patch(infohashOf(path), await services.callerPaths.admit(parameters, caller))
  },
})

export const downloadFiles = route({
  id: 'downloads.files',
  method: 'GET',
  path: '/downloads/{infohash}/files',
  kind: 'json',
  bound: [],
  scope: 'read',
  tag,
  summary: 'Files of a download, each with a signed link to its stream',
  choices: [
    '`stream_url` (extra) opens GET and HEAD of the file without a key for 24 hours (api.link_hours), `playlist_url` (extra) the playlist of ' +
      'all that can be played.',
    '`index` counts from 0 in torrent order, `name` is the path under the torrent root. Empty before the metadata is ' +
      'known. A file of 0 bytes has progress 1.',
  ],
  parameters: null,
  reply: FilesReply,
  errors: ['InvalidParameter', 'DownloadNotFound', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/files`, status: 200 },
  run: ({ services, links }, { path }) => {
    const infohash = infohashOf(path)
    const frame = {
      before: '{"files":',
      after: () => `,"playlist_url":${JSON.stringify(links.playlistUrl(infohash))}}`,
    }
    return new ListedJson(frame, async () =>
      withLinks(await services.downloads.files(infohash), index => links.streamUrl(infohash, index)),
    )
  },
})

const playlist = route({
  id: 'downloads.playlist',
  method: 'GET',
  path: '/downloads/{infohash}/playlist.m3u',
  kind: 'bytes',
  bound: [],
  scope: 'stream',
  signedLinks: true,
  tag,
  summary: 'A playlist of what can be played of a download, with signed links',
  choices: [
    'Extra. M3U in UTF-8: the selected films and sounds in the order of their names, each with a link that needs no key for ' +
      '24 hours (api.link_hours), by a given link (PUT /links) as long as that. Opened by a signed link too (`playlist_url` of the files), which opens no file by itself.',
    'Subtitles and sound in files beside a film stand before it, as `#EXTVLCOPT:input-slave`; asked for by a key, so does the second at ' +
      'which a film that was begun goes on (`start-time`). By a link it does not: links are for others too.',
    'Waits up to 60 s for the metadata of a magnet, then 408. Nothing to play: 404.',
  ],
  parameters: null,
  reply: null,
  contentType: 'audio/x-mpegurl',
  errors: ['DownloadNotFound', 'FileNotFound', 'MetadataTimeout', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/playlist.m3u`, status: 200 },
  run: async ({ services, links }, input): Promise<BytesReply> => {
    const infohash = infohashOf(input.path)
    const left = input.byKey ? await services.watching.of(infohash) : []
    const facts = {
      downloads: services.downloads,
      links,
      infohash,
      starts: new Map(left.map(({ fileindex, continue_at }) => [fileindex, continue_at])),
      given: input.link,
      base: input.base,
    }
    const { playlistOf } = await import('../playlist/playlist.ts')
    const body = Buffer.from(await playlistOf(facts, input))
    return { contentType: 'audio/x-mpegurl', body, headers: [['Cache-Control', 'no-store']] }
  },
})

// The specification heads this path once with /download/ and uses /downloads/ in its example; both are served.
const torrentRoute = <Path extends string>(id: string, path: Path) =>
  route({
    id,
    method: 'GET',
    path: `${path}/{infohash}/torrent`,
    kind: 'bytes',
    bound: [],
    scope: 'read',
    tag,
    summary: 'The torrent file of a download',
    choices: [
      '`application/x-bittorrent`, attachment `<infohash>.torrent`, with the trackers known now, web seeds and piece layers; 404 before the ' +
        'metadata is known. Served under /downloads/ and /download/.',
    ],
    parameters: null,
    reply: null,
    contentType: 'application/x-bittorrent',
    errors: ['DownloadNotFound', 'MetadataNotFound', 'NotReady'],
    sample: { path: `${path}/${SAMPLE_INFOHASH}/torrent`, status: 200 },
    run: async ({ services }, input): Promise<BytesReply> => {
      const infohash = infohashOf(input.path)
      const body = await services.downloads.torrentFile(infohash)
      const disposition = `attachment; filename="${infohash}.torrent"`
      return { contentType: 'application/x-bittorrent', body, headers: [['Content-Disposition', disposition]] }
    },
  })

// Players want a file extension at the end of the path, hence the second form.
const streamRoute = <Path extends string>(id: string, path: Path, samplePath: string) =>
  route({
    id,
    method: 'GET',
    path,
    kind: 'stream',
    bound: [],
    scope: 'stream',
    signedLinks: true,
    tag,
    summary: 'The content of one file, also while it is being downloaded',
    description: 'Every successful GET answers 206 with Content-Range, also without a Range header.',
    choices: [
      'Ranges may be suffix, open or several (multipart/byteranges; more than 16: one 206 of the whole). An end beyond ' +
        'the file is cut; a range outside it: 416 with `bytes */size`; malformed ranges and other units are ignored.',
      'HEAD: 200 with Content-Length, Range ignored. A file of 0 bytes: 200 without a body, a range of it 416.',
      'Strong `ETag`; `If-Range`; `If-None-Match`: 304. Content-Type follows the extension of the file name.',
      'Waits up to 60 s for the metadata of a magnet, then 408. A fileindex that does not exist or is no number: 404.',
      'A file that somebody else changed on disk: 503 (an answer under way is cut) until it is checked again; what no longer ' +
        'fits is fetched again, and the ETag stays, for it names the content. A file is looked at once a second while it is read.',
      'Any number of readers. An unselected file is fetched for its readers and stays unselected. A stopped download ' +
        'serves what it has, runs while a reader needs more, and is stopped again after it.',
      'Opened by a signed link too (`stream_url` of the files); `/stream/{fileindex}/{any name}` (extra) is the same route.',
      'A client that takes no byte for 10 minutes (api.stream_silent_seconds) is cut off.',
    ],
    parameters: null,
    reply: null,
    errors: [
      'DownloadNotFound',
      'FileNotFound',
      'MetadataTimeout',
      'RangeNotSatisfiable',
      'FileChanged',
      'TooManyRequests',
      'NotReady',
    ],
    sample: { path: samplePath, status: 206 },
    run: ({ services }, input) =>
      services.downloads.streamable(infohashOf(input.path), input.path['fileindex'] ?? '', input),
  })

/** Every route of this file. */
export const downloadRoutes = [
  listDownloads,
  addDownload,
  removeDownload,
  patchDownload,
  downloadFiles,
  playlist,
  torrentRoute('downloads.torrent', '/downloads'),
  torrentRoute('downloads.torrentSingular', '/download'),
  streamRoute('downloads.stream', '/downloads/{infohash}/stream/{fileindex}', `/downloads/${SAMPLE_INFOHASH}/stream/0`),
  streamRoute(
    'downloads.streamNamed',
    '/downloads/{infohash}/stream/{fileindex}/{name}',
    `/downloads/${SAMPLE_INFOHASH}/stream/0/film.mp4`,
  ),
] as const
