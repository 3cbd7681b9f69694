// How a downloader meets seeders: attempts by one way after the other, the next one beside the last when that is silent
// for a few seconds, until one is linked. One object a swarm; each seeder is met once at a time, and linked with one
// circuit.

import { errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { addressOfCircuit } from '../wire/hidden-names.ts'
import { type AttemptDeps, attemptRendezvous, type LinkedCircuit } from './hidden-attempt.ts'
import type { ContactCircuits } from './hidden-contact.ts'
import { seederText } from './hidden-points.ts'
import type { HiddenCircuit } from './hidden-seam.ts'
import type { RendezvousWay, RendezvousWays } from './hidden-ways.ts'

/**
 * An attempt to meet a seeder that is silent for so long, and so many round-trip times of the contact circuit, gets
 * another beside it.
 */
const RENDEZVOUS_PATIENCE_MS = 600
/** The round-trip times of that. */
const RENDEZVOUS_PATIENCE_RTTS = 10
/** For each hop of the download it is at most so much more. */
const RENDEZVOUS_PATIENCE_A_HOP_MS = 1_400
/** Attempts of one rendezvous. */
const RENDEZVOUS_TRIES = 8

/** What a downloader needs to meet seeders. */
export interface SeederRendezvousDeps extends AttemptDeps {
  readonly contact: ContactCircuits
  readonly clock: Clock
  readonly log: Log
}

/** Whose seeders are met. */
export interface SeederRendezvousOptions {
  readonly lookup: Uint8Array
  /** Of the download. */
  readonly hops: number
  /** Gets the address given to each linked circuit. */
  readonly found: (at: PeerAddress) => void
}

/** One seeder that is being met. */
interface PendingRendezvous {
  readonly seeder: string
  readonly ways: RendezvousWays
  readonly ending: AbortController
  readonly end: (linked: boolean) => void
  tries: number
  running: number
  timer: Timer | null
}

/** The rendezvous with the seeders of one swarm. */
export class SeederRendezvous {
  readonly #options: SeederRendezvousOptions
  readonly #deps: SeederRendezvousDeps
  /** Seeders that are being met. */
  readonly #pending = new Map<string, PendingRendezvous>()
  /** Seeders that we are linked with. */
  readonly #linked = new Set<string>()
  readonly #circuits = new Map<HiddenCircuit, string>()
  #closed = false

  constructor(options: SeederRendezvousOptions, deps: SeederRendezvousDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Keys (as seederText) of the seeders that we are linked with. */
  get linked(): ReadonlySet<string> {
    return this.#linked
  }

  /** Linked and on their way. */
  get busy(): number {
    return this.#linked.size + this.#pending.size
  }

  /** Neither linked nor on its way. */
  isFree(seederKey: Uint8Array): boolean {
    const text = seederText(seederKey)
    return !this.#linked.has(text) && !this.#pending.has(text)
  }

  /** Meets a seeder that isFree; true: we are linked. Never rejects. */
  meet(seederKey: Uint8Array, ways: RendezvousWays): Promise<boolean> {
    return new Promise(resolve => {
      const seeder = seederText(seederKey)
      const rendezvous: PendingRendezvous = {
        seeder,
        ways,
        ending: new AbortController(),
        tries: 0,
        running: 0,
        timer: null,
        end: linked => {
          rendezvous.timer?.cancel()
          rendezvous.timer = null
          this.#pending.delete(seeder)
          rendezvous.ending.abort()
          resolve(linked)
        },
      }
      this.#pending.set(seeder, rendezvous)
      this.#try(rendezvous)
    })
  }

  /** A circuit is gone; true: it was linked with a seeder, and its removal was not ours. */
  circuitGone(circuit: HiddenCircuit): boolean {
    const seeder = this.#circuits.get(circuit)
    if (seeder === undefined) return false
    this.#circuits.delete(circuit)
    this.#linked.delete(seeder)
    return !this.#closed
  }

  /** Ends all. */
  close(): void {
    this.#closed = true
    for (const rendezvous of [...this.#pending.values()]) rendezvous.end(false)
    for (const circuit of [...this.#circuits.keys()]) circuit.remove('the download left its hidden swarm')
  }

  /** Begins the next attempt, if there is a way; the rendezvous ends with the last one. */
  #try(rendezvous: PendingRendezvous): void {
    if (rendezvous.ending.signal.aborted) return
    rendezvous.timer?.cancel()
    rendezvous.timer = null
    const way = rendezvous.tries < RENDEZVOUS_TRIES ? rendezvous.ways.best() : null
    if (way === null) {
      if (rendezvous.running === 0) rendezvous.end(false)
      return
    }
    rendezvous.tries++
    rendezvous.running++
    void this.#run(rendezvous, way)
  }

  async #run(rendezvous: PendingRendezvous, way: RendezvousWay): Promise<void> {
    const { lookup, hops } = this.#options
    const { signal } = rendezvous.ending
    let known = false
    const answered = (was: boolean): void => {
      if (!known && !signal.aborted) this.#answered(rendezvous, way, was)
      known = true
    }
    const heard = (): void => {
      answered(true)
      this.#wait(rendezvous, way, () => undefined)
    }
    this.#wait(rendezvous, way, () => answered(false))
    try {
      const done = await attemptRendezvous({ ...way, lookup, hops, signal, heard }, this.#deps)
      if (done !== null) this.#take(rendezvous, done)
      else if (!signal.aborted) answered(false)
    } catch (error) {
      this.#deps.log.debug('a hidden seeder was not reached', { error: errorText(error) })
    }
    rendezvous.running--
    this.#try(rendezvous)
  }

  #answered({ ways }: PendingRendezvous, way: RendezvousWay, was: boolean): void {
    ways.answered(way, was)
    this.#deps.contact.answered(way.contact, was)
  }

  /** Another attempt begins when nothing more is heard for a while. */
  #wait(rendezvous: PendingRendezvous, { contact }: RendezvousWay, silent: () => void): void {
    if (rendezvous.ending.signal.aborted) return
    rendezvous.timer?.cancel()
    const mostMs = RENDEZVOUS_PATIENCE_A_HOP_MS * this.#options.hops
    const wayMs = RENDEZVOUS_PATIENCE_RTTS * (contact.rttMs ?? Number.POSITIVE_INFINITY)
    const delayMs = RENDEZVOUS_PATIENCE_MS + Math.min(mostMs, wayMs)
    rendezvous.timer = this.#deps.clock.after(delayMs, () => {
      rendezvous.timer = null
      silent()
      this.#try(rendezvous)
    })
  }

  #take({ seeder, ending, end }: PendingRendezvous, { circuit, keys }: LinkedCircuit): void {
    if (ending.signal.aborted) {
      keys.wipe()
      circuit.remove('another one was sooner')
      return
    }
    circuit.setEndToEnd({ seal: keys.backward, open: keys.forward })
    this.#circuits.set(circuit, seeder)
    this.#linked.add(seeder)
    this.#deps.counts.linked++
    end(true)
    this.#options.found(addressOfCircuit(circuit.id))
  }
}
