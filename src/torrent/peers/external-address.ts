// Our own address as others see it (BEP 24, `yourip` of BEP 10, BEP 42): trackers, peers and DHT nodes vote, because
// any one of them may be wrong or lie. One instance a node. Knows no sockets; a router that names our address votes
// too. Invariant: a network of voters has one vote, at most MAX_VOTERS votes are kept, and none older than VOTE_MS
// counts.

import type { Clock } from '../../ports/clock.ts'
import { formatIp, isPeerIp, parseIp } from '../../wire/net/compact-address.ts'
import { isLocalIp } from '../../wire/net/local-address.ts'

/** Votes kept; the oldest makes room. libtorrent decides by 50. */
const MAX_VOTERS = 100
/** A vote counts for this long: addresses change when a line comes back. */
const VOTE_MS = 60 * 60 * 1000
/** Votes for one address, and more than half of all, settle it: one voter alone never does. */
const SETTLING_VOTES = 2
/**
 * Bytes of a voter's address that name its network: no voter votes twice by changing address within its own network.
 */
const NETWORK_BYTES = { 4: 3, 6: 6 } as const

/** Longest name of a tracker, as of any host. */
const MAX_HOST_CHARS = 255

/** Who votes. */
export type VoterKind = 'tracker' | 'peer' | 'dht' | 'router'

interface Vote {
  readonly ip: string
  readonly atMs: number
}

interface Family {
  /** By the voter's network, oldest first. */
  readonly votes: Map<string, Vote>
  ip: string | null
  settled: boolean
}

/** The vote on our own addresses, one of each family. */
export class ExternalAddress {
  readonly #clock: Pick<Clock, 'now'>
  readonly #changed: (family: 4 | 6, ip: string, settled: boolean) => void
  readonly #families: Record<4 | 6, Family> = { 4: newFamily(), 6: newFamily() }

  /** `changed` is called when get() has a new answer, or the old one became certain. */
  constructor(
    clock: Pick<Clock, 'now'>,
    changed: (family: 4 | 6, ip: string, settled: boolean) => void = () => undefined,
  ) {
    this.#clock = clock
    this.#changed = changed
  }

  /** The present address; before it is settled the one with most votes. Null: there is no valid vote yet. */
  get(family: 4 | 6): string | null {
    return this.#families[family].ip
  }

  /** True when several networks agree on get(family). */
  isSettled(family: 4 | 6): boolean {
    return this.#families[family].settled
  }

  /**
   * Someone says that it sees us at `ip`. `voter` is its address; of a tracker also its host name. An address counts
   * only if strangers could see us at it and the voter is of its family. A router may be local, other voters may not.
   */
  vote(ip: string, voter: string, kind: VoterKind): void {
    const bytes = parseIp(ip)
    if (bytes === null || !isPeerIp(bytes) || isLocalIp(ip)) return
    const canonical = formatIp(bytes)
    const family = familyOf(canonical)
    const network = networkOf(voter, kind, family)
    if (network === null) return
    const { votes } = this.#families[family]
    // Deleted first: the map stays in the order of time.
    votes.delete(network)
    votes.set(network, { ip: canonical, atMs: this.#clock.now() })
    this.#forgetOld(votes)
    this.#decide(family)
  }

  #forgetOld(votes: Map<string, Vote>): void {
    const sinceMs = this.#clock.now() - VOTE_MS
    for (const [network, { atMs }] of votes) {
      if (votes.size <= MAX_VOTERS && atMs >= sinceMs) return
      votes.delete(network)
    }
  }

  #decide(family: 4 | 6): void {
    const state = this.#families[family]
    const winner = winnerOf(state.votes)
    if (winner === null) return
    const settles = winner.count >= SETTLING_VOTES && winner.count * 2 > state.votes.size
    // A settled address gives way only to another majority.
    if (!settles && (state.settled || winner.ip === state.ip)) return
    if (winner.ip === state.ip && settles === state.settled) return
    state.ip = winner.ip
    state.settled = settles
    this.#changed(family, winner.ip, settles)
  }
}

function newFamily(): Family {
  return { votes: new Map(), ip: null, settled: false }
}

/** The address with most votes; of equals the one that was named first. */
function winnerOf(votes: ReadonlyMap<string, Vote>): { readonly ip: string; readonly count: number } | null {
  const counts = new Map<string, number>()
  for (const { ip } of votes.values()) counts.set(ip, (counts.get(ip) ?? 0) + 1)
  let winner: { ip: string; count: number } | null = null
  for (const [ip, count] of counts) if (winner === null || count > winner.count) winner = { ip, count }
  return winner
}

function familyOf(ip: string): 4 | 6 {
  return ip.includes(':') ? 6 : 4
}

/** What has one vote: the network of an address of this family, or the name of a tracker; null = no vote. */
function networkOf(voter: string, kind: VoterKind, family: 4 | 6): string | null {
  const parsed = parseIp(voter)
  if (parsed === null) return kind === 'tracker' && voter.length <= MAX_HOST_CHARS ? `tracker ${voter}` : null
  const text = formatIp(parsed)
  if (familyOf(text) !== family || (kind !== 'router' && isLocalIp(text))) return null
  const bytes = parseIp(text) ?? parsed
  return Buffer.from(bytes.subarray(0, NETWORK_BYTES[family])).toString('hex')
}
