// Part 2, 3, 6 and 7 of the specification, word for word, outside of market and wallets: what records look like.
// `extra` and `sometimes` are additions of this node: decisions part 2, 5 and 6, and pages of src/decisions.

import type { RecordShape, Shape } from './shapes.ts'

const strings: Shape = { list: 'string' }

/** 3.1. */
export const DOWNLOAD_STATUS: Shape = {
  values: [
    'ALLOCATING_DISKSPACE',
    'WAITING4HASHCHECK',
    'HASHCHECKING',
    'DOWNLOADING',
    'SEEDING',
    'STOPPED',
    'STOPPED_ON_ERROR',
    'METADATA',
    'CIRCUITS',
  ].map(name => `DLSTATUS_${name}`),
}

/** 2.1, file record. */
export const FILE: RecordShape = {
  fields: { index: 'integer', name: 'string', size: 'integer', included: 'boolean', progress: 'number' },
  extra: { priority: 'integer' },
}

/** 2.1, file record of the listing; the link is an addition. */
export const LISTED_FILE: RecordShape = { ...FILE, extra: { ...FILE.extra, stream_url: 'string' } }

/** Sums over all downloads: an addition, with `get_totals`. */
export const LIST_TOTALS: RecordShape = {
  fields: {},
  extra: { count: 'integer', speed_down: 'integer', speed_up: 'integer', states: { map: 'integer' } },
}

const FACET: RecordShape = { fields: {}, extra: { value: 'string', count: 'integer' } }

/** Numbers by label, tracker and folder: an addition, with `get_facets`. */
export const LIST_FACETS: RecordShape = {
  fields: {},
  extra: { labels: { list: FACET }, trackers: { list: FACET }, folders: { list: FACET } },
}

/** 2.1, tracker record. */
export const TRACKER: RecordShape = {
  fields: { url: 'string', status: 'string', peers: 'integer' },
  sometimes: { tier: 'integer', seeds: 'integer', leeches: 'integer', next_announce: 'integer', message: 'string' },
}

/** 2.1, peer record. */
export const PEER: RecordShape = {
  fields: {
    ip: 'string',
    dtotal: 'integer',
    downrate: 'integer',
    uinterested: 'boolean',
    wstate: 'string',
    optimistic: 'boolean',
  },
  extra: {
    id: 'string',
    port: 'integer',
    client: 'string',
    direction: { values: ['L', 'R'] },
    uprate: 'integer',
    utotal: 'integer',
    uchoked: 'boolean',
    dinterested: 'boolean',
    dchoked: 'boolean',
    snubbed: 'boolean',
    completed: 'number',
    speed: 'number',
    upload_only: 'boolean',
    seed: 'boolean',
    connection_type: 'integer',
    rstate: 'string',
    encryption: { values: ['', 'rc4', 'plaintext'] },
  },
}

/** 2.1. */
export const DOWNLOAD: RecordShape = {
  fields: {
    name: 'string',
    infohash: 'string',
    progress: 'number',
    status: DOWNLOAD_STATUS,
    size: 'integer',
    eta: 'integer',
    speed_down: 'number',
    speed_up: 'number',
    num_peers: 'integer',
    num_seeds: 'integer',
    total_up: 'integer',
    total_down: 'integer',
    total_pieces: 'integer',
    ratio: 'number',
    hops: 'integer',
    anon_download: 'boolean',
    safe_seeding: 'boolean',
    max_upload_speed: 'integer',
    max_download_speed: 'integer',
    destination: 'string',
    availability: 'number',
    error: 'string',
    time_added: 'integer',
    vod_mode: 'boolean',
    vod_prebuffering_progress: 'number',
    vod_prebuffering_progress_consec: 'number',
    trackers: { list: TRACKER },
  },
  // `pieces` is what decisions part 2 gives for get_pieces, whose output is not shown.
  asked: { files: { list: FILE }, peers: { list: PEER }, pieces: 'string' },
  // Decisions part 2; 0229, 0253, from `labels` on 0260.
  extra: {
    num_connected_peers: 'integer',
    num_connected_seeds: 'integer',
    queued: 'boolean',
    // 0558.
    queue_order: 'number',
    infohash_v2: { nullable: 'string' },
    labels: strings,
    sequential: 'boolean',
    seeding_ratio: 'number',
    seeding_time: 'integer',
    super_seeding: 'boolean',
    watch_and_forget: 'boolean',
    moving_to: 'string',
    time_finished: 'integer',
    time_scrubbed: 'integer',
  },
  // 0288: only of versions of a followed torrent; 0393: only with hops.
  sometimes: {
    // 0558: of single downloads and pages.
    queue_position: 'integer',
    update_of: 'string',
    updated_by: 'string',
    stalled_volume: 'string',
    own_max_download_speed: 'integer',
    own_max_upload_speed: 'integer',
    // 0555: why it does not move.
    condition: {
      fields: {},
      extra: { code: 'string', trouble: 'boolean' },
      sometimes: {
        parameters: {
          fields: {},
          sometimes: {
            tracker: 'string',
            words: 'string',
            place: 'integer',
            mount: 'string',
            failure: 'string',
            error: 'string',
            files: 'string',
          },
        },
      },
    },
    circuits: {
      fields: {},
      extra: { candidates: 'integer', exits: 'integer', ready: 'integer', building: 'integer', last_failure: 'string' },
    },
  },
}

