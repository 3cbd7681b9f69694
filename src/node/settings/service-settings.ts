// The settings as the services read them.

import type { DownloadSettings } from '../../services/downloads/downloads-deps.ts'
import type { SlowModeSettings } from '../../services/slow-mode/slow-mode-api.ts'
import type { WebhookSettings } from '../../services/events/webhooks.ts'
import { ratesInForce } from './rates-in-force.ts'
import type { Settings } from './settings-schema.ts'

/** Of the downloads. */
export function downloadSettings(settings: Settings): DownloadSettings {
  const { download_defaults: defaults, libtorrent, disk } = settings
  const rates = ratesInForce(settings)
  return {
    anonymityEnabled: defaults.anonymity_enabled,
    numberHops: defaults.number_hops,
    safeSeedingEnabled: defaults.safeseeding_enabled,
    saveAs: defaults.saveas,
    maxDownloadRate: rates.down,
    maxUploadRate: rates.up,
    seedingMode: defaults.seeding_mode,
    seedingRatio: defaults.seeding_ratio,
    seedingMinutes: defaults.seeding_time,
    foreignFiles: defaults.foreign_files,
    completedDir: defaults.completed_dir,
    torrentFolder: defaults.torrent_folder,
    trackersFile: defaults.trackers_file,
    checkAfterComplete: libtorrent.check_after_complete,
    scrubDays: disk.scrub_days,
    watchCacheHours: disk.watch_cache_hours,
  }
}

/** Folders that keys of limited scope may name paths in (decisions part 1). */
export function allowedFolders({ general, download_defaults, watch_folder }: Settings): string[] {
  const { directory } = watch_folder
  return [download_defaults.saveas, ...(directory === '' ? [] : [directory]), ...general.allowed_paths]
}

/** Of the webhooks. */
export function webhookSettings({ webhooks }: Settings): WebhookSettings {
  return { urls: webhooks.urls, types: new Set(webhooks.events), secret: webhooks.secret }
}

/** Of slow mode. */
export function slowModeSettings({ slow_mode: slow }: Settings): SlowModeSettings {
  return { ...slow, schedule: [...slow.schedule] }
}
