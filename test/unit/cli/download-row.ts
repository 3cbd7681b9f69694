// A download as GET /downloads lists it, for what shows it.

import type { Download } from '../../../src/client/core-routes.ts'

/** One that comes in; `change`: what is different. */
export function downloadRow(change: Partial<Download> = {}): Download {
  return {
    name: 'Sintel',
    infohash: 'ab'.repeat(20),
    infohash_v2: null,
    progress: 0.123,
    status: 'DLSTATUS_DOWNLOADING',
    queued: false,
    queue_order: 1,
    size: 150_000_000,
    eta: 5025,
    speed_down: 1.5 * 1024 * 1024,
    speed_up: 2048,
    num_peers: 40,
    num_seeds: 7,
    num_connected_peers: 12,
    num_connected_seeds: 3,
    total_up: 1024,
    total_down: 18_000_000,
    total_pieces: 100,
    ratio: 0.5,
    hops: 0,
    anon_download: false,
    safe_seeding: false,
    max_upload_speed: 0,
    max_download_speed: 2 * 1024 * 1024,
    destination: '/srv/films',
    availability: 3.25,
    error: '',
    time_added: 1_795_375_563,
    vod_mode: false,
    vod_prebuffering_progress: 0,
    vod_prebuffering_progress_consec: 0,
    labels: ['films', 'blender'],
    sequential: true,
    super_seeding: false,
    watch_and_forget: false,
    seeding_ratio: -2,
    seeding_time: -2,
    moving_to: '',
    time_finished: 0,
    time_scrubbed: 0,
    trackers: [
      { url: '[DHT]', status: 'Working', peers: 1 },
      { url: 'udp://t.example:80/announce', status: 'Working', peers: 12 },
    ],
    ...change,
  }
}
