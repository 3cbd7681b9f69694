// Part 4 of the specification as one table, with the rows that chapters add (spec-parts.ts): method, path, parameters,
// what is answered, and requests that are answered so. The tests beside it are generated from it.

import { CORE_STATE, DEBUG, DOWNLOAD, LIST_FACETS, LIST_TOTALS, LISTED_FILE, STATISTICS, VARIABLES } from './records.ts'
import type { Json, Shape } from './shapes.ts'
import { specParts } from './spec-parts.ts'

/** A parameter of the specification; those of paths are named in the path. */
export interface SpecParameter {
  readonly type: Shape
  readonly required?: true
  /** Of the right type and refused all the same (decisions parts 2 and 5). */
  readonly refused?: readonly unknown[]
}

/** One good request. */
export interface Ask {
  readonly parameters?: Json
  /** Of the path, beside those that every request has. */
  readonly segments?: Readonly<Record<string, string>>
  /** What has to be there, or not, in the words of the part (spec-parts.ts) that makes it. */
  readonly made?: string
  /** Names of the answer that are there on request only. */
  readonly asked?: readonly string[]
}

/** What requests are made of. */
export interface World {
  /** Of a download of three files, which lies in `folder` complete. */
  readonly infohash: string
  readonly torrentFile: string
  readonly folder: string
  /** Of an own channel. */
  readonly channelid: string
  /** The torrent file in base64, an address of it, and a magnet link. */
  readonly upload: string
  readonly link: string
  readonly magnet: string
}

/** What is answered: JSON, or bytes of a type. */
export type SpecAnswer =
  | { readonly json: Shape }
  | { readonly bytes: RegExp; readonly disposition?: RegExp }
  /** A stream of events, also as server-sent ones. */
  | { readonly events: true }

/** One row of part 4. */
export interface SpecRoute {
  readonly part: '4.1' | '4.2' | '4.7' | '4.8' | '4.3' | '4.4' | '4.5' | '4.6' | '4.9' | '4.10' | '4.11' | '4.12'
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly parameters: Readonly<Record<string, SpecParameter>>
  /** Parameters that are additions of this node: decisions part 2 and decision 0260. */
  readonly extraParameters?: readonly string[]
  readonly answer: SpecAnswer
  readonly status: 200 | 206
  /** Statuses of failures, beside those of every route: 401, 403, 500. */
  readonly failures: readonly number[]
  readonly asks: (world: World) => readonly Ask[]
}

const once = (): readonly Ask[] => [{}]
const json = (fields: Readonly<Record<string, Shape>>, extra: Readonly<Record<string, Shape>> = {}): SpecAnswer => ({
  json: { fields, extra },
})
const boolean: SpecParameter = { type: 'boolean' }

const CONTROLS = [
  ...['max_download_speed', 'max_upload_speed', 'seeding_ratio', 'seeding_time', 'file_priorities', 'sequential'],
  ...['super_seeding', 'overwrite', 'watch_and_forget', 'labels'],
]

const torrentFile = (path: string): SpecRoute => ({
  part: '4.1',
  method: 'GET',
  path,
  parameters: {},
  answer: { bytes: /^application\/x-bittorrent$/, disposition: /^attachment; filename="[0-9a-f]{40}\.torrent"$/ },
  status: 200,
  failures: [404, 503],
  asks: once,
})

