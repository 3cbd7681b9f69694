// What works beside the downloads, each loaded when the settings first ask for it: the watch folder, the schedule of
// slow mode, the look for new versions. Nothing here keeps the node from starting.

import { resolve } from 'node:path'
import { errorText } from '../base/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { OwnFiles } from '../ports/own-files.ts'
import type { NodeLog } from '../io/process/log.ts'
import type { Random } from '../ports/random.ts'
import type { NodeValues } from '../ports/records.ts'
import type { SeenFiles } from '../ports/seen-files.ts'
import type { SourceFetch } from '../ports/source-fetch.ts'
import type { VolumeTurns } from '../ports/volumes.ts'
import type { EventHub } from '../services/events/events.ts'
import type { SlowModeSchedule } from '../services/slow-mode/slow-mode-schedule.ts'
import type { WatchedDownloads, WatchFolder, WatchFolderSettings } from '../services/watch/watch-folder.ts'
import type { VersionCheck } from '../services/updates/version-check.ts'
import { slowModeSettings } from './settings/service-settings.ts'
import type { Settings } from './settings/settings-schema.ts'

/** What they need of the node. */
export interface SideServicesDeps {
  readonly clock: Clock
  /** What the watch folder never reaches. */
  readonly own: OwnFiles
  readonly random: Random
  readonly log: Pick<NodeLog, 'part'>
  readonly version: string
  readonly events: Pick<EventHub, 'emit'>
  readonly downloads: WatchedDownloads
  readonly seen: SeenFiles
  readonly volumes: VolumeTurns
  readonly values: NodeValues
  /** Switches slow mode by its schedule. */
  readonly switchSlow: (enabled: boolean) => Promise<void>
  settings(): Settings
  /** HTTP for the version check, whose answers are small. */
  makeHttp(): SourceFetch
}

/**
 * What works beside the downloads, each loaded when the settings first ask for it: the watch folder, the look for new
 * versions.
 */
export class SideServices {
  readonly #deps: SideServicesDeps
  #watch: WatchFolder | null = null
  #check: VersionCheck | null = null
  #schedule: SlowModeSchedule | null = null
  /** Changes follow each other. */
  #turn: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(deps: SideServicesDeps) {
    this.#deps = deps
  }

  /** Begins, or follows changed settings. Settles when that is done; never rejects. */
  follow(): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#follow())
      .catch((error: unknown) => {
        this.#deps.log.part('node').error('a setting could not be followed', { error: errorText(error) })
      })
    return this.#turn
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#turn
    await Promise.all([this.#watch?.stop(), this.#check?.stop(), this.#schedule?.stop()])
  }

  async #follow(): Promise<void> {
    if (this.#stopped) return
    if (this.#watch !== null) this.#watch.settingsChanged()
    else if (this.#watchSettings().directory !== '') await this.#startWatching()
    if (this.#schedule !== null) void this.#schedule.settingsChanged()
    else if (this.#deps.settings().slow_mode.schedule_enabled) await this.#startSchedule()
    if (this.#check !== null) this.#check.settingsChanged()
    else if (this.#url() !== '') await this.#startChecking()
  }

  async #startWatching(): Promise<void> {
    const { clock, log, events, downloads, seen, own, volumes } = this.#deps
    const { WatchFolder: Watch } = await import('../services/watch/watch-folder.ts')
    const { DiskWatchedFolder } = await import('../io/files/watched-folder.ts')
    const watch = new Watch({
      clock,
      events,
      downloads,
      seen,
      log: log.part('watchfolder'),
      settings: () => this.#watchSettings(),
      open: (directory, wanted) => new DiskWatchedFolder(directory, wanted, () => clock.wallMs(), own, volumes),
    })
    await watch.start()
    this.#watch = watch
  }

  async #startSchedule(): Promise<void> {
    const { clock, log, values, settings, switchSlow: switchTo } = this.#deps
    const { SlowModeSchedule: Schedule } = await import('../services/slow-mode/slow-mode-schedule.ts')
    const current = () => slowModeSettings(settings())
    this.#schedule = new Schedule({ clock, values, switchTo, settings: current, log: log.part('slowmode') })
    void this.#schedule.settingsChanged()
  }

  async #startChecking(): Promise<void> {
    const { clock, random, log, events, values, version } = this.#deps
    const { VersionCheck: Check } = await import('../services/updates/version-check.ts')
    this.#check = new Check({
      clock,
      random,
      events,
      values,
      version,
      log: log.part('version'),
      http: this.#deps.makeHttp(),
      url: () => this.#url(),
    })
    this.#check.settingsChanged()
  }

  #watchSettings(): WatchFolderSettings {
    const { enabled, directory, started_files, move_to, corrupt_after } = this.#deps.settings().watch_folder
    return {
      directory: enabled && directory !== '' ? resolve(directory) : '',
      startedFiles: started_files,
      movedTo: move_to,
      corruptAfterSec: corrupt_after,
    }
  }

  #url(): string {
    const { version_checker_enabled: enabled, version_check_url: url } = this.#deps.settings().general
    return enabled ? url : ''
  }
}
