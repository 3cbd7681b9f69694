// The route that makes torrents (extra, decisions part 7). It translates names and nothing else.

import { route } from '../route.ts'
import { CreateTorrentParameters, CreateTorrentReply } from '../schemas/create-torrent.ts'

export const createTorrent = route({
  id: 'createtorrent.create',
  method: 'POST',
  path: '/createtorrent',
  kind: 'json',
  // It reads any file below the paths a key may name, and may write beside them.
  scope: 'admin',
  tag: 'createtorrent',
  summary: 'Makes a torrent of a file or folder',
  description: 'Answers when it is made, which may take long. A client that goes away gives it up.',
  choices: [
    'The whole route is extra. Events tell how far it has come: `torrent_creation_progress`, then `torrent_created` or ' +
      '`torrent_creation_failed`.',
    'Links are not followed and left out, with devices; empty folders too. The info hash depends on names and bytes, piece ' +
      'length, format, `private` and `source` alone.',
    'A file that changes meanwhile is 409 `SourceChanged`. A torrent file is never written over another: 409.',
    '`add`: the download is complete at once and seeds from where the content lies; nothing is hashed again.',
    'A volume that does not answer for 5 s: 503 `VolumeStalled`, and nothing is made.',
    'Two torrents are made at a time; more are 503 `TooManyRequests`.',
  ],
  parameters: CreateTorrentParameters,
  reply: CreateTorrentReply,
  errors: [
    'MissingParameter',
    'InvalidParameter',
    'PathNotAllowed',
    'SourceChanged',
    'StateConflict',
    'TooManyRequests',
    'VolumeStalled',
    'SafeSeedingRequired',
    'CircuitsUnavailable',
    'NotReady',
  ],
  sample: {
    path: '/createtorrent',
    body: {
      path: '/srv/media/Film',
      format: 'hybrid',
      trackers: [['https://tracker.example/announce'], ['udp://tracker.example:6969']],
      web_seeds: ['https://mirror.example/media/'],
      private: false,
      comment: 'A film',
      export: true,
      add: true,
    },
    status: 200,
  },
  run: async ({ services }, { parameters, signal, caller }) => {
    const created = await services.torrentMaker.create(parameters, signal, caller)
    return { ...created, torrent: Buffer.from(created.torrent).toString('base64') }
  },
})

/** Every route of this file. */
export const createTorrentRoutes = [createTorrent] as const
