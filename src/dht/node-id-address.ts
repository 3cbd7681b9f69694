// The address our node id belongs to (BEP 42), as others see it: each reply is a vote, each /24 or /64 has one, and
// only an address that most of the recent voters name is believed. Changes seldom, because each change costs us our
// place in the network.

import type { PeerAddress } from '../base/ids.ts'
import { addressGroup, isExemptIp } from './address-group.ts'

/** Voters that must agree, and the latest voters that count. */
const MIN_VOTES = 6
const MAX_VOTERS = 30
/** Time between two changes, milliseconds. */
const CHANGE_MS = 10 * 60_000

/** Finds out the outside address of one family's node. */
export class NodeIdAddress {
  /** Voter's group -> IP address it saw; the latest last. */
  readonly #votes = new Map<string, string>()
  #ip: string | null = null
  #changedMs = -Infinity

  /** The address most believe in, or null. */
  get ip(): string | null {
    return this.#ip
  }

  /** `voter` sees us at `seenAs`. True when that changed what is believed. Local addresses say nothing. */
  vote(voter: PeerAddress, seenAs: PeerAddress, nowMs: number): boolean {
    if (isExemptIp(seenAs.ip) || seenAs.ip.includes(':') !== voter.ip.includes(':')) return false
    const group = addressGroup(voter)
    this.#votes.delete(group)
    this.#votes.set(group, seenAs.ip)
    for (const oldest of this.#votes.keys()) {
      if (this.#votes.size <= MAX_VOTERS) break
      this.#votes.delete(oldest)
    }
    const winner = this.#winner()
    if (winner === null || winner === this.#ip || nowMs - this.#changedMs < CHANGE_MS) return false
    this.#ip = winner
    this.#changedMs = nowMs
    return true
  }

  #winner(): string | null {
    const counts = new Map<string, number>()
    for (const ip of this.#votes.values()) counts.set(ip, (counts.get(ip) ?? 0) + 1)
    for (const [ip, count] of counts) if (count >= MIN_VOTES && count * 2 > this.#votes.size) return ip
    return null
  }
}
