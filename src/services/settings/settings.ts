// GET and POST /settings over the settings store: adds the ports of this run and gives the answer its shape. What a
// change does to the running parts is wired in node/, by the store's listeners, before change() settles.

import type { Caller } from '../callers-api.ts'
import type { EffectiveSettings, Json, SettingHistoryEntry, SettingsService } from './settings-api.ts'
import type { StateService } from '../diagnostics/state-api.ts'
import type { AskedSetting, SettingRights } from './setting-rights.ts'
import type { SettingsChanges } from './settings-changes.ts'

/** The settings store, as much of it as is needed here. */
export interface SettingsSource {
  /** Effective values, secrets as null. */
  read(): Record<string, Record<string, Json>>
  /**
   * Durable and told to all listeners when settled; AppErrors InvalidSetting and what `judge` rejects with change
   * nothing. `judge` is asked about the options that would change.
   */
  change(
    body: unknown,
    judge: (asked: readonly AskedSetting[]) => Promise<void>,
  ): Promise<{
    readonly changed: readonly string[]
    readonly restartRequired: readonly string[]
    readonly overridden: readonly string[]
  }>
}

/** What the interface shows of the table of settings. */
export interface SettingsDocs {
  effective(): EffectiveSettings
  schema(): { [key: string]: Json }
}

/** See SettingsService. `modified` is false when every value was there already, or cannot come into force. */
export class NodeSettings implements SettingsService {
  readonly #source: SettingsSource
  readonly #state: StateService
  readonly #docs: SettingsDocs
  readonly #changes: SettingsChanges
  readonly #rights: Pick<SettingRights, 'check'>

  constructor(deps: {
    source: SettingsSource
    state: StateService
    docs: SettingsDocs
    changes: SettingsChanges
    rights: Pick<SettingRights, 'check'>
  }) {
    this.#rights = deps.rights
    this.#changes = deps.changes
    this.#source = deps.source
    this.#state = deps.state
    this.#docs = deps.docs
  }

  read(): { settings: Record<string, Record<string, Json>>; ports: Record<string, number> } {
    return { settings: this.#source.read(), ports: this.#state.ports() }
  }

  async change(
    body: Json,
    caller: Caller,
  ): Promise<{ modified: boolean; restart_required: string[]; overridden: string[] }> {
    const judge = (asked: readonly AskedSetting[]): Promise<void> => this.#rights.check(asked, caller)
    const { changed, restartRequired, overridden } = await this.#source.change(body, judge)
    await this.#changes.note(changed)
    const modified = changed.some(path => !overridden.includes(path))
    return { modified, restart_required: [...restartRequired], overridden: [...overridden] }
  }

  effective(): EffectiveSettings {
    return this.#docs.effective()
  }

  history(before: number | null, limit: number): Promise<SettingHistoryEntry[]> {
    return this.#changes.list(before, limit)
  }

  schema(): { [key: string]: Json } {
    return this.#docs.schema()
  }
}
