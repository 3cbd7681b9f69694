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

/** There is no network: overlay and DHT are off. */
export const noChannelNetwork: ChannelNetwork = {
  find: () => Promise.resolve(false),
  search: () => Promise.resolve(),
  hurry: () => undefined,
}
