// The service of the media server, there from the first moment; what it works with (dlna-parts.ts) is loaded when the
// settings want it, or somebody asks which devices there are. A change of its settings ends the server and starts
// another: players hear goodbye and hello.

import { AppError, errorText } from '../../../base/errors.ts'
import type { RunningCore } from '../../../node/kernel.ts'
import type { DlnaRecord, DlnaService } from '../service/dlna-api.ts'
import type { DlnaDeps, DlnaParts } from './dlna-parts.ts'
import { dlnaSettingsOf } from './settings-dlna.ts'

/** The service of the media server, there from the first moment; what it works with is loaded when it is wanted. */
export class DlnaServices {
  readonly service: DlnaService
  readonly #deps: DlnaDeps
  #core: RunningCore | null = null
  #parts: Promise<DlnaParts> | null = null
  #turn: Promise<void> = Promise.resolve()
  #endFollowing: () => void = () => undefined
  #stopped = false
  #failure = ''

  constructor(deps: DlnaDeps) {
    this.#deps = deps
    this.service = {
      state: () => this.#state(),
      devices: async () => (await this.#opened()).devices(),
      allow: (id, allowed) => this.#device(parts => parts.allow(id, allowed)),
      forget: id => this.#device(parts => parts.forget(id)),
    }
  }

  /** The node has started. Never rejects. */
  async start(core: RunningCore): Promise<void> {
    this.#core = core
    this.#endFollowing = this.#deps.settings.onChange(changed => {
      if (changed.some(path => path.startsWith('dlna.'))) this.#follow()
    })
    if (dlnaSettingsOf(this.#deps.settings.values).enabled) this.#follow()
    await this.#turn
  }

  /** Ends it. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#endFollowing()
    await this.#turn
    const parts = await this.#parts?.catch(() => null)
    await parts?.stop()
  }

  #follow(): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#stopped || this.#core === null) return
      try {
        const { enabled } = dlnaSettingsOf(this.#deps.settings.values)
        if (enabled || this.#parts !== null) await (await this.#opened()).follow(this.#core)
        this.#failure = ''
      } catch (error) {
        this.#failure = errorText(error)
        this.#deps.log.part('dlna').error('players in the network cannot be served', { error: this.#failure })
      }
    })
  }

  async #state(): Promise<DlnaRecord> {
    const { enabled, name } = dlnaSettingsOf(this.#deps.settings.values)
    // What was just changed is in the answer.
    await this.#turn
    const parts = await this.#parts?.catch(() => null)
    const interfaces = parts?.interfaces() ?? []
    const problem = enabled ? this.#failure || (parts?.problem() ?? '') : ''
    return { enabled, running: interfaces.length > 0, name, interfaces, problem }
  }

  async #device<T>(change: (parts: DlnaParts) => Promise<T | null>): Promise<T> {
    const changed = await change(await this.#opened())
    if (changed === null) throw new AppError('DeviceNotFound')
    return changed
  }

  /** Loaded once; again after it failed. AppErrors StateUnreadable, NotReady. */
  #opened(): Promise<DlnaParts> {
    if (this.#stopped) return Promise.reject(new AppError('NotReady', 'The node is stopping.'))
    this.#parts ??= this.#open().catch((error: unknown) => {
      this.#parts = null
      throw error
    })
    return this.#parts
  }

  async #open(): Promise<DlnaParts> {
    const { openDlnaParts } = await import('./dlna-parts.ts')
    return openDlnaParts(this.#deps)
  }
}
