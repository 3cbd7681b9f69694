// Slow mode over the settings of its section: they are where its state lies, so that it outlives a restart and whoever
// changes them by another door is seen too. What the limits do to the running engine is wired in node/.

import { AppError } from '../../base/errors.ts'
import { tableOf } from '../../base/week-table.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Caller } from '../callers-api.ts'
import type { SettingsService } from '../settings/settings-api.ts'
import { nextChange } from './schedule.ts'
import type { SlowModeChange, SlowModeRecord, SlowModeService, SlowModeSettings } from './slow-mode-api.ts'
import { ZoneClock } from './zone-clock.ts'

/** What it works with. */
export interface SlowModeDeps {
  readonly settings: Pick<SettingsService, 'change'>
  /** It was switched: to whoever listens. */
  readonly tell: (enabled: boolean, cause: 'request' | 'schedule') => void
  readonly clock: Pick<Clock, 'wallMs'>
  /** Of the settings in force. */
  current(): SlowModeSettings
}

/** Switches it for whatever caller the node itself is: its schedule. */
const THE_NODE: Caller = { anyPath: true, localFiles: true, spends: false }

/** The one owner of slow mode. */
export class SlowMode implements SlowModeService {
  readonly #deps: SlowModeDeps
  #enabled: boolean
  /** What the schedule switches it to just now. */
  #bySchedule: boolean | null = null

  constructor(deps: SlowModeDeps) {
    this.#deps = deps
    this.#enabled = deps.current().enabled
  }

  read(): SlowModeRecord {
    const current = this.#deps.current()
    const { schedule_enabled: on, schedule, time_zone: zone } = current
    const nextMs = on ? nextChange(tableOf(schedule), new ZoneClock(zone), this.#deps.clock.wallMs()) : null
    return { ...current, next_change: nextMs === null ? null : nextMs / 1000 }
  }

  async change(change: SlowModeChange, caller: Caller): Promise<SlowModeRecord> {
    const { overridden } = await this.#deps.settings.change({ slow_mode: { ...change } }, caller)
    const [held] = overridden
    if (held !== undefined)
      throw new AppError('StateConflict', `The setting ${held} is set on the command line or by the environment.`)
    return this.read()
  }

  /** The schedule switches it. Rejects as change(). */
  async switchBySchedule(enabled: boolean): Promise<void> {
    this.#bySchedule = enabled
    try {
      await this.change({ enabled }, THE_NODE)
    } finally {
      this.#bySchedule = null
    }
  }

  /** The settings changed, over whatever door: who listens hears of it where it was switched. */
  settingsChanged(): void {
    const { enabled } = this.#deps.current()
    if (enabled === this.#enabled) return
    this.#enabled = enabled
    this.#deps.tell(enabled, this.#bySchedule === enabled ? 'schedule' : 'request')
  }
}
