// Results of one search as they arrive in events: each channel and each torrent once, the best first, in bounded
// number. Pure.

import type { SearchResults } from '../../ports/channel-library.ts'
import type { NodeEvent } from '../../../../web/model/event-lines.ts'

/** A channel that was found. */
export type FoundChannel = SearchResults['channels'][number]
/** A torrent that was found, with the channel it is in. */
export type FoundTorrent = SearchResults['torrents'][number]

/** More of a kind are not kept. */
export const MAX_FOUND = 500

/**
 * Results of one search as they arrive in events: each channel and each torrent once, the best first, in bounded
 * number.
 */
export class FoundResults {
  readonly #query: string
  readonly #channels = new Map<string, FoundChannel>()
  readonly #torrents = new Map<string, FoundTorrent>()

  constructor(query: string) {
    this.#query = query
  }

  /** True when the event told something new of this search. */
  take({ type, event = {} }: NodeEvent): boolean {
    const { query, result } = event
    if (query !== this.#query || typeof result !== 'object' || result === null) return false
    if (type === 'search_result_channel') {
      const channel = result as FoundChannel
      return keep(this.#channels, channel.dispersy_cid, channel)
    }
    if (type !== 'search_result_torrent') return false
    const torrent = result as FoundTorrent
    return keep(this.#torrents, torrent.infohash, torrent)
  }

  /** The best first. */
  get channels(): FoundChannel[] {
    return best(this.#channels)
  }

  /** The best first. */
  get torrents(): FoundTorrent[] {
    return best(this.#torrents)
  }

  /** How many there are in all. */
  get count(): number {
    return this.#channels.size + this.#torrents.size
  }
}

function keep<T>(all: Map<string, T>, key: string, value: T): boolean {
  if (typeof key !== 'string' || all.has(key) || all.size >= MAX_FOUND) return false
  all.set(key, value)
  return true
}

function best<T extends { readonly relevance_score: number }>(all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].toSorted((a, b) => b.relevance_score - a.relevance_score)
}
