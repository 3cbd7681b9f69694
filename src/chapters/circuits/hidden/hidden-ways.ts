// The ways to ask one seeder to meet: each is an introduction point of it, and a circuit of ours to ask that point
// over. Ways that failed in this meeting come last, those that were answered first. Pure.

import type { HiddenCircuit } from './hidden-seam.ts'
import { type IntroductionPointName, pointKey } from './hidden-points.ts'

/** A way. */
export interface MeetingWay {
  readonly contact: HiddenCircuit
  readonly point: IntroductionPointName
}

/** What was not tried together comes before what was. */
const BOTH_WEIGHT = 10

/** The ways of one meeting. */
export class MeetingWays {
  readonly #points: () => readonly IntroductionPointName[]
  readonly #contacts: () => readonly HiddenCircuit[]
  readonly #misses = new Map<string | HiddenCircuit, number>()

  /** `points` of the seeder, and `contacts` that carry something: as they are when a way is asked for. */
  constructor(points: () => readonly IntroductionPointName[], contacts: () => readonly HiddenCircuit[]) {
    this.#points = points
    this.#contacts = contacts
  }

  /** The best way now; null: there is none. */
  best(): MeetingWay | null {
    let best: MeetingWay | null = null
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
  answered({ contact, point }: MeetingWay, was: boolean): void {
    for (const part of [contact, pointKey(point), wayKey({ contact, point })])
      this.#misses.set(part, was ? -1 : Math.max(0, this.#misses.get(part) ?? 0) + 1)
  }

  /**
   * A circuit that ends at the point itself would have it send to its own address, which not every router passes on.
   */
  #score({ contact, point }: MeetingWay): number {
    const itself = Buffer.compare(contact.lastHop, point.publicKey) === 0 ? 0.5 : 0
    const both = this.#misses.get(wayKey({ contact, point })) ?? 0
    return (this.#misses.get(contact) ?? 0) + (this.#misses.get(pointKey(point)) ?? 0) + itself + BOTH_WEIGHT * both
  }
}

function wayKey({ contact, point }: MeetingWay): string {
  return `${contact.id} ${pointKey(point)}`
}
