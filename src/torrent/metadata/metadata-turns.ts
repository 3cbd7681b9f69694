// Decides whose metadata is tried next, and for how long, when peers do not agree on its size or each has to be asked
// alone: who lies is not known, only who had turns already. Pure bookkeeping. Turns count by address, so that coming
// again, or with another size, gives no peer a first turn again. Bounded: 1,000 addresses.

/** The first turn of an address; each further one is twice as long, as a large dictionary over a slow line needs. */
const TURN_MS = 10_000
const MAX_DOUBLINGS = 6
const MAX_REMEMBERED = 1000

/** A peer that has metadata, as it says. */
export interface MetadataSource {
  readonly key: string
  readonly ip: string
  /** Bytes. */
  readonly size: number
}

/** A chosen turn. */
export interface MetadataTurn {
  readonly source: MetadataSource
  readonly turnMs: number
}

/** The turns of one magnet. */
export class MetadataTurns {
  readonly #had = new Map<string, number>()

  /**
   * Gives the next turn, to those whose addresses had fewest; among these to the size that most addresses name.
   * `alone`: a turn is of one peer, else of all who name a size. Null: there is no source.
   */
  next(sources: readonly MetadataSource[], alone: boolean): MetadataTurn | null {
    const named = new Map<number, Set<string>>()
    for (const { size, ip } of sources) named.set(size, (named.get(size) ?? new Set()).add(ip))
    const turnsOf = new Map([...named].map(([size, ips]) => [size, Math.min(...[...ips].map(ip => this.#turns(ip)))]))
    let best: { source: MetadataSource; turns: number; votes: number } | null = null
    for (const source of sources) {
      const turns = alone ? this.#turns(source.ip) : (turnsOf.get(source.size) ?? 0)
      const votes = named.get(source.size)?.size ?? 0
      if (best !== null && (turns > best.turns || (turns === best.turns && votes <= best.votes))) continue
      best = { source, turns, votes }
    }
    if (best === null) return null
    this.#count(alone ? [best.source.ip] : (named.get(best.source.size) ?? []))
    return { source: best.source, turnMs: TURN_MS * 2 ** Math.min(best.turns, MAX_DOUBLINGS) }
  }

  clear(): void {
    this.#had.clear()
  }

  #count(ips: Iterable<string>): void {
    for (const ip of ips) {
      const turns = this.#turns(ip) + 1
      // Deleted first: the oldest is forgotten first.
      this.#had.delete(ip)
      this.#had.set(ip, turns)
    }
    for (const oldest of this.#had.keys()) {
      if (this.#had.size <= MAX_REMEMBERED) return
      this.#had.delete(oldest)
    }
  }

  #turns(ip: string): number {
    return this.#had.get(ip) ?? 0
  }
}
