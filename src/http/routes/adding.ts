// What people look at before they add a download (extra, decision 0544): the files of a torrent, and folders.

import type { TorrentPreview } from '../../services/downloads/torrents-api.ts'
import { ListedJson, route } from '../route.ts'
import { FolderParameters, FolderReply, TorrentFilesParameters, TorrentFilesReply } from '../schemas/adding.ts'
import { SAMPLE_INFOHASH } from './infohash.ts'
import { SOURCE_ERRORS } from './source-errors.ts'

const tag = 'torrent info'

/** The answer, made in turns: a torrent may have very many files. */
function shown({ files, ...others }: TorrentPreview): ListedJson {
  const behind = `,${JSON.stringify(others).slice(1)}`
  return new ListedJson({ before: '{"files":', after: () => behind }, () => files)
}

const filesBehind = route({
  id: 'torrentinfo.files',
  method: 'GET',
  path: '/torrentinfo/files',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'The name and the files behind a magnet link, URL or torrent file',
  choices: [
    'The whole route is extra: what GET /torrentinfo says without pieces, which are most of it. `index` is what ' +
      '`selected_files` of PUT /downloads takes. Padding files are left out.',
    'Sources, waiting and `anon_hops` are those of GET /torrentinfo. What was found of a magnet is kept for five minutes, so ' +
      'that adding it then needs no second search.',
  ],
  parameters: TorrentFilesParameters,
  oldNames: { uri: 'torrent' },
  reply: TorrentFilesReply,
  errors: SOURCE_ERRORS,
  sample: { path: '/torrentinfo/files', query: `torrent=magnet:%3Fxt=urn:btih:${SAMPLE_INFOHASH}`, status: 200 },
  run: async ({ services }, { parameters, signal, caller }) => {
    const { uri } = await services.callerPaths.admit({ uri: parameters.torrent }, caller)
    return shown(await services.torrentInfo.files(uri, signal, parameters.anon_hops))
  },
})

const filesSent = route({
  id: 'torrentinfo.sent',
  method: 'POST',
  path: '/torrentinfo/files',
  kind: 'json',
  scope: 'add',
  tag,
  summary: 'The name and the files of a torrent file that is the body of the request',
  choices: [
    'The whole route is extra. The body is the torrent file itself, of at most 16 MiB, whatever Content-Type says. Nothing is ' +
      'kept or added, and nobody is asked.',
  ],
  rawBody: 'application/x-bittorrent',
  parameters: null,
  reply: TorrentFilesReply,
  errors: ['TorrentUnreadable', 'NotReady'],
  sample: { path: '/torrentinfo/files', rawBody: Buffer.from('d4:infod4:name4:Filmee'), status: 200 },
  run: async ({ services }, { body }) => shown(await services.torrentInfo.filesIn(body)),
})

const folders = route({
  id: 'folders.list',
  method: 'GET',
  path: '/folders',
  kind: 'json',
  scope: 'add',
  tag: 'folders',
  summary: 'The folders in a folder of the node, and the room there',
  choices: [
    'The whole route is extra. A key may look where it may let downloads go: the first key and scope owner anywhere but ' +
      "among the node's own files, others in general.allowed_paths, download_defaults.saveas and the watch folder, else 403 " +
      '`PathNotAllowed`, whether there is something or not.',
    'Links and names that begin with a dot are left out; a link that `path` leads through is followed and judged by where it ends. ' +
      'At most 1,000 folders of the first 20,000 entries are told, in the order of their names.',
  ],
  parameters: FolderParameters,
  reply: FolderReply,
  errors: ['InvalidParameter', 'PathNotAllowed', 'VolumeStalled'],
  sample: { path: '/folders', query: 'path=%2Fsrv', status: 200 },
  run: ({ services }, { parameters, caller }) => services.folders.list(parameters.path, caller),
})

/** Every route of this file. */
export const addingRoutes = [filesBehind, filesSent, folders] as const
