// JSON schemas of downloads: parameters and records (spec 2.1, 4.1; decisions part 2). Field names are the
// specification's; extra fields say so.

import { Type } from '@sinclair/typebox'
import {
  LIST_STATES,
  type ListState,
  MAX_FACETS,
  MAX_FILTER_CHARS,
  SORT_FIELDS,
} from '../../services/downloads/list/list-query-api.ts'
import { controlFields, controlProperties, ReasonParametersSchema } from './controls.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Bytes = Count('bytes')
const Rate = Count('bytes a second')
const Fraction = Type.Number({ minimum: 0, maximum: 1, description: 'a number from 0 to 1' })

/** Spec 3.1. */
const DownloadStatusSchema = Type.Union(
  [
    Type.Literal('DLSTATUS_ALLOCATING_DISKSPACE'),
    Type.Literal('DLSTATUS_WAITING4HASHCHECK'),
    Type.Literal('DLSTATUS_HASHCHECKING'),
    Type.Literal('DLSTATUS_DOWNLOADING'),
    Type.Literal('DLSTATUS_SEEDING'),
    Type.Literal('DLSTATUS_STOPPED'),
    Type.Literal('DLSTATUS_STOPPED_ON_ERROR'),
    Type.Literal('DLSTATUS_METADATA'),
    Type.Literal('DLSTATUS_CIRCUITS'),
  ],
  { description: 'one of the download statuses' },
)

/** Spec 2.1, file record. */
export const FileSchema = Type.Object({
  index: Count('place in torrent order, from 0'),
  name: Type.String({ description: 'path under the torrent root, with /' }),
  size: Bytes,
  included: Type.Boolean({ description: 'whether it is selected' }),
  progress: Fraction,
  priority: Type.Integer({ minimum: 0, maximum: 7, description: 'extra: 0 = not fetched, 1 (last) to 7 (first)' }),
})

/** A file record with its signed link (extra, decisions part 1). */
export const LinkedFileSchema = Type.Object({
  ...FileSchema.properties,
  stream_url: Type.String({ description: 'extra: path and token that open this file without a key for 24 hours' }),
})

/** Spec 2.1, tracker record; the fields from `tier` on are extra. */
export const TrackerSchema = Type.Object({
  url: Type.String(),
  status: Type.String(),
  peers: Type.Integer(),
  tier: Type.Optional(Type.Integer({ minimum: 0, description: 'extra: 0 = asked first; absent for DHT, PeX, LSD' })),
  seeds: Type.Optional(Type.Integer({ description: 'extra: peers that have all, as it said last; absent = unknown' })),
  leeches: Type.Optional(Type.Integer({ description: 'extra: the other peers, as it said last; absent = unknown' })),
  next_announce: Type.Optional(
    Type.Integer({
      description:
        'extra: when it is due, or may be asked again, seconds since 1970; absent = not known, or not to be asked',
    }),
  ),
  message: Type.Optional(
    Type.String({ description: 'extra: what it said, or why nothing came, when the last announce failed' }),
  ),
})

/** Spec 2.1, peer record; the fields from `id` on are extra. */
export const PeerSchema = Type.Object({
  ip: Type.String(),
  dtotal: Bytes,
  downrate: Rate,
  uinterested: Type.Boolean(),
  wstate: Type.String(),
  optimistic: Type.Boolean(),
  id: Type.String(),
  port: Type.Integer(),
  client: Type.String(),
  direction: Type.Union([Type.Literal('L'), Type.Literal('R')]),
  uprate: Rate,
  utotal: Bytes,
  uchoked: Type.Boolean(),
  dinterested: Type.Boolean(),
  dchoked: Type.Boolean(),
  snubbed: Type.Boolean(),
  completed: Type.Number(),
  speed: Type.Number(),
  upload_only: Type.Boolean(),
  seed: Type.Boolean(),
  connection_type: Type.Integer({ description: '0 TCP, 1 web seed, 3 uTP' }),
  rstate: Type.String(),
  encryption: Type.Union([Type.Literal(''), Type.Literal('rc4'), Type.Literal('plaintext')], {
    description: 'what follows an encrypted handshake; empty = there was none',
  }),
})

