// Chooses the next hop (7.6) among what the last hop offers and our own candidates. Pure: chance and counts are handed
// in. A key is compared as text in latin1.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Random } from '../../../ports/random.ts'
import type { Candidates } from '../../overlay/wire/candidates.ts'

/** A node that can be asked. `address` null: the hop before it knows it. */
export interface HopCandidate {
  readonly publicKey: Uint8Array
  readonly address: PeerAddress | null
}

/** A candidate of our own, with what speaks for and against it. */
export interface RankedCandidate extends HopCandidate {
  readonly address: PeerAddress
  /** Lets traffic out, which fewer do. */
  readonly exit: boolean
  /** Circuits of ours that have it in this place now. */
  readonly used: number
  /** It did not answer lately. */
  readonly doubtful: boolean
}

/** A public key as key of a map or set. */
export function keyText(publicKey: Uint8Array): string {
  return Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength).toString('latin1')
}

/** `count` of `items` by chance, each at most once; all when there are fewer. */
export function sample<T>(items: readonly T[], count: number, random: Random): T[] {
  const left = [...items]
  const chosen: T[] = []
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(random.below(left.length), 1))
  return chosen
}

/**
 * One of our own: of those with the fewest circuits, relays before exits, by chance; those that did not answer lately
 * only when there is no other.
 */
export function chooseOwn(candidates: readonly RankedCandidate[], random: Random): RankedCandidate | null {
  let best: RankedCandidate[] = []
  let bestRank = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const rank = (candidate.doubtful ? 1e6 : 0) + candidate.used * 2 + (candidate.exit ? 1 : 0)
    if (rank > bestRank) continue
    if (rank < bestRank) best = []
    bestRank = rank
    best.push(candidate)
  }
  return pick(best, random)
}

/** What a hop behind the first is chosen from. */
export interface NextHopChoice {
  /** By the last hop, which knows how to reach them. */
  readonly offered: Candidates
  /** The hop will be the last one. */
  readonly last: boolean
  /** The last hop that this circuit must have; null: any. */
  readonly required: HopCandidate | null
  /** Keys in the circuit, our own, and those that did not answer. */
  readonly excluded: ReadonlySet<string>
  /** Our own candidates that fit the place. */
  readonly own: readonly RankedCandidate[]
}

/**
 * The next hop; null: there is none. In the middle one that the hop before it offers, as it is surely reached from
 * there. As the last one an exit that we know too, rather than one that only the hop before it knows.
 */
export function chooseNextHop(choice: NextHopChoice, random: Random): HopCandidate | null {
  const { offered, last, required, excluded } = choice
  if (last && required !== null) return required
  const reserved = required === null ? null : keyText(required.publicKey)
  const fits = (key: Uint8Array): boolean => keyText(key) !== reserved && !excluded.has(keyText(key))
  const relays = offered.relays.filter(fits)
  const exits = offered.exits.filter(fits)
  const own = choice.own.filter(({ publicKey }) => fits(publicKey))
  if (!last) return unplaced(pick(relays, random) ?? pick(exits, random)) ?? chooseOwn(own, random)
  const known = new Set([...relays, ...exits].map(keyText))
  const both = chooseOwn(
    own.filter(({ publicKey, doubtful }) => !doubtful && known.has(keyText(publicKey))),
    random,
  )
  return both ?? unplaced(pick(exits, random)) ?? chooseOwn(own, random)
}

function unplaced(publicKey: Uint8Array | null): HopCandidate | null {
  return publicKey === null ? null : { publicKey, address: null }
}

function pick<T>(items: readonly T[], random: Random): T | null {
  return items.length === 0 ? null : (items[random.below(items.length)] as T)
}