const downloads: readonly SpecRoute[] = [
  {
    part: '4.1',
    method: 'GET',
    path: '/downloads',
    parameters: { get_peers: boolean, get_pieces: boolean, get_files: boolean },
    extraParameters: ['limit', 'after', 'offset', 'filter', 'sort', 'infohash', 'fields', 'get_totals', 'get_facets'],
    answer: {
      json: {
        fields: { downloads: { list: DOWNLOAD } },
        sometimes: { total: 'integer', next: 'string', totals: LIST_TOTALS, facets: LIST_FACETS },
      },
    },
    status: 200,
    failures: [400, 404],
    asks: () => [
      {},
      { parameters: { get_peers: 1 }, asked: ['peers'] },
      { parameters: { get_pieces: true }, asked: ['pieces'] },
      { parameters: { get_files: 'true' }, asked: ['files'] },
      { parameters: { get_peers: 1, get_pieces: 1, get_files: 0 }, asked: ['peers', 'pieces'] },
      { parameters: { limit: 5, filter: 'all', sort: '-size', get_files: 1 }, asked: ['files'] },
      { parameters: { offset: 0, limit: 5, get_totals: 1 } },
      { parameters: { limit: 5, get_facets: 1 } },
    ],
  },
  {
    part: '4.1',
    method: 'PUT',
    path: '/downloads',
    parameters: {
      uri: { type: 'string', required: true },
      anon_hops: { type: 'integer', refused: [-1, 4] },
      safe_seeding: boolean,
      destination: { type: 'string' },
    },
    extraParameters: ['selected_files', 'paused', ...CONTROLS],
    answer: json({ started: 'boolean', infohash: 'string' }),
    status: 200,
    failures: [400, 413, 502, 503],
    asks: ({ torrentFile: uri, folder: destination, infohash }) => [
      { parameters: { uri, destination } },
      { parameters: { torrent: `file://${uri}`, anon_hops: 0, safe_seeding: 0, destination } },
      { parameters: { uri: `magnet:?xt=urn:btih:${infohash}`, destination } },
    ],
  },
  {
    part: '4.1',
    method: 'PATCH',
    path: '/downloads/{infohash}',
    parameters: {
      anon_hops: { type: 'integer', refused: [-1, 4] },
      'selected_files[]': { type: { list: 'integer' }, refused: [[3], [0, 1_000_000]] },
      state: { type: { values: ['resume', 'stop', 'recheck'] } },
    },
    extraParameters: ['destination', ...CONTROLS],
    answer: json({ infohash: 'string', modified: 'boolean' }),
    status: 200,
    failures: [400, 404, 409, 413, 503],
    asks: () => [
      { parameters: { anon_hops: 0 } },
      { parameters: { 'selected_files[]': [0, 2] } },
      { parameters: { 'selected_files[]': [0, 1, 2], state: 'stop' } },
      { parameters: { state: 'resume' } },
      { parameters: { state: 'recheck' } },
      {},
    ],
  },
  {
    part: '4.1',
    method: 'GET',
    path: '/downloads/{infohash}/files',
    parameters: {},
    answer: json({ files: { list: LISTED_FILE } }, { playlist_url: 'string' }),
    status: 200,
    failures: [404, 503],
    asks: once,
  },
  {
    part: '4.1',
    method: 'GET',
    path: '/downloads/{infohash}/stream/{fileindex}',
    parameters: {},
    answer: { bytes: /^video\/mp4$/ },
    status: 206,
    failures: [404, 408, 416, 503],
    asks: once,
  },
  torrentFile('/downloads/{infohash}/torrent'),
  torrentFile('/download/{infohash}/torrent'),
  {
    part: '4.1',
    method: 'DELETE',
    path: '/downloads/{infohash}',
    parameters: { remove_data: { type: 'boolean', required: true } },
    answer: json({ infohash: 'string', removed: 'boolean' }),
    status: 200,
    failures: [400, 404, 503],
    asks: () => [{ parameters: { remove_data: false } }, { parameters: { remove_data: '0' } }],
  },
]

