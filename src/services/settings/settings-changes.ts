// The history of settings: each change that a request made, and at a start what was edited in the configuration file
// meanwhile. The file is written before the history, so a crash between the two shows as such a change.

import { AppError, errorText } from '../../base/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { SettingChange, SettingOrigin, SettingsHistory } from '../../ports/settings-history.ts'
import type { EffectiveSettings, Json, SettingHistoryEntry } from './settings-api.ts'

/** Changes that may wait for the store to open. */
const MAX_WAITING = 1000

/** Notes changes of settings. */
export class SettingsChanges {
  readonly #effective: () => EffectiveSettings
  readonly #log: Log
  readonly #waiting: SettingChange[] = []
  #history: SettingsHistory | null = null

  constructor(deps: { readonly effective: () => EffectiveSettings; readonly log: Log }) {
    this.#effective = deps.effective
    this.#log = deps.log
  }

  /** Connects the store: what waited is noted, and what the file says otherwise than the history. Never rejects. */
  async open(history: SettingsHistory): Promise<void> {
    try {
      const known = new Map((await history.latest()).map(({ option, value }) => [option, value]))
      const asked = new Set(this.#waiting.map(({ option }) => option))
      const edited = [...this.#stored()].filter(
        ([option, value]) => !asked.has(option) && value !== (known.get(option) ?? 'null'),
      )
      const changes = [...edited.map(([option, value]) => changeOf(option, value, 'file')), ...this.#waiting.splice(0)]
      if (changes.length > 0) await history.note(changes)
      // Of requests that came meanwhile.
      while (this.#waiting.length > 0) await history.note(this.#waiting.splice(0))
    } catch (error) {
      this.#log.warn('changes of settings could not be noted', { error: errorText(error) })
    }
    this.#history = history
  }

  /** A request changed these options. Settles when that is durable; never rejects, since the change itself holds. */
  async note(options: readonly string[]): Promise<void> {
    if (options.length === 0) return
    const stored = this.#stored()
    const changes = options.map(option => changeOf(option, stored.get(option) ?? 'null', 'request'))
    if (this.#history === null) {
      this.#waiting.push(...changes.slice(0, MAX_WAITING - this.#waiting.length))
      return
    }
    try {
      await this.#history.note(changes)
    } catch (error) {
      this.#log.warn('changes of settings could not be noted', { error: errorText(error) })
    }
  }

  /** Newest first. AppError NotReady before the store is open. */
  async list(before: number | null, limit: number): Promise<SettingHistoryEntry[]> {
    if (this.#history === null) throw new AppError('NotReady')
    const changes = await this.#history.list(before, limit)
    return changes.map(({ id, atMs, option, value, origin }) => ({
      id,
      option,
      origin,
      time: Math.floor(atMs / 1000),
      value: JSON.parse(value) as Json,
    }))
  }

  /** What the file holds, as JSON by option; secrets are null. */
  #stored(): Map<string, string> {
    const stored = new Map<string, string>()
    for (const [section, options] of Object.entries(this.#effective().settings)) {
      for (const [option, { stored: value }] of Object.entries(options)) {
        stored.set(`${section}.${option}`, JSON.stringify(value))
      }
    }
    return stored
  }
}

function changeOf(option: string, value: string, origin: SettingOrigin): SettingChange {
  return { option, value, origin }
}
