// Routes of films that were begun: where each was left, for every player that asks (extra, decision 0540).

import { route } from '../route.ts'
import {
  ForgetReply,
  RecentParameters,
  RecentReply,
  WatchingOfReply,
  WatchingParameters,
  WatchingSchema,
} from '../schemas/watching.ts'
import { infohashOf, SAMPLE_INFOHASH } from './infohash.ts'

const tag = 'watching'
const DEFAULT_LIMIT = 100
const SAMPLE = `/downloads/${SAMPLE_INFOHASH}/watching/0`

const listRecent = route({
  id: 'watching.recent',
  method: 'GET',
  path: '/watching',
  kind: 'json',
  scope: 'read',
  tag,
  summary: 'Films that were begun, the newest first',
  choices: [
    'The whole route is extra. Those that can be gone on with, of the last 1,000 that were played.',
    'Kept are 2,000 files of a download and 10,000 in all; those that were played longest ago go, and all of a download ' +
      'when it is removed.',
  ],
  parameters: RecentParameters,
  reply: RecentReply,
  errors: ['InvalidParameter', 'NotReady'],
  sample: { path: '/watching', query: 'limit=10&all=1', status: 200 },
  run: async ({ services }, { parameters: { limit = DEFAULT_LIMIT, all = false } }) => ({
    watching: await services.watching.recent(limit, all),
  }),
})

const listOf = route({
  id: 'watching.of',
  method: 'GET',
  path: '/downloads/{infohash}/watching',
  kind: 'json',
  scope: 'stream',
  tag,
  summary: 'Where the files of a download were left',
  choices: ['The whole route is extra. Files that were begun, by index. A signed link does not open it.'],
  parameters: null,
  reply: WatchingOfReply,
  errors: ['DownloadNotFound', 'NotReady'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/watching`, status: 200 },
  run: async ({ services }, { path }) => ({ watching: await services.watching.of(infohashOf(path)) }),
})

const readOne = route({
  id: 'watching.read',
  method: 'GET',
  path: '/downloads/{infohash}/watching/{fileindex}',
  kind: 'json',
  scope: 'stream',
  tag,
  summary: 'Where a file was left',
  choices: ['The whole route is extra. A file that was never begun is at 0.'],
  parameters: null,
  reply: WatchingSchema,
  errors: ['DownloadNotFound', 'FileNotFound', 'NotReady'],
  sample: { path: SAMPLE, status: 200 },
  run: ({ services }, { path }) => services.watching.one(infohashOf(path), path['fileindex'] ?? ''),
})

const note = route({
  id: 'watching.note',
  method: 'PUT',
  path: '/downloads/{infohash}/watching/{fileindex}',
  kind: 'json',
  scope: 'stream',
  tag,
  summary: 'Notes where a file was left, or that it was watched',
  choices: [
    'The whole route is extra. For players: every ten seconds, and when they pause or end. The last word counts, whichever ' +
      'player it is from.',
    'Whatever may play a file may say where it is: scope `stream`. A signed link does not open it.',
  ],
  parameters: WatchingParameters,
  reply: WatchingSchema,
  errors: ['DownloadNotFound', 'FileNotFound', 'InvalidParameter', 'MissingParameter', 'MetadataNotFound', 'NotReady'],
  sample: { path: SAMPLE, body: { position: 101.5, duration: 5400 }, status: 200 },
  run: ({ services }, { path, parameters }) =>
    services.watching.note(infohashOf(path), path['fileindex'] ?? '', parameters),
})

const forget = route({
  id: 'watching.forget',
  method: 'DELETE',
  path: '/downloads/{infohash}/watching/{fileindex}',
  kind: 'json',
  scope: 'stream',
  tag,
  summary: 'Forgets where a file was left, and that it was watched',
  choices: ['The whole route is extra.'],
  parameters: null,
  reply: ForgetReply,
  errors: ['DownloadNotFound', 'FileNotFound', 'NotReady'],
  sample: { path: SAMPLE, status: 200 },
  run: ({ services }, { path }) => services.watching.forget(infohashOf(path), path['fileindex'] ?? ''),
})

/** Every route of this file. */
export const watchingRoutes = [listRecent, listOf, readOne, note, forget] as const
