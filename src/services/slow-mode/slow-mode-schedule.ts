// The schedule of slow mode at work: the one owner of its timer. It switches at the borders of the week's table, at
// its start and when the table changes; what is switched by hand between two borders is left alone. A note in the
// store tells a restart which border was seen last: a switch by hand outlives it, and a border nobody saw counts.

import { errorText } from '../../base/errors.ts'
import { tableOf } from '../../base/week-table.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NodeValues } from '../../ports/records.ts'
import { isOn, nextChange } from './schedule.ts'
import type { SlowModeSettings } from './slow-mode-api.ts'
import { ZoneClock } from './zone-clock.ts'

/** The clock on the wall may be set, or the machine sleep: it is looked at so often, ms. */
const LOOK_MS = 60_000
const NOTE = 'slow_mode.schedule'

/** What it works with. */
export interface ScheduleDeps {
  readonly clock: Clock
  readonly values: Pick<NodeValues, 'get' | 'set'>
  readonly log: Log
  /** In force now. */
  settings(): SlowModeSettings
  /** Switches slow mode; rejects when that cannot be. */
  switchTo(enabled: boolean): Promise<void>
}

/** When a table was followed last. */
interface Seen {
  readonly atMs: number
  /** The table and its zone. */
  readonly table: string
}

/** The schedule of slow mode. settingsChanged() begins it too; stop() once. */
export class SlowModeSchedule {
  readonly #deps: ScheduleDeps
  #seen: Seen | null = null
  #timer: Timer | null = null
  #turn: Promise<void> = Promise.resolve()
  #stopped = false
  #trouble = ''

  constructor(deps: ScheduleDeps) {
    this.#deps = deps
    this.#turn = this.#readNote()
  }

  /** The settings may say otherwise. Settles when they are followed; never rejects. */
  settingsChanged(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#look()).catch((error: unknown) => this.#failed(error))
    return this.#turn
  }

  /** Nothing is switched any more when settled. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#turn
  }

  async #look(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    if (this.#stopped) return
    const { schedule_enabled: on, schedule: lines, time_zone: name } = this.#deps.settings()
    if (!on || lines.length === 0) {
      this.#seen = null
      return
    }
    const [table, zone, nowMs] = [tableOf(lines), new ZoneClock(name), this.#deps.clock.wallMs()]
    // Before what may fail: the next look tries again.
    const nextMs = nextChange(table, zone, nowMs) ?? Number.POSITIVE_INFINITY
    this.#timer = this.#deps.clock.after(
      Math.max(1, Math.min(nextMs - nowMs, LOOK_MS)),
      () => void this.settingsChanged(),
    )
    const called = JSON.stringify([lines, zone.name])
    const seen = this.#seen
    const isSeen =
      seen !== null &&
      seen.table === called &&
      seen.atMs <= nowMs &&
      (nextChange(table, zone, seen.atMs) ?? Number.POSITIVE_INFINITY) > nowMs
    if (!isSeen) await this.#follow(isOn(table, zone, nowMs), { atMs: nowMs, table: called })
  }

  async #follow(enabled: boolean, seen: Seen): Promise<void> {
    if (enabled !== this.#deps.settings().enabled) await this.#deps.switchTo(enabled)
    this.#seen = seen
    this.#trouble = ''
    await this.#deps.values.set(NOTE, Buffer.from(JSON.stringify(seen)))
  }

  async #readNote(): Promise<void> {
    try {
      const bytes = await this.#deps.values.get(NOTE)
      const { atMs, table } = JSON.parse(bytes === null ? '{}' : Buffer.from(bytes).toString()) as Partial<Seen>
      if (typeof atMs === 'number' && typeof table === 'string') this.#seen = { atMs, table }
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Once for each trouble: it may come with every look. */
  #failed(error: unknown): void {
    const text = errorText(error)
    if (text !== this.#trouble) this.#deps.log.warn('the schedule could not switch slow mode', { error: text })
    this.#trouble = text
  }
}
