// The nodes of the overlay DHT that we know, by how much of our own id they share: buckets of eight, so that we know
// most of those near us. A full bucket gives a place to a newcomer for a node that does not answer, or answers half as
// fast.

import type { PeerAddress } from '../../../base/ids.ts'
import { compareDistance, sharedBits } from '../../../wire/dht/dht-id.ts'
import { DhtContact, type DhtNodeRef } from './dht-contact.ts'
import { DHT_BUCKET } from './limits.ts'

/** Failures after which it is forgotten. */
const DHT_FORGOTTEN_FAILURES = 5

/** A node that answers in this part of another's time may take its place. */
const FASTER = 0.5

/** The table. */
export class DhtTable {
  #own: Uint8Array
  readonly #buckets = new Map<number, DhtContact[]>()
  readonly #byMember = new Map<string, DhtContact>()

  /** `own`: our node id. */
  constructor(own: Uint8Array) {
    this.#own = own
  }

  get size(): number {
    return this.#byMember.size
  }

  get own(): Uint8Array {
    return this.#own
  }

  get(member: string): DhtContact | null {
    return this.#byMember.get(member) ?? null
  }

  all(): DhtContact[] {
    return [...this.#byMember.values()]
  }

  /** Knows a node at this address? */
  hasAddress({ ip, port }: PeerAddress): boolean {
    for (const { address } of this.#byMember.values()) if (address.port === port && address.ip === ip) return true
    return false
  }

  /** The node, put into the table if there is room; the one that is there already when it has not moved. */
  add(node: DhtNodeRef, member: string): DhtContact | null {
    const known = this.#byMember.get(member)
    if (known !== undefined && known.address.ip === node.address.ip && known.address.port === node.address.port)
      return known
    const contact = new DhtContact(node)
    if (known !== undefined) this.#remove(known)
    return this.#place(contact) ? contact : null
  }

  /** A newcomer that answered may take the place of a slow one. */
  offer(contact: DhtContact): boolean {
    return this.#byMember.has(contact.member) || this.#place(contact)
  }

  /** It did not answer. */
  failed(contact: DhtContact): void {
    contact.failures++
    if (contact.failures >= DHT_FORGOTTEN_FAILURES) this.#remove(contact)
  }

  /** The nodes nearest to `target` that answer, as far as we know; `but`: mid in hex of one that is left out. */
  nearest(target: Uint8Array, count: number, but: string | null = null): DhtContact[] {
    return this.all()
      .filter(contact => !contact.bad && contact.member !== but)
      .sort((a, b) => compareDistance(target, a.id, b.id))
      .slice(0, count)
  }

  /** How many nodes that we know are nearer to `target` than we are. */
  nearerThanOwn(target: Uint8Array): number {
    return this.all().filter(contact => !contact.bad && compareDistance(target, contact.id, this.#own) < 0).length
  }

  /** Our address and with it our id changed: all nodes get new places. */
  move(own: Uint8Array): void {
    const contacts = this.all()
    this.#own = own
    this.#buckets.clear()
    this.#byMember.clear()
    for (const contact of contacts) this.#place(contact)
  }

  #place(contact: DhtContact): boolean {
    const shared = sharedBits(this.#own, contact.id)
    const bucket = this.#buckets.get(shared) ?? []
    this.#buckets.set(shared, bucket)
    if (bucket.length >= DHT_BUCKET) {
      const worse = bucket.find(other => other.bad) ?? bucket.find(other => isSlower(other, contact))
      if (worse === undefined) return false
      this.#remove(worse)
    }
    bucket.push(contact)
    this.#byMember.set(contact.member, contact)
    return true
  }

  #remove(contact: DhtContact): void {
    if (this.#byMember.get(contact.member) !== contact) return
    this.#byMember.delete(contact.member)
    const bucket = this.#buckets.get(sharedBits(this.#own, contact.id))
    const at = bucket?.indexOf(contact) ?? -1
    if (at >= 0) bucket?.splice(at, 1)
  }
}

function isSlower(other: DhtContact, contact: DhtContact): boolean {
  return contact.rttMs !== null && other.rttMs !== null && contact.rttMs <= other.rttMs * FASTER
}
