// The settings that people look for, in the order in which they look, by names that say what they do. Pure.

import type { BasicSettingsTexts } from '../../texts/node/basic-settings.ts'

/** A text of the catalogue. */
export type BasicText = keyof BasicSettingsTexts

/** One of them. */
export interface BasicSetting {
  /** `section.option`. */
  readonly path: string
  readonly name: BasicText
  readonly help: BasicText
  /** Where one of several is chosen: their names. */
  readonly choices?: Readonly<Record<string, BasicText>>
}

/** Those that belong together. */
export interface BasicGroup {
  readonly heading: BasicText
  readonly settings: readonly BasicSetting[]
}

const ENCRYPTION = {
  prefer: 'encryptPrefer',
  require: 'encryptRequire',
  allow: 'encryptAllow',
  off: 'encryptOff',
} as const

const SEEDING_ENDS = {
  forever: 'seedForever',
  never: 'seedNever',
  ratio: 'seedRatio',
  time: 'seedTime',
  either: 'seedEither',
} as const

/** All of them. Those of a node that lacks them are left out where they are shown. */
export const BASIC_GROUPS: readonly BasicGroup[] = [
  {
    heading: 'folders',
    settings: [
      { path: 'download_defaults.saveas', name: 'saveas', help: 'saveasHelp' },
      { path: 'download_defaults.completed_dir', name: 'completedDir', help: 'completedDirHelp' },
      { path: 'watch_folder.enabled', name: 'watchFolder', help: 'watchFolderHelp' },
      { path: 'watch_folder.directory', name: 'watchedFolder', help: 'watchedFolderHelp' },
      { path: 'disk.min_free_bytes', name: 'minFree', help: 'minFreeHelp' },
    ],
  },
  {
    heading: 'speed',
    settings: [
      { path: 'libtorrent.max_download_rate', name: 'maxDown', help: 'maxDownHelp' },
      { path: 'libtorrent.max_upload_rate', name: 'maxUp', help: 'maxUpHelp' },
    ],
  },
  {
    heading: 'slowMode',
    settings: [
      { path: 'slow_mode.max_download_rate', name: 'slowDown', help: 'slowDownHelp' },
      { path: 'slow_mode.max_upload_rate', name: 'slowUp', help: 'slowUpHelp' },
      { path: 'slow_mode.schedule_enabled', name: 'scheduled', help: 'scheduledHelp' },
      { path: 'slow_mode.schedule', name: 'schedule', help: 'scheduleHelp' },
      { path: 'slow_mode.time_zone', name: 'timeZone', help: 'timeZoneHelp' },
    ],
  },
  {
    heading: 'connections',
    settings: [
      { path: 'libtorrent.port', name: 'port', help: 'portHelp' },
      { path: 'libtorrent.upnp', name: 'upnp', help: 'upnpHelp' },
      { path: 'libtorrent.natpmp', name: 'natpmp', help: 'natpmpHelp' },
      { path: 'libtorrent.max_connections', name: 'maxConnections', help: 'maxConnectionsHelp' },
      { path: 'libtorrent.encryption', name: 'encryption', help: 'encryptionHelp', choices: ENCRYPTION },
    ],
  },
  {
    heading: 'queue',
    settings: [
      { path: 'libtorrent.active_downloads', name: 'activeDownloads', help: 'activeDownloadsHelp' },
      { path: 'libtorrent.active_seeds', name: 'activeSeeds', help: 'activeSeedsHelp' },
    ],
  },
  {
    heading: 'seeding',
    settings: [
      { path: 'download_defaults.seeding_mode', name: 'seedingMode', help: 'seedingModeHelp', choices: SEEDING_ENDS },
      { path: 'download_defaults.seeding_ratio', name: 'seedingRatio', help: 'seedingRatioHelp' },
      { path: 'download_defaults.seeding_time', name: 'seedingTime', help: 'seedingTimeHelp' },
    ],
  },
  {
    heading: 'privacy',
    settings: [
      { path: 'download_defaults.anonymity_enabled', name: 'anonymity', help: 'anonymityHelp' },
      { path: 'download_defaults.number_hops', name: 'hops', help: 'hopsHelp' },
      { path: 'general.family_filter', name: 'family', help: 'familyHelp' },
    ],
  },
]

const byPath = new Map(BASIC_GROUPS.flatMap(({ settings }) => settings.map(setting => [setting.path, setting])))

/** What is said of an option for people; undefined: the node's own words are shown. */
export function basicSetting(path: string): BasicSetting | undefined {
  return byPath.get(path)
}
