// One hidden swarm this node is in: seeder or downloader, never both, since a downloader has nothing that others could
// not get better from seeders. What was linked as one stays when it becomes the other.

import type { PeerAddress } from '../../../base/ids.ts'
import type { HiddenSwarm } from '../ports/circuits.ts'
import { type SeederRendezvousDeps, type SeederRendezvousOptions, SeederRendezvous } from './seeder-rendezvous.ts'
import type { HiddenCircuit } from './hidden-seam.ts'
import { type CreateE2e, HiddenSeeding, type SeedingDeps } from './hidden-seeding.ts'
import { HiddenSeeker, type SeekerDeps } from './hidden-seeker.ts'

/** What a swarm works with. */
export interface JoinedSwarmDeps extends SeederRendezvousDeps, SeedingDeps, Omit<SeekerDeps, 'rendezvous'> {
  /** Called once, when it was left. */
  readonly left: () => void
}

/**
 * One hidden swarm this node is in: seeder or downloader, never both, since a downloader has nothing that others could
 * not get better from seeders.
 */
export class JoinedSwarm implements HiddenSwarm {
  readonly #options: SeederRendezvousOptions
  readonly #deps: JoinedSwarmDeps
  readonly #rendezvous: SeederRendezvous
  #seeker: HiddenSeeker | null
  #seeding: HiddenSeeding | null = null
  #sated = false
  #left = false

  /** Begins as downloader. */
  constructor(options: SeederRendezvousOptions, deps: JoinedSwarmDeps) {
    this.#options = options
    this.#deps = deps
    this.#rendezvous = new SeederRendezvous(options, deps)
    this.#seeker = this.#newSeeker()
  }

  setSeeding(seeding: boolean): void {
    if (this.#left || seeding === (this.#seeding !== null)) return
    if (seeding) {
      this.#seeker?.close()
      this.#seeker = null
      this.#seeding = new HiddenSeeding(this.#options, this.#deps)
    } else {
      this.#seeding?.close()
      this.#seeding = null
      this.#seeker = this.#newSeeker()
    }
  }

  setSated(sated: boolean): void {
    this.#sated = sated
    this.#seeker?.setSated(sated)
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    this.#seeker?.close()
    this.#seeding?.close()
    this.#rendezvous.close()
    this.#deps.left()
  }

  /** Time passed. */
  tick(): void {
    this.#seeker?.tick()
  }

  /** A downloader came over `circuit`; false: it is none of our introduction circuits. */
  meet(circuit: HiddenCircuit, origin: PeerAddress, request: CreateE2e): boolean {
    if (this.#seeding?.hasIntroduction(circuit) !== true) return false
    this.#seeding.meet(circuit, origin, request)
    return true
  }

  /** A circuit is gone, perhaps one of ours. */
  circuitGone(circuit: HiddenCircuit): void {
    if (this.#rendezvous.circuitGone(circuit)) this.#seeker?.lost()
    this.#seeding?.circuitGone(circuit)
  }

  #newSeeker(): HiddenSeeker {
    const seeker = new HiddenSeeker(this.#options.lookup, { ...this.#deps, rendezvous: this.#rendezvous })
    seeker.setSated(this.#sated)
    return seeker
  }
}
