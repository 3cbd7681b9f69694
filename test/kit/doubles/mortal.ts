// A process that can be killed at any call it makes: before the call has any effect, or after it and before its caller
// learns of it. What it was given (files, chains, wallets) goes on without it; its calls never settle, its timers never
// run.

import type { Clock } from '../../../src/ports/clock.ts'

/** Kills at the call of this number (from 0), among those that count. */
export interface KillPlan {
  readonly call: number
  readonly when: 'before' | 'after'
}

/**
 * A process that can be killed at any call it makes: before the call has any effect, or after it and before its caller
 * learns of it.
 */
export class Mortal {
  alive = true
  plan: KillPlan | null = null
  /** Names of the calls that counted, in their order. */
  readonly calls: string[] = []
  /** Called at the counted call, before it is made. */
  atCall: (call: number) => void = () => undefined
  readonly #never = new Promise<never>(() => undefined)

  kill(): void {
    this.alive = false
  }

  /** As `target`, for as long as the process lives; methods in `counted` are those of the plan. */
  wrap<T extends object>(target: T, name: string, counted: readonly (keyof T & string)[]): T {
    return new Proxy(target, {
      get: (object, property) => {
        const value: unknown = Reflect.get(object, property, object)
        if (typeof value !== 'function') return value
        const counts = (counted as readonly (string | symbol)[]).includes(property)
        return (...given: unknown[]): unknown =>
          this.#call(() => value.apply(object, given) as unknown, counts ? `${name}.${String(property)}` : '')
      },
    })
  }

  /** Timers that end with the process. */
  clock(clock: Clock): Clock {
    const living =
      (run: () => void): (() => void) =>
      () => {
        if (this.alive) run()
      }
    return {
      now: () => clock.now(),
      wallMs: () => clock.wallMs(),
      after: (delayMs, run) => clock.after(delayMs, living(run)),
      every: (intervalMs, run) => clock.every(intervalMs, living(run)),
    }
  }

  #call(make: () => unknown, counted: string): unknown {
    if (!this.alive) return this.#never
    const call = this.calls.length
    if (counted !== '') {
      this.calls.push(counted)
      this.atCall(call)
    }
    const dies = counted !== '' && this.plan?.call === call ? this.plan.when : null
    if (dies === 'before') this.kill()
    if (!this.alive) return this.#never
    const made = make()
    if (!(made instanceof Promise)) return made
    return this.#settled(made, dies === 'after')
  }

  async #settled(made: Promise<unknown>, dies: boolean): Promise<unknown> {
    let failure: { error: unknown } | null = null
    const value = await made.catch((error: unknown) => {
      failure = { error }
    })
    if (dies) this.kill()
    if (!this.alive) return this.#never
    if (failure !== null) throw (failure as { error: unknown }).error
    return value
  }
}
