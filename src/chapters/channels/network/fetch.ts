// Fetches records by their ids from several holders at once. What does not have the hash that was asked for is not
// looked at further: its giver is not asked again for some time, and another peer is. The catalogue checks signatures
// and keeps what is right.

import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { ChannelCatalogue, RecordRole } from '../ports/channel-catalogue.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { recordIdOf } from '../wire/ids.ts'
import type { ChannelId, RecordId } from '../wire/types.ts'
import { MAX_ASKED_IDS } from '../wire/channel-messages.ts'
import type { Answer, ChannelRequestClient } from './request-client.ts'
import { choosePeer } from './choice.ts'
import type { Holders } from './holders.ts'
import { questionForRecords } from './questions.ts'
import { chunksOf, inParallel } from '../../../base/bounded-parallel.ts'

/** Questions of a fetch that are out at a time. */
const FETCH_PARALLEL = 16
/** A peer that is busy is asked again after this, so many times. */
const BUSY_MS = 300
/** A busy peer is asked again so many times. */
const BUSY_TIMES = 10

/** What it works with. */
export interface FetchDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
  readonly catalogue: ChannelCatalogue
  readonly requests: ChannelRequestClient
  readonly holders: Holders
}

/** Who is asked for what. */
export interface FetchOptions {
  readonly channel: ChannelId
  readonly role: RecordRole
  /** Those that may have the records, asked for each time. */
  givers(): readonly Peer[]
}

/** Brings records into the catalogue; answers how many of `ids` no peer gave. Rejects with errors of the catalogue. */
export async function fetchRecords(ids: readonly RecordId[], options: FetchOptions, deps: FetchDeps): Promise<number> {
  let missing = 0
  await inParallel(chunksOf(ids, MAX_ASKED_IDS), FETCH_PARALLEL, async some => {
    missing += await fetchSome(some, options, deps)
  })
  return missing
}

async function fetchSome(ids: readonly RecordId[], options: FetchOptions, deps: FetchDeps): Promise<number> {
  const { requests, overlay, catalogue, holders } = deps
  const { channel, role } = options
  const tried = new Set<Peer>()
  let left = ids
  let busy = 0
  while (left.length > 0) {
    const peer = choosePeer(options.givers(), tried, deps)
    if (peer === null) return left.length
    const answer = await requests.ask(peer, questionForRecords(overlay, channel, left))
    const { right, wrong } = sorted(answer, left)
    if (wrong > 0) holders.blame(peer)
    if (answer.came === 'busy' && ++busy <= BUSY_TIMES) await pause(deps.clock)
    else if (right.size === 0 || wrong > 0) tried.add(peer)
    if (right.size > 0) await catalogue.offerRecords(channel, [...right.values()], role, peer.member)
    left = left.filter(id => !right.has(id))
  }
  return 0
}

/** Those with the hash that was asked for, and how many had another. */
function sorted(
  answer: Answer,
  ids: readonly RecordId[],
): { readonly right: Map<RecordId, Uint8Array>; wrong: number } {
  const right = new Map<RecordId, Uint8Array>()
  let wrong = 0
  for (const [at, bytes] of answer.items) {
    const id = recordIdOf(bytes)
    if (ids[at] === id) right.set(id, bytes)
    else wrong++
  }
  return { right, wrong }
}

function pause(clock: Clock): Promise<void> {
  return new Promise(resolve => clock.after(BUSY_MS, resolve))
}
