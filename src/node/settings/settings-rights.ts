// Who may change which setting of the core while the node runs (decision 0450); chapters say it of theirs. Every option
// has a row; one without is changed by the first key alone. Flags and the configuration file are the owner's and not
// judged by it.

import type { SettingRight } from '../../services/settings/setting-rights.ts'

/** Rows of a section: one right for all its options, those that come later too, or the options of each right. */
type SectionRights = SettingRight | Readonly<Partial<Record<SettingRight, readonly string[]>>>

/** Rows by section. */
export type Rights = Readonly<Record<string, SectionRights>>

/** The rows of the core. */
export const coreRights: Rights = {
  general: {
    admin: ['family_filter', 'log_level', 'log_levels', 'version_checker_enabled', 'version_check_url'],
    first: ['allowed_paths', 'log_dir'],
  },
  // Where the interface is reached, by which clients, and with which key.
  api: 'first',
  libtorrent: {
    admin: [
      ...['port', 'interface', 'utp', 'dht', 'dht_read_only', 'dht_bootstrap', 'pex', 'lsd', 'upnp', 'natpmp'],
      ...['encryption', 'encryption_methods', 'proxy_type', 'proxy_server', 'proxy_auth', 'proxy_hostnames'],
      ...['proxy_peer_connections', 'proxy_tracker_connections', 'force_proxy', 'max_connections'],
      ...['max_connections_download', 'max_connections_per_ip', 'max_download_rate', 'max_upload_rate'],
      ...['upload_slots', 'stream_ahead_seconds'],
      ...['active_downloads', 'active_seeds', 'active_checking', 'active_limit'],
      ...['dont_count_slow_torrents', 'inactive_down_rate', 'inactive_up_rate', 'auto_manage_startup'],
      ...['announce_to_all_tiers', 'announce_to_all_trackers', 'check_after_complete'],
    ],
  },
  slow_mode: 'admin',
  download_defaults: {
    admin: [
      ...['anonymity_enabled', 'number_hops', 'safeseeding_enabled'],
      ...['seeding_mode', 'seeding_ratio', 'seeding_time', 'foreign_files'],
    ],
    folder: ['saveas', 'completed_dir', 'torrent_folder'],
    file: ['trackers_file'],
  },
  network: { first: ['allow_private'], file: ['ip_filter'], admin: ['banned_peers'] },
  watch_folder: { admin: ['enabled', 'started_files', 'corrupt_after'], folder: ['directory', 'move_to'] },
  updates: { admin: ['interval', 'old_versions'] },
  resource_monitor: { admin: ['enabled', 'poll_interval', 'history_size', 'cpu_priority'] },
  webhooks: { admin: ['urls', 'events', 'secret'] },
  disk: {
    admin: [
      ...['min_free_bytes', 'arena_bytes', 'range_arena_bytes', 'worker_threads', 'hash', 'open_files', 'scrub_days'],
      ...['watch_cache_bytes', 'watch_cache_hours'],
    ],
  },
}

/** The row of `section.option`; null = there is none. */
export function rowOf(rights: Rights, path: string): SettingRight | null {
  const [section = '', option = ''] = path.split('.', 2)
  const rows = Object.hasOwn(rights, section) ? rights[section] : undefined
  if (rows === undefined || typeof rows === 'string') return rows ?? null
  const found = Object.entries(rows).find(([, options]) => options.includes(option))
  return found === undefined ? null : (found[0] as SettingRight)
}

/** Who may change `section.option`. */
export function rightOf(rights: Rights, path: string): SettingRight {
  return rowOf(rights, path) ?? 'first'
}
