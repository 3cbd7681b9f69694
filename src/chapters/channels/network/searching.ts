// Searches of ours at peers: each is asked once, and what comes is handed on at once. The heads of channels that are
// found go to the catalogue, which knows then whose records these are.

import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { ChannelRequestClient } from './request-client.ts'
import type { Holders } from './holders.ts'
import { questionOfSearch, readTagged } from './questions.ts'

/** Peers that are asked in a search. */
const SEARCHED_PEERS = 20
/** Heads of one answer to a search that are taken in. */
const MAX_FOUND_HEADS = 20

/** What it works with. */
export interface SearchingDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
  readonly catalogue: ChannelCatalogue
  readonly requests: ChannelRequestClient
  readonly holders: Holders
}

/**
 * Asks a bounded number of peers. Settles when all have answered or `limitMs` is over; `found` is not called after
 * that. Never rejects.
 */
export async function searchPeers(
  text: string,
  limitMs: number,
  found: (records: readonly Uint8Array[]) => void,
  deps: SearchingDeps,
): Promise<void> {
  let over = false
  const asked = somePeers(SEARCHED_PEERS, deps).map(async peer => {
    const records = await searchAt(peer, text, deps)
    if (!over && records.length > 0) found(records)
  })
  await withinMs(deps.clock, limitMs, Promise.allSettled(asked))
  over = true
}

async function searchAt(peer: Peer, text: string, deps: SearchingDeps): Promise<readonly Uint8Array[]> {
  const { requests, overlay, catalogue } = deps
  const answer = await requests.ask(peer, questionOfSearch(overlay, text))
  const { heads, records, bad } = readTagged(answer.items.values())
  if (bad) overlay.countDropped()
  for (const head of heads.slice(0, MAX_FOUND_HEADS)) await catalogue.offerHead(head, peer.member)
  return records
}

/** Peers by chance, none that was blamed. */
export function somePeers(most: number, deps: Pick<SearchingDeps, 'overlay' | 'random' | 'holders'>): Peer[] {
  const left = deps.overlay.peers().filter(peer => !deps.holders.isBlamed(peer))
  const some: Peer[] = []
  while (some.length < most && left.length > 0) some.push(...left.splice(deps.random.below(left.length), 1))
  return some
}

/** Settles when `work` has, or after `limitMs`. */
export async function withinMs(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  await new Promise<void>(resolve => {
    const timer = clock.after(limitMs, resolve)
    void work.finally(() => {
      timer.cancel()
      resolve()
    })
  })
}
