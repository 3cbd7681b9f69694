// The announce URLs of one torrent in tiers (BEP 12): shuffled within a tier once, the one that answers moves to the
// front of its tier. Pure: it sends nothing. Invariant: every URL is there once; no tier is empty; at most MAX_TRACKERS
// URLs.

import type { Random } from '../ports/random.ts'

/** Most trackers of one torrent; lists of public trackers have about a hundred. */
const MAX_TRACKERS = 256

/** Longest announce URL, characters. */
const MAX_URL_LENGTH = 2_048

/** Whether `url` is taken in: then it is known. */
function claim(known: Set<string>, url: string): boolean {
  if (url === '' || url.length > MAX_URL_LENGTH || known.has(url) || known.size >= MAX_TRACKERS) return false
  known.add(url)
  return true
}

function shuffle(urls: string[], random: Random): string[] {
  for (let i = urls.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const held = urls[i] as string
    urls[i] = urls[j] as string
    urls[j] = held
  }
  return urls
}

/** Tiers in order. */
export class TierList {
  // Thousands of torrents have one each: few trackers are looked through sooner than a set of them is kept.
  #tiers: string[][] = []
  readonly #random: Random

  constructor(tiers: readonly (readonly string[])[], random: Random) {
    this.#random = random
    this.add(tiers)
  }

  /**
   * Adds tiers after those that are there; answers the URLs that were new. Too many and over-long ones are left out.
   */
  add(tiers: readonly (readonly string[])[]): string[] {
    const known = new Set(this.#tiers.flat())
    const fresh = tiers.map(tier => tier.filter(url => claim(known, url))).filter(tier => tier.length > 0)
    for (const tier of fresh) shuffle(tier, this.#random)
    this.#tiers = [...this.#tiers, ...fresh].map(tier => [...tier])
    return fresh.flat()
  }

  /**
   * These are the tiers from now on, in the order given: a user chose it, so nothing is shuffled. Too many and
   * over-long URLs, and those that are there twice, are left out.
   */
  set(tiers: readonly (readonly string[])[]): void {
    const known = new Set<string>()
    this.#tiers = tiers.map(tier => tier.filter(url => claim(known, url))).filter(tier => tier.length > 0)
  }

  /** Takes `url` away; false when it was not there. */
  remove(url: string): boolean {
    if (!this.#tiers.some(tier => tier.includes(url))) return false
    this.#tiers = this.#tiers.map(tier => tier.filter(one => one !== url)).filter(tier => tier.length > 0)
    return true
  }

  /** Every URL in the order to ask: tier by tier. A copy. */
  order(): string[] {
    return this.#tiers.flat()
  }

  /** The tiers as they are now. A copy. */
  tiers(): string[][] {
    return this.#tiers.map(tier => [...tier])
  }

  /** `url` answered: it becomes the first of its tier. */
  promote(url: string): void {
    for (const tier of this.#tiers) {
      const at = tier.indexOf(url)
      if (at > 0) tier.unshift(...tier.splice(at, 1))
    }
  }
}
