// The one table of settings: section -> option -> type, default, limits, doc line. Validation, GET /settings, the
// command line and the README come from it. It reads and writes nothing.

import type { OptionSpec, OptionValue } from './settings-option.ts'

/** Defaults that depend on where the node runs are made by `defaultsFor`. */
export const settingsSchema = {
  general: {
    log_level: {
      kind: 'choice',
      values: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      needsRestart: false,
      doc: 'Least important log lines that are written.',
    },
    allowed_paths: {
      kind: 'list',
      of: 'path',
      default: [],
      needsRestart: false,
      doc: 'Absolute folders, beside download_defaults.saveas, for paths from keys of limited scope; the first key may use any.',
    },
  },
  api: {
    http_port: {
      kind: 'integer',
      min: -1,
      max: 65535,
      default: 52194,
      needsRestart: true,
      doc: 'Port of the control interface; 0 or -1 = a free port.',
    },
    http_host: {
      kind: 'text',
      format: 'ip',
      maxLength: 64,
      default: '127.0.0.1',
      needsRestart: true,
      doc: 'Address the control interface listens on.',
    },
    key: {
      kind: 'text',
      format: 'key',
      maxLength: 256,
      default: '',
      needsRestart: true,
      secret: true,
      doc: 'Value of X-Api-Key. Made at first start; explicitly empty = no key, only on a loopback address.',
    },
    host_names: {
      kind: 'list',
      of: 'hostname',
      default: [],
      needsRestart: true,
      doc: 'Names, beside localhost and IP addresses, that a Host header may carry.',
    },
    origins: {
      kind: 'list',
      of: 'origin',
      default: [],
      needsRestart: true,
      doc: 'Origins of web pages that may use the interface (scheme://host[:port]).',
    },
    stream_silent_seconds: {
      kind: 'integer',
      min: 10,
      max: 86400,
      default: 600,
      needsRestart: true,
      doc: 'A stream reader that takes no byte for so long is cut.',
    },
  },
  libtorrent: {
    port: {
      kind: 'integer',
      min: -1,
      max: 65535,
      default: -1,
      needsRestart: true,
      doc: 'Port for peers; -1 or 0 = a random port chosen at start.',
    },
    interface: {
      kind: 'text',
      format: 'ip-or-empty',
      maxLength: 64,
      default: '',
      needsRestart: true,
      doc: 'Address the engine listens on and connects from; empty = any.',
    },
    max_connections: {
      kind: 'integer',
      min: 1,
      max: 10000,
      default: 400,
      needsRestart: false,
      doc: 'Peer connections of all downloads together.',
    },
    max_connections_download: {
      kind: 'integer',
      min: -1,
      max: 10000,
      default: -1,
      needsRestart: false,
      doc: 'Peer connections of one download; -1 or 0 = only max_connections limits.',
    },
    max_download_rate: {
      kind: 'integer',
      min: 0,
      max: 1_000_000_000_000,
      default: 0,
      needsRestart: false,
      doc: 'Bytes/s of all downloads together; 0 = no limit.',
    },
    max_upload_rate: {
      kind: 'integer',
      min: 0,
      max: 1_000_000_000_000,
      default: 0,
      needsRestart: false,
      doc: 'Bytes/s uploaded by all downloads together; 0 = no limit.',
    },
    upload_slots: {
      kind: 'integer',
      min: 1,
      max: 1000,
      default: 8,
      needsRestart: false,
      doc: 'Peers of one download that are served at a time.',
    },
    active_downloads: {
      kind: 'integer',
      min: -1,
      max: 1_000_000,
      default: -1,
      needsRestart: false,
      doc: 'Downloads that run at a time, others wait in the order of adding; -1 = no limit. Streams run beyond it.',
    },
    active_seeds: {
      kind: 'integer',
      min: -1,
      max: 1_000_000,
      default: -1,
      needsRestart: false,
      doc: 'Complete downloads that seed at a time, others wait in turns; -1 = no limit.',
    },
    active_checking: {
      kind: 'integer',
      min: -1,
      max: 1_000_000,
      default: 2,
      needsRestart: false,
      doc: 'Downloads whose data is hash-checked at a time; -1 = no limit.',
    },
    active_limit: {
      kind: 'integer',
      min: -1,
      max: 1_000_000,
      default: -1,
      needsRestart: false,
      doc: 'Downloads and seeds together that run at a time, slow ones too; downloads go first; -1 = no limit.',
    },
    dont_count_slow_torrents: {
      kind: 'boolean',
      default: true,
      needsRestart: false,
      doc: 'Slow torrents do not count in active_downloads and active_seeds.',
    },
    inactive_down_rate: {
      kind: 'integer',
      min: 0,
      max: 1_000_000_000_000,
      default: 2048,
      needsRestart: false,
      doc: 'Bytes/s under which a download is slow.',
    },
    inactive_up_rate: {
      kind: 'integer',
      min: 0,
      max: 1_000_000_000_000,
      default: 2048,
      needsRestart: false,
      doc: 'Bytes/s uploaded under which a seed is slow.',
    },
    auto_manage_startup: {
      kind: 'integer',
      min: 5,
      max: 86400,
      default: 60,
      needsRestart: false,
      doc: 'Seconds a torrent is slow before it does not count, and fast before it counts again.',
    },
  },
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
  },
  network: {
    allow_private: {
      kind: 'list',
      of: 'cidr',
      default: [],
      needsRestart: false,
      doc: 'Private address blocks (CIDR) that torrent sources may be fetched from.',
    },
  },
  disk: {
    min_free_bytes: {
      kind: 'integer',
      min: 0,
      max: 1_000_000_000_000_000,
      default: 256 * 1024 * 1024,
      needsRestart: false,
      doc: 'Downloads stop with an error before free space falls below this.',
    },
    arena_bytes: {
      kind: 'integer',
      min: 4 * 1024 * 1024,
      max: 4 * 1024 * 1024 * 1024,
      default: 32 * 1024 * 1024,
      needsRestart: true,
      doc: 'Shared memory for blocks between sockets and disk.',
    },
    range_arena_bytes: {
      kind: 'integer',
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
    open_files: {
      kind: 'integer',
      min: 8,
      max: 100_000,
      default: 256,
      needsRestart: true,
      doc: 'Files of downloads kept open at a time.',
    },
  },
} as const satisfies Record<string, Record<string, OptionSpec>>

type Schema = typeof settingsSchema

/** A section's name. */
export type SectionName = keyof Schema

/** All settings with their types: `settings.libtorrent.port` is a number. */
export type Settings = {
  readonly [S in SectionName]: { readonly [O in keyof Schema[S]]: OptionValue<Schema[S][O]> }
}

/** The schema without literal types, for walking over it. */
export const settingsTable: Readonly<Record<string, Readonly<Record<string, OptionSpec>>>> = settingsSchema