/** 2.12. */
export const DEBUG = {
  cpu: { fields: { time: 'integer', cpu: 'number' } },
  memory: { fields: { time: 'integer', mem: 'integer' } },
  file: { fields: { path: 'string', fd: 'integer' } },
  socket: {
    fields: { family: 'integer', status: 'string', laddr: 'string', raddr: 'string', type: 'integer' },
    extra: { fd: 'integer' },
  },
  thread: { fields: { thread_id: 'integer', thread_name: 'string', frames: strings } },
} as const satisfies Readonly<Record<string, RecordShape>>

/** 2.13. */
export const STATISTICS = {
  community: {
    fields: {
      identifier: 'string',
      member: 'string',
      classification: 'string',
      candidates: 'integer',
      global_time: 'integer',
      packets_sent: 'integer',
      packets_received: 'integer',
    },
    // 0395: of overlays of circuits.
    sometimes: { packets_dropped: 'integer', bytes_sent: 'integer', bytes_received: 'integer' },
  },
  dispersy: {
    fields: {
      wan_address: 'string',
      lan_address: 'string',
      connection: 'string',
      runtime: 'number',
      total_downloaded: 'integer',
      total_uploaded: 'integer',
      packets_sent: 'integer',
      packets_received: 'integer',
    },
  },
  tribler: {
    fields: {
      num_channels: 'integer',
      database_size: 'integer',
      torrent_queue_stats: {
        list: {
          fields: { failed: 'integer', total: 'integer', pending: 'integer', success: 'integer', type: 'string' },
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, RecordShape>>

/** 2.16 and 3.2. */
export const CORE_STATE: RecordShape = {
  fields: { state: { values: ['STARTING', 'UPGRADING', 'STARTED'] }, last_exception: { nullable: 'string' } },
  // Decision 0470.
  extra: {
    volumes: {
      list: {
        fields: {},
        extra: {
          mount: 'string',
          stalled: 'boolean',
          silent: 'number',
          waiting: 'integer',
          state_directory: 'boolean',
        },
      },
    },
  },
}

/** 2.15, with `network` of decision 0252. */
export const VARIABLES: RecordShape = {
  fields: { ports: { map: 'integer' } },
  sometimes: {
    network: {
      fields: {},
      extra: {
        bound_to: { nullable: strings },
        kept_to_devices: 'boolean',
        proxied: 'boolean',
        external_ipv4: { nullable: 'string' },
        external_ipv6: { nullable: 'string' },
        mappings: {
          list: {
            fields: {},
            extra: {
              gateway: 'string',
              via: { values: ['PCP', 'NAT-PMP', 'UPnP'] },
              protocol: { values: ['tcp', 'udp'] },
              internal_port: 'integer',
              external_port: 'integer',
              external_ip: { nullable: 'string' },
            },
          },
        },
        mapping_problems: { list: { fields: {}, extra: { gateway: 'string', problem: 'string' } } },
      },
    },
  },
}

/** 7.1. */
export const ERROR: RecordShape = {
  fields: { error: { fields: { handled: 'boolean', code: 'string', message: 'string' } } },
}

/** Part 6 with the keys of decisions part 6; null = no `event`. */
export const EVENTS: Readonly<Record<string, RecordShape | null>> = {
  events_start: {
    fields: { tribler_started: 'boolean', version: 'string' },
    sometimes: { lost: 'integer' },
  },
  upgrader_started: null,
  upgrader_finished: null,
  upgrader_tick: { fields: { text: 'string' } },
  watch_folder_corrupt_torrent: { fields: { name: 'string' } },
  new_version_available: { fields: { version: 'string' } },
  tribler_started: null,
  torrent_finished: { fields: { infohash: 'string', name: 'string' } },
  torrent_error: { fields: { infohash: 'string', error: 'string' } },
  tribler_exception: { fields: { text: 'string' } },
}
