// GET and POST /settings over the settings store: adds the ports of this run and gives the answer its shape. What a
// change does to the running parts is wired in node/, by the store's listeners, before change() settles.

import type { Json, SettingsService, StateService } from './api.ts'

/** The settings store, as much of it as is needed here. */
export interface SettingsSource {
  /** Effective values, secrets as null. */
  read(): Record<string, Record<string, Json>>
  /** Durable and told to all listeners when settled; AppError InvalidSetting changes nothing. */
  change(body: unknown): Promise<{ readonly changed: readonly string[]; readonly restartRequired: readonly string[] }>
}

/** See SettingsService. `modified` is false when every value was there already. */
export class NodeSettings implements SettingsService {
  readonly #source: SettingsSource
  readonly #state: StateService

  constructor(deps: { source: SettingsSource; state: StateService }) {
    this.#source = deps.source
    this.#state = deps.state
  }

  read(): { settings: Record<string, Record<string, Json>>; ports: Record<string, number> } {
    return { settings: this.#source.read(), ports: this.#state.ports() }
  }

  async change(body: Json): Promise<{ modified: boolean; restart_required: string[] }> {
    const { changed, restartRequired } = await this.#source.change(body)
    return { modified: changed.length > 0, restart_required: [...restartRequired] }
  }
}