/** Spec 2.1, download record. */
export const DownloadSchema = Type.Object({
  name: Type.String(),
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  infohash_v2: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()], {
    description: 'extra: of a v2 or hybrid torrent; paths take it too',
  }),
  progress: Fraction,
  status: DownloadStatusSchema,
  queued: Type.Boolean({ description: 'extra: DLSTATUS_STOPPED because others go first' }),
  queue_order: Type.Number({ description: 'extra: sorts the queue, lowest first; any number, no two alike' }),
  queue_position: Type.Optional(
    Type.Integer({ minimum: 0, description: 'extra, of single downloads and pages: its place in the queue, from 0' }),
  ),
  size: Bytes,
  eta: Type.Integer({ description: 'seconds; 0 when complete, 8640000 when nothing moves' }),
  speed_down: Type.Number({ description: 'bytes a second' }),
  speed_up: Type.Number({ description: 'bytes a second' }),
  num_peers: Type.Integer(),
  num_seeds: Type.Integer(),
  num_connected_peers: Type.Integer({ description: 'extra' }),
  num_connected_seeds: Type.Integer({ description: 'extra' }),
  total_up: Bytes,
  total_down: Bytes,
  total_pieces: Type.Integer(),
  ratio: Type.Number(),
  hops: Type.Integer(),
  anon_download: Type.Boolean(),
  safe_seeding: Type.Boolean(),
  max_upload_speed: Type.Integer({ description: 'bytes a second, 0 = no limit' }),
  max_download_speed: Type.Integer({ description: 'bytes a second, 0 = no limit' }),
  destination: Type.String(),
  availability: Type.Number(),
  error: Type.String(),
  time_added: Type.Integer({ description: 'Unix time, seconds' }),
  vod_mode: Type.Boolean(),
  vod_prebuffering_progress: Type.Number(),
  vod_prebuffering_progress_consec: Type.Number(),
  ...controlFields,
  trackers: Type.Array(TrackerSchema),
  update_of: Type.Optional(
    Type.String({ description: 'extra: the followed key it is a version of (`target` of GET /updates/followed)' }),
  ),
  updated_by: Type.Optional(Type.String({ description: 'extra: the newest version; empty = this one' })),
  stalled_volume: Type.Optional(
    Type.String({
      description:
        'extra, while the volume of its files does not answer: where that is mounted; it goes on by itself when that answers',
    }),
  ),
  own_max_download_speed: Type.Optional(
    Type.Integer({ minimum: 1, description: 'extra: a limit of its own, bytes a second; absent = none' }),
  ),
  own_max_upload_speed: Type.Optional(
    Type.Integer({ minimum: 1, description: 'extra: a limit of its own, bytes a second; absent = none' }),
  ),
  condition: Type.Optional(
    Type.Object(
      {
        code: Type.String({ description: 'the first code of GET /downloads/{infohash}/explain' }),
        trouble: Type.Boolean({ description: 'it needs somebody, or has stood still for a while: state `trouble`' }),
        parameters: Type.Optional(ReasonParametersSchema),
      },
      { description: 'extra, while there is more to say than `status` says: why it does not move' },
    ),
  ),
  circuits: Type.Optional(
    Type.Object(
      {
        candidates: Type.Integer({ description: 'peers of the overlay that may be a hop' }),
        exits: Type.Integer({ description: 'those of them that carry BitTorrent traffic out' }),
        ready: Type.Integer({ description: 'circuits that carry data' }),
        building: Type.Integer({ description: 'circuits on their way' }),
        last_failure: Type.String({ description: 'empty = none failed' }),
      },
      { description: 'extra, with hops above 0: circuits of that many hops' },
    ),
  ),
  files: Type.Optional(Type.Array(FileSchema)),
  peers: Type.Optional(Type.Array(PeerSchema)),
  pieces: Type.Optional(Type.String({ description: 'extra: base64, one bit a piece, most significant first' })),
})

/** Parts of records that are asked for. */
const ListParameters = Type.Object({
  get_peers: Type.Optional(Type.Boolean({ description: 'a boolean: add `peers` to each record; costs performance' })),
  get_pieces: Type.Optional(Type.Boolean({ description: 'a boolean: add `pieces` to each record; costs performance' })),
  get_files: Type.Optional(Type.Boolean({ description: 'a boolean: add `files` to each record; costs performance' })),
})

/** Records of a page. */
const MAX_PAGE = 1000
/** Far behind the end of any list. */
const MAX_OFFSET = 1_000_000_000
/** Downloads that a query names. */
const MAX_NAMED = 1000

/** Query of GET /downloads. */
export const PageParameters = Type.Object({
  ...ListParameters.properties,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      description: `from 1 to ${MAX_PAGE}: at most so many downloads (extra)`,
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
      description: 'an infohash, `next` of the page before: only downloads behind that one (extra)',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_OFFSET, description: 'downloads passed over first, from 0 (extra)' }),
  ),
  filter: Type.Optional(
    Type.String({
      maxLength: MAX_FILTER_CHARS,
      description:
        `at most ${MAX_FILTER_CHARS} characters: states, \`label:NAME\`, \`tracker:HOST\`, \`folder:PATH\`, ` +
        '`size>1GiB`, `size<1GiB`, texts of name, labels or infohash (extra)',
    }),
  ),
  sort: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `a field, with \`-\` before it descending (extra): ${SORT_FIELDS.join(', ')}`,
    }),
  ),
  infohash: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_NAMED,
      description: `at most ${MAX_NAMED} infohashes with commas between: only these downloads (extra)`,
    }),
  ),
  fields: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 100,
      description: 'names of fields with commas between: records have only these (extra)',
    }),
  ),
  get_totals: Type.Optional(Type.Boolean({ description: 'a boolean: add `totals` of all downloads (extra)' })),
  get_facets: Type.Optional(Type.Boolean({ description: 'a boolean: add `facets` of all downloads (extra)' })),
})

