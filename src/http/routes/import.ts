// The route that takes over what other clients have (extra, decision 0365). It translates names and nothing else.

import { route } from '../route.ts'
import { ImportParameters, ImportReply } from '../schemas/import.ts'

export const importTorrents = route({
  id: 'import.run',
  method: 'POST',
  path: '/import',
  kind: 'json',
  // It reads what another client keeps, and makes downloads of any folder that is named there.
  scope: 'admin',
  tag: 'import',
  summary: 'Takes over the torrents of Transmission, qBittorrent or libtorrent',
  description:
    'Files stay where they are, and pieces that the other client had verified are not hashed again where size and times of ' +
    'the files fit. In parts: the next one begins after `next`.',
  choices: [
    'The whole route is extra. The folder is only read; nothing is moved, renamed or deleted.',
    '`result` of each torrent: `imported`; `checking` (what could not be trusted is hashed when it runs); `paused` (files ' +
      'with verified pieces are missing: see `reasons`); `exists` (left as it is); `refused` (`reasons` has an error code).',
    'Codes in `reasons` beside error codes: `size_differs`, `time_differs`, `not_verified`, `nothing_known`, `sample_wrong`, ' +
      '`file_missing`, `partial_name`, `renamed`, `metadata_missing`.',
    'Keys other than the first one may name, and import from, the allowed folders alone.',
  ],
  parameters: ImportParameters,
  reply: ImportReply,
  errors: [
    'MissingParameter',
    'InvalidParameter',
    'PathNotAllowed',
    'TooManyRequests',
    'VolumeStalled',
    'SafeSeedingRequired',
    'CircuitsUnavailable',
    'NotReady',
  ],
  sample: {
    path: '/import',
    body: {
      from: 'qbittorrent',
      folder: '/srv/qbittorrent/BT_backup',
      map: [['/downloads', '/srv/downloads']],
      dry_run: true,
      sample: 2,
      limit: 100,
    },
    status: 200,
  },
  run: ({ services }, { parameters, signal, caller }) => services.imports.run(parameters, signal, caller),
})

/** Every route of this file. */
export const importRoutes = [importTorrents] as const
