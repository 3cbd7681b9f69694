// By which ways one seeder is asked to meet: an introduction point of it, and a circuit of ours that the point is asked
// over. What led nowhere at this rendezvous comes last, what was answered first. Pure.

import type { HiddenCircuit } from './hidden-seam.ts'
import { type IntroductionPointName, pointKey } from './hidden-points.ts'

/** A way. */
export interface RendezvousWay {
  readonly contact: HiddenCircuit
  readonly point: IntroductionPointName
}

/** What was not tried together comes before what was. */
const BOTH_WEIGHT = 10

/** The ways of one rendezvous. */
export class RendezvousWays {
  readonly #points: () => readonly IntroductionPointName[]
  readonly #contacts: () => readonly HiddenCircuit[]
  readonly #misses = new Map<string | HiddenCircuit, number>()

  /** `points` of the seeder, and `contacts` that carry something: as they are when a way is asked for. */
  constructor(points: () => readonly IntroductionPointName[], contacts: () => readonly HiddenCircuit[]) {
    this.#points = points
    this.#contacts = contacts
  }

  /** The best way now; null: there is none. */
  best(): RendezvousWay | null {
    let best: RendezvousWay | null = null
    let bestScore = Number.POSITIVE_INFINITY
    for (const point of this.#points())
      for (const contact of this.#contacts()) {
        const score = this.#score({ contact, point })
        if (score >= bestScore) continue
        best = { contact, point }
        bestScore = score
      }
    return best
  }

  /** The seeder answered by this way, or not. */
  answered({ contact, point }: RendezvousWay, was: boolean): void {
    for (const part of [contact, pointKey(point), wayKey({ contact, point })])
      this.#misses.set(part, was ? -1 : Math.max(0, this.#misses.get(part) ?? 0) + 1)
  }

  /**
   * A circuit that ends at the point itself would have it send to its own address, which not every router passes on.
   */
  #score({ contact, point }: RendezvousWay): number {
    const itself = Buffer.compare(contact.lastHop, point.publicKey) === 0 ? 0.5 : 0
    const both = this.#misses.get(wayKey({ contact, point })) ?? 0
    return (this.#misses.get(contact) ?? 0) + (this.#misses.get(pointKey(point)) ?? 0) + itself + BOTH_WEIGHT * both
  }
}

function wayKey({ contact, point }: RendezvousWay): string {
  return `${contact.id} ${pointKey(point)}`
}