const Hops = Type.Integer({ minimum: 0, maximum: 3, description: 'an integer from 0 (plain) to 3' })
const FileIndexes = Type.Array(Type.Integer({ minimum: 0, description: 'a file index from 0' }), {
  maxItems: 200_000,
  description: 'a list of file indexes',
})

/** Query of POST /downloads. */
export const UploadParameters = Type.Object({
  anon_hops: Type.Optional(Hops),
  safe_seeding: Type.Optional(Type.Boolean({ description: 'a boolean' })),
  destination: Type.Optional(Type.String({ description: 'an absolute path' })),
  selected_files: Type.Optional(FileIndexes),
  paused: Type.Optional(Type.Boolean({ description: 'a boolean: add it stopped' })),
  ...controlProperties,
})

/** Body of PUT /downloads. */
export const AddParameters = Type.Object({
  uri: Type.String({ description: 'a magnet link, an http(s) URL or a file path; its old name torrent is read too' }),
  ...UploadParameters.properties,
})

/** Body of PATCH /downloads/{infohash}. */
export const PatchParameters = Type.Object({
  anon_hops: Type.Optional(Hops),
  selected_files: Type.Optional(FileIndexes),
  state: Type.Optional(
    Type.Union([Type.Literal('resume'), Type.Literal('stop'), Type.Literal('recheck')], {
      description: 'resume, stop or recheck',
    }),
  ),
  destination: Type.Optional(Type.String({ description: 'an absolute path' })),
  ...controlProperties,
})

/** Parameters of DELETE /downloads/{infohash}. */
export const RemoveParameters = Type.Object({
  remove_data: Type.Boolean({ description: 'a boolean: delete the files too' }),
})

/** Query of GET /downloads/{infohash}. */
export const ReadParameters = ListParameters
/** GET /downloads/{infohash}. */
export const ReadReply = Type.Object({ download: DownloadSchema })
/** GET /downloads. */
const CountByState = Object.fromEntries(LIST_STATES.map(state => [state, Count('downloads')])) as Record<
  ListState,
  ReturnType<typeof Count>
>

/** Sums over all downloads. */
const TotalsSchema = Type.Object({
  count: Count('downloads'),
  speed_down: Rate,
  speed_up: Rate,
  states: Type.Object(CountByState, { description: 'downloads in each state that `filter` knows' }),
})

const FacetList = (value: string) =>
  Type.Array(Type.Object({ value: Type.String({ description: value }), count: Count('downloads') }), {
    maxItems: MAX_FACETS,
  })

/** How many downloads have each label, tracker and folder. */
const FacetsSchema = Type.Object({
  labels: FacetList('a label; empty = those without any'),
  trackers: FacetList('the host of a tracker; empty = those without any'),
  folders: FacetList('the folder of the files'),
})

/** GET /downloads. */
export const ListReply = Type.Object({
  downloads: Type.Array(DownloadSchema),
  total: Type.Optional(
    Count('extra, with any parameter that asks for a part of the list: downloads on all pages together'),
  ),
  next: Type.Optional(
    Type.String({ description: 'extra, with the same: `after` of the next page; empty = the last one' }),
  ),
  totals: Type.Optional({ ...TotalsSchema, description: 'extra, with `get_totals`: of all downloads' }),
  facets: Type.Optional({
    ...FacetsSchema,
    description: `extra, with \`get_facets\`: of all downloads, the ${MAX_FACETS} values of each kind that most have`,
  }),
})
/** PUT /downloads. */
export const AddReply = Type.Object({ started: Type.Boolean(), infohash: Type.String() })
/** DELETE /downloads/{infohash}. */
export const RemoveReply = Type.Object({ infohash: Type.String(), removed: Type.Boolean() })
/** PATCH /downloads/{infohash}. */
export const PatchReply = Type.Object({ infohash: Type.String(), modified: Type.Boolean() })
/** GET /downloads/{infohash}/files. */
export const FilesReply = Type.Object({
  files: Type.Array(LinkedFileSchema),
  playlist_url: Type.String({ description: 'extra: path of a playlist of what can be played, without a key' }),
})
