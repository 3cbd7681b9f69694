// The settings of the core: section -> option -> type, default, limits, doc line. With those of the chapters they are
// the one table (settings-table.ts) that validation, GET /settings, the command line and the README come from. It reads
// and writes nothing.

import { libtorrentSettings } from './settings-libtorrent.ts'
import { apiSettings } from './settings-api.ts'
import type { OptionValue, Sections } from './settings-option.ts'
import { slowModeSettings } from './settings-slow-mode.ts'
import { watchFolderSettings } from './settings-watch-folder.ts'

/** Defaults that depend on where the node runs are made by `defaultsFor`. */
export const settingsSchema = {
  general: {
    family_filter: {
      kind: 'boolean',
      default: true,
      needsRestart: false,
      doc: 'Torrents of the category xxx, and channels with adult content in their name, are hidden in lists of channels and in search results.',
    },
    log_level: {
      kind: 'choice',
      values: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      needsRestart: false,
      doc: 'Least important log lines that are written.',
    },
    log_levels: {
      kind: 'list',
      of: 'part-level',
      default: [],
      needsRestart: false,
      doc: 'Other levels for parts, such as dht=debug or tracker=warn; parts are the modules that log lines name in their field part.',
    },
    log_dir: {
      kind: 'text',
      format: 'path',
      maxLength: 4096,
      default: '',
      optional: true,
      needsRestart: true,
      doc: 'Folder of the log file; empty = folder log of the state directory.',
    },
    allowed_paths: {
      kind: 'list',
      of: 'path',
      default: [],
      needsRestart: false,
      doc: 'Absolute folders for paths from keys of limited scope, beside download_defaults.saveas and the watch folder; the first key may use any.',
    },
    version_checker_enabled: {
      kind: 'boolean',
      default: true,
      needsRestart: false,
      doc: 'New versions are looked for once a day, where version_check_url names a place.',
    },
    version_check_url: {
      kind: 'text',
      format: 'http-url',
      maxLength: 2048,
      default: '',
      optional: true,
      needsRestart: false,
      doc: 'Address that tells the newest version: plain text, or JSON with `version` or `tag_name`. Empty = nobody is asked.',
    },
  },
  api: apiSettings,
  libtorrent: libtorrentSettings,
  slow_mode: slowModeSettings,
  download_defaults: {
    anonymity_enabled: {
      kind: 'boolean',
      default: false,
      needsRestart: false,
      doc: 'New downloads use number_hops hops.',
    },
    number_hops: {
      kind: 'integer',
      min: 0,
      max: 3,
      default: 1,
      needsRestart: false,
      doc: 'Hops of anonymous downloads.',
    },
    safeseeding_enabled: {
      kind: 'boolean',
      default: true,
      needsRestart: false,
      doc: 'Anonymous downloads seed only anonymously.',
    },
    saveas: {
      kind: 'text',
      format: 'path',
      maxLength: 4096,
      default: '',
      needsRestart: false,
      doc: 'Destination of new downloads; default <home>/Downloads, or <state dir>/downloads with a chosen state dir.',
    },
    seeding_mode: {
      kind: 'choice',
      values: ['forever', 'never', 'ratio', 'time', 'either'],
      default: 'forever',
      needsRestart: false,
      doc: 'When seeding ends: forever = not at all, never = when complete, ratio, time, either = the first of both; downloads may have limits of their own.',
    },
    seeding_ratio: {
      kind: 'number',
      min: 0,
      max: 1_000_000,
      default: 2,
      needsRestart: false,
      doc: 'Uploaded / downloaded (of the size, where the data was there before) at which seeding ends.',
    },
    seeding_time: {
      kind: 'integer',
      unit: 'minutes',
      min: 0,
      max: 100_000_000,
      default: 60,
      needsRestart: false,
      doc: 'Minutes of seeding after which it ends.',
    },
    foreign_files: {
      kind: 'choice',
      values: ['stop', 'overwrite'],
      default: 'stop',
      needsRestart: false,
      doc: 'Files that are not of a new download and lie in its places: stop = it stops and says which, overwrite = they are written over. For what the watch folder, feeds and doors add, and requests that do not say `overwrite`.',
    },
    completed_dir: {
      kind: 'text',
      format: 'path',
      maxLength: 4096,
      default: '',
      optional: true,
      needsRestart: false,
      doc: 'Folder that downloads are moved to when they are complete, from saveas alone; empty = they stay.',
    },
    torrent_folder: {
      kind: 'text',
      format: 'path',
      maxLength: 4096,
      default: '',
      optional: true,
      needsRestart: false,
      doc: 'Folder in which the torrent file of each new download is kept as <infohash>.torrent; empty = none.',
    },
    trackers_file: {
      kind: 'text',
      format: 'path',
      maxLength: 4096,
      default: '',
      optional: true,
      needsRestart: false,
      doc: 'File of announce URLs, one a line, that new downloads get beside their own, unless private; empty = none.',
    },
  },
  network: {
    ip_filter: {
      kind: 'list',
      of: 'path',
      default: [],
      needsRestart: false,
      doc: 'Files of addresses that are refused as peers (P2P, DAT or CIDR, also gzipped); read again when they change.',
    },
    banned_peers: {
      kind: 'list',
      of: 'ip',
      maxEntries: 1000,
      default: [],
      needsRestart: false,
      doc: 'Addresses of peers that were banned by hand: no download talks to them.',
    },
    allow_private: {
      kind: 'list',
      of: 'cidr',
      default: [],
      needsRestart: false,
      doc: 'Private address blocks (CIDR) in which trackers may have any path, torrents may be fetched from, and webhooks be.',
    },
  },
  watch_folder: watchFolderSettings,
  updates: {
    interval: {
      kind: 'integer',
      unit: 'minutes',
      min: 1,
      max: 10_080,
      default: 30,
      needsRestart: false,
      doc: 'Minutes between two looks in the DHT for a new version of a torrent that is followed (BEP 46), and of a subscribed channel.',
    },
    old_versions: {
      kind: 'choice',
      values: ['stop', 'seed'],
      default: 'stop',
      needsRestart: false,
      doc: 'What older versions do when a new one is fetched: stop, or seed on where they share no file with it.',
    },
  },
  resource_monitor: {
    enabled: {
      kind: 'boolean',
      default: true,
      needsRestart: false,
      doc: 'Processor time and memory are sampled for GET /debug/cpu/history and /debug/memory/history.',
    },
    poll_interval: {
      kind: 'integer',
      unit: 'seconds',
      min: 1,
      max: 86_400,
      default: 5,
      needsRestart: false,
      doc: 'Seconds between two samples.',
    },
    history_size: {
      kind: 'integer',
      min: 1,
      max: 100_000,
      default: 720,
      needsRestart: false,
      doc: 'Samples that are kept.',
    },
    cpu_priority: {
      kind: 'integer',
      min: 0,
      max: 5,
      default: 2,
      needsRestart: false,
      doc: 'Processor time beside other processes: 0 last, 1 less, 2 as it was started, 3 to 5 first (needs the right to).',
    },
  },
  webhooks: {
    urls: {
      kind: 'list',
      of: 'http-url',
      maxEntries: 16,
      default: [],
      needsRestart: false,
      doc: 'Addresses that events are POSTed to as JSON until they answer 2xx; private ones only from network.allow_private.',
    },
    events: {
      kind: 'list',
      of: 'word',
      default: ['torrent_finished', 'torrent_error'],
      needsRestart: false,
      doc: 'Types of events that are sent; none = all.',
    },
    secret: {
      kind: 'text',
      format: 'any',
      maxLength: 256,
      default: '',
      needsRestart: false,
      secret: true,
      doc: 'Key of the HMAC-SHA256 of the body in X-Tributary-Signature (sha256=hex); empty = not signed.',
    },
  },
  disk: {
    min_free_bytes: {
      kind: 'integer',
      unit: 'bytes',
      min: 0,
      max: 1_000_000_000_000_000,
      default: 256 * 1024 * 1024,
      needsRestart: false,
      doc: 'Downloads stop with an error before free space falls below this.',
    },
    arena_bytes: {
      kind: 'integer',
      unit: 'bytes',
      min: 4 * 1024 * 1024,
      max: 4 * 1024 * 1024 * 1024,
      default: 32 * 1024 * 1024,
      needsRestart: true,
      doc: 'Shared memory for blocks between sockets and disk.',
    },
    range_arena_bytes: {
      kind: 'integer',
      unit: 'bytes',
      min: 1024 * 1024,
      max: 4 * 1024 * 1024 * 1024,
      default: 16 * 1024 * 1024,
      needsRestart: true,
      doc: 'Shared memory for stream readers and uploads.',
    },
    worker_threads: {
      kind: 'integer',
      min: 1,
      max: 64,
      default: 2,
      needsRestart: true,
      doc: 'Threads that hash, check and write pieces.',
    },
    hash: {
      kind: 'choice',
      values: ['auto', 'avx512', 'avx2', 'sha-ni', 'node'],
      default: 'auto',
      needsRestart: true,
      doc: 'By what pieces are hashed: instructions of the processor, or node for the hash of Node; auto = the quickest that works here.',
    },
    open_files: {
      kind: 'integer',
      min: 8,
      max: 100_000,
      default: 256,
      needsRestart: true,
      doc: 'Files of downloads kept open at a time.',
    },
    scrub_days: {
      kind: 'integer',
      unit: 'days',
      min: 0,
      max: 3650,
      default: 0,
      needsRestart: false,
      doc: 'Complete downloads are hashed again, slowly, once in so many days; 0 = never.',
    },
    watch_cache_bytes: {
      kind: 'integer',
      unit: 'bytes',
      min: 1024 * 1024,
      max: 1024 * 1024 * 1024 * 1024,
      default: 2 * 1024 * 1024 * 1024,
      needsRestart: false,
      doc: 'Of a download that is watched and forgotten, so much stays on the disk beside what its readers are at.',
    },
    watch_cache_hours: {
      kind: 'integer',
      unit: 'hours',
      min: 0,
      max: 8760,
      default: 24,
      needsRestart: false,
      doc: 'A download that is watched and forgotten is removed with its files so long after its last reader; 0 = never.',
    },
  },
} as const satisfies Sections

/** The values of some sections with their types. */
export type ValuesOf<Own extends Sections> = {
  readonly [S in keyof Own]: { readonly [O in keyof Own[S]]: OptionValue<Own[S][O]> }
}

/**
 * The settings of the core with their types: `settings.libtorrent.port` is a number. Those of chapters lie beside them.
 */
export type Settings = ValuesOf<typeof settingsSchema>
