// What the node says of itself: state of the core, the newest unhandled exception, listening ports. Values only.

import type { CoreStateName, StateService } from './api.ts'

/** An exception's text is cut here: it is meant to be read. */
const MAX_TEXT_CHARS = 2000

/** STARTING -> STARTED; the exception stays until the next start (decisions part 5). */
export class CoreState implements StateService {
  #state: CoreStateName = 'STARTING'
  #lastException: string | null = null
  readonly #ports = new Map<string, number>()

  read(): { state: CoreStateName; last_exception: string | null } {
    return { state: this.#state, last_exception: this.#lastException }
  }

  ports(): Record<string, number> {
    return Object.fromEntries(this.#ports)
  }

  get started(): boolean {
    return this.#state === 'STARTED'
  }

  /** Every download is loaded and the engine runs. */
  markStarted(): void {
    this.#state = 'STARTED'
  }

  /** Remembers the newest unhandled exception; the text as it is shown. */
  noteException(text: string): string {
    this.#lastException = text.slice(0, MAX_TEXT_CHARS)
    return this.#lastException
  }

  /** A port that is listened on; `name` has `~` between levels (spec 2.15). */
  setPort(name: string, port: number): void {
    this.#ports.set(name, port)
  }
}