const core: readonly SpecRoute[] = [
  {
    part: '4.2',
    method: 'GET',
    path: '/torrentinfo',
    parameters: { torrent: { type: 'string', required: true } },
    extraParameters: ['anon_hops'],
    answer: json({ metainfo: 'any' }, { infohash: 'string', download_exists: 'boolean' }),
    status: 200,
    failures: [400, 408, 502, 503],
    asks: ({ torrentFile: torrent, infohash }) => [
      { parameters: { torrent } },
      { parameters: { torrent: `magnet:?xt=urn:btih:${infohash}` } },
      { parameters: { uri: `file://${torrent}` } },
    ],
  },
  {
    part: '4.9',
    method: 'GET',
    path: '/settings',
    parameters: {},
    answer: json({ settings: { map: { map: 'any' } } }, { ports: { map: 'integer' } }),
    status: 200,
    failures: [],
    asks: once,
  },
  {
    part: '4.9',
    method: 'POST',
    path: '/settings',
    parameters: {},
    answer: json({ modified: 'boolean' }, { restart_required: { list: 'string' }, overridden: { list: 'string' } }),
    status: 200,
    failures: [400, 413],
    asks: () => [
      { parameters: { libtorrent: { max_upload_rate: 150_000 }, Tribler: {} } },
      { parameters: { libtorrent: { port: '-1', max_upload_rate: '0' }, download_defaults: { seeding_ratio: '2.0' } } },
      {},
    ],
  },
  {
    part: '4.9',
    method: 'GET',
    path: '/variables',
    parameters: {},
    answer: json({ variables: VARIABLES }),
    status: 200,
    failures: [],
    asks: once,
  },
  {
    part: '4.9',
    method: 'GET',
    path: '/state',
    parameters: {},
    answer: { json: CORE_STATE },
    status: 200,
    failures: [],
    asks: once,
  },
]

const figures = (path: string, name: string, shape: Shape): SpecRoute => ({
  part: path.startsWith('/debug') ? '4.11' : '4.10',
  method: 'GET',
  path,
  parameters: {},
  answer: json({ [name]: shape }),
  status: 200,
  failures: [],
  asks: once,
})

const statistics: readonly SpecRoute[] = [
  figures('/statistics/communities', 'dispersy_community_statistics', { list: STATISTICS.community }),
  figures('/statistics/dispersy', 'dispersy_statistics', STATISTICS.dispersy),
  figures('/statistics/tribler', 'tribler_statistics', STATISTICS.tribler),
]

const profiler = (method: SpecRoute['method'], answer: SpecAnswer): SpecRoute => ({
  ...figures('/debug/profiler', '', 'any'),
  method,
  answer,
  failures: method === 'GET' ? [] : [409],
})

const debug: readonly SpecRoute[] = [
  figures('/debug/cpu/history', 'cpu_history', { list: DEBUG.cpu }),
  figures('/debug/memory/history', 'memory_history', { list: DEBUG.memory }),
  {
    ...figures('/debug/memory/dump', '', 'any'),
    answer: { bytes: /^application\/octet-stream$/, disposition: /^attachment; filename="/ },
    failures: [503],
  },
  figures('/debug/open_files', 'open_files', { list: DEBUG.file }),
  figures('/debug/open_sockets', 'open_sockets', { list: DEBUG.socket }),
  figures('/debug/threads', 'threads', { list: DEBUG.thread }),
  {
    ...figures('/debug/log', '', 'any'),
    parameters: {
      process: { type: { values: ['core', 'gui'] } },
      max_lines: { type: 'integer', refused: [0, 10_001] },
    },
    answer: json({ content: 'string', max_lines: 'integer' }),
    failures: [400],
    asks: () => [
      {},
      { parameters: { process: 'core', max_lines: 10 } },
      { parameters: { process: 'gui', max_lines: '' } },
    ],
  },
  profiler('GET', json({ state: { values: ['STARTED', 'STOPPED'] } })),
  profiler('PUT', json({ success: 'boolean' })),
  profiler('DELETE', json({ success: 'boolean' }, { profiler_file: 'string' })),
]

const events: readonly SpecRoute[] = [
  {
    part: '4.12',
    method: 'GET',
    path: '/events',
    parameters: {},
    extraParameters: ['downloads', 'since'],
    answer: { events: true },
    status: 200,
    failures: [400],
    asks: once,
  },
]

/** Every row, in an order in which they can be asked. */
export const SPEC_ROUTES: readonly SpecRoute[] = [
  ...downloads,
  ...specParts.flatMap(({ routes = [] }) => routes),
  ...core,
  ...statistics,
  ...debug,
  ...events,
]
