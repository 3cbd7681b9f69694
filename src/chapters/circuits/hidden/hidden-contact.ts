// The circuits over which downloaders of one hop count talk to introduction points: two, with different last hops where
// there are, since not every node reaches every other. Built when the first swarm wants them, replaced when they go or
// lead nowhere, given up with the last swarm. Nodes without exit flags will do as last hop: only packets of this
// overlay leave there.

import { errorText } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { INTRODUCTION_RETRY_MS, MAX_INTRODUCTION_RETRY_MS } from './hidden-limits.ts'
import type { HiddenCircuit, HiddenHost } from './hidden-seam.ts'

/** Circuits of a hop count that introduction points are asked over. */
const CONTACT_CIRCUITS = 2
/** The second one begins so long after the first, when more nodes are known. */
const CONTACT_GAP_MS = 1_000
/** Questions in a row without answer after which another one takes the place of such a circuit. */
const CONTACT_MISSES = 2

/** What they work with. */
export interface ContactDeps {
  readonly host: HiddenHost
  readonly clock: Clock
  readonly log: Log
}

/** A swarm that talks over them. */
export interface ContactUser {
  /** There is one more. */
  contactReady(): void
}

/** The circuits of one hop count. */
export class ContactCircuits {
  readonly #hops: number
  readonly #deps: ContactDeps
  readonly #users = new Set<ContactUser>()
  /** Those that are there, and how many questions in a row each left without answer. */
  readonly #misses = new Map<HiddenCircuit, number>()
  #building: AbortController | null = null
  #timer: Timer | null = null
  #failures = 0

  constructor(hops: number, deps: ContactDeps) {
    this.#hops = hops
    this.#deps = deps
  }

  /** Those that carry something now, the oldest first. */
  get circuits(): readonly HiddenCircuit[] {
    return [...this.#misses.keys()].filter(({ alive }) => alive)
  }

  /** A swarm wants them. */
  want(user: ContactUser): void {
    this.#users.add(user)
    this.#begin()
  }

  /** A swarm wants them no longer. */
  release(user: ContactUser): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
    this.#building?.abort()
    for (const circuit of this.circuits) circuit.remove('no hidden swarm wants it')
  }

  /**
   * A question over `circuit` was answered, or not: after a few that were not another one is built, with another last
   * hop.
   */
  answered(circuit: HiddenCircuit, was: boolean): void {
    const misses = this.#misses.get(circuit)
    if (misses === undefined) return
    this.#misses.set(circuit, was ? 0 : misses + 1)
    if (!was && misses + 1 >= CONTACT_MISSES) circuit.fail('nothing comes back')
  }

  /** A circuit is gone, perhaps one of these. */
  circuitGone(circuit: HiddenCircuit): void {
    if (this.#misses.delete(circuit)) this.#again()
  }

  /** One after the other, so that the second chooses another last hop than the first. */
  #begin(): void {
    const enough = this.circuits.length >= CONTACT_CIRCUITS
    if (this.#users.size === 0 || this.#building !== null || this.#timer !== null || enough) return
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
      this.#misses.set(circuit, 0)
      if (this.#users.size === 0) circuit.remove('no hidden swarm wants it')
      for (const user of this.#users) user.contactReady()
      this.#after(CONTACT_GAP_MS)
    } catch (error) {
      log.debug('no circuit to look for hidden seeders', { hops: this.#hops, error: errorText(error) })
      this.#building = null
      this.#failures++
      this.#again()
    }
  }

  #again(): void {
    const delayMs = Math.min(INTRODUCTION_RETRY_MS * 2 ** Math.min(this.#failures - 1, 6), MAX_INTRODUCTION_RETRY_MS)
    this.#after(this.#failures === 0 ? 0 : delayMs)
  }

  #after(delayMs: number): void {
    if (this.#users.size === 0) return
    this.#timer?.cancel()
    this.#timer = this.#deps.clock.after(delayMs, () => {
      this.#timer = null
      this.#begin()
    })
  }
}
