// The circuit over which downloaders of one hop count talk to introduction points. Built when the first swarm wants it, replaced when
// it goes or is silent, given up with the last one. Nodes without exit flags will do as its last hop: only packets of this overlay
// leave there.

import { errorText } from '../base/errors.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { MAX_INTRODUCTION_RETRY_MS, INTRODUCTION_RETRY_MS } from './hidden-limits.ts'
import type { HiddenCircuit, HiddenHost } from './hidden-seam.ts'

/** The circuit of one hop count. */
export class ContactCircuit {
  readonly #hops: number
  readonly #deps: { readonly host: HiddenHost; readonly clock: Clock; readonly log: Log }
  readonly #users = new Set<object>()
  #circuit: HiddenCircuit | null = null
  #building: AbortController | null = null
  #timer: Timer | null = null
  #failures = 0

  constructor(hops: number, deps: { readonly host: HiddenHost; readonly clock: Clock; readonly log: Log }) {
    this.#hops = hops
    this.#deps = deps
  }

  /** The circuit; null: it is not there yet. */
  get circuit(): HiddenCircuit | null {
    return this.#circuit?.alive === true ? this.#circuit : null
  }

  /** Somebody wants it. */
  want(user: object): void {
    this.#users.add(user)
    this.#begin()
  }

  /** Somebody wants it no longer. */
  release(user: object): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
    this.#building?.abort()
    this.#circuit?.remove('no hidden swarm wants it')
  }

  /** Nobody answers over it: another one is built. */
  doubt(circuit: HiddenCircuit): void {
    if (circuit === this.#circuit) circuit.remove('nothing comes back')
  }

  /** A circuit is gone, perhaps this one. */
  circuitGone(circuit: HiddenCircuit): void {
    if (circuit !== this.#circuit) return
    this.#circuit = null
    this.#again()
  }

  #begin(): void {
    if (this.#users.size === 0 || this.#building !== null || this.#timer !== null || this.circuit !== null) return
    const building = new AbortController()
    this.#building = building
    void this.#build(building)
  }

  async #build(building: AbortController): Promise<void> {
    const { host, log } = this.#deps
    try {
      const circuit = await host.build({ purpose: 'data', hops: this.#hops, last: 'relay' }, building.signal)
      this.#building = null
      this.#failures = 0
      this.#circuit = circuit
      if (this.#users.size === 0) circuit.remove('no hidden swarm wants it')
    } catch (error) {
      log.debug('no circuit to look for hidden seeders', { hops: this.#hops, error: errorText(error) })
      this.#building = null
      this.#failures++
      this.#again()
    }
  }

  #again(): void {
    if (this.#users.size === 0 || this.#timer !== null) return
    const delayMs = Math.min(INTRODUCTION_RETRY_MS * 2 ** Math.min(this.#failures, 4), MAX_INTRODUCTION_RETRY_MS)
    this.#timer = this.#deps.clock.after(this.#failures === 0 ? 0 : delayMs, () => {
      this.#timer = null
      this.#begin()
    })
  }
}
