// What services ask of the network of channels: the overlay of channels and the DHT of heads, whichever runs.

import type { ChannelId } from '../wire/types.ts'

/** The network of channels. */
export interface ChannelNetwork {
  /**
   * Looks for a channel that is not known here, in the overlay and the DHT; true as soon as its head is in the
   * catalogue. Never rejects.
   */
  find(channel: ChannelId, limitMs: number): Promise<boolean>
  /**
   * Asks a bounded number of peers; `found` is called with records (encodings) of each answer, none of them kept yet.
   * Settles when all have answered or `limitMs` is over. Never rejects.
   */
  search(text: string, limitMs: number, found: (records: readonly Uint8Array[]) => void): Promise<void>
  /** The channel is looked after now: its head asked for again, its records fetched. */
  hurry(channel: ChannelId): void
}

/** How this node stands in the overlay of channels. */
export interface NetworkStanding {
  /**
   * `off`: by a setting; `starting`: it was not there to be asked yet; `failed`: the overlay could not be started,
   * which is tried again; `alone`: it runs, and nobody was met yet; `connected`: there are others.
   */
  readonly state: 'off' | 'starting' | 'failed' | 'alone' | 'connected'
  /** Nodes it is connected to in that overlay. */
  readonly peers: number
  /** The setting that is why it is off; else empty. */
  readonly setting: string
  /** Why the last start failed, for people; else empty. */
  readonly problem: string
}

/** Nothing runs yet. */
export const notStanding: NetworkStanding = { state: 'starting', peers: 0, setting: '', problem: '' }

/** There is no network: overlay and DHT are off. */
export const noChannelNetwork: ChannelNetwork = {
  find: () => Promise.resolve(false),
  search: () => Promise.resolve(),
  hurry: () => undefined,
}
