// The routing table of one family (BEP 5, 32): buckets by leading bits shared with our own id; the last one holds all
// that is nearer and splits when it is full. Only nodes that replied get in; one node an IP address. Pure: time is
// passed in.

import { sameBytes } from '../base/same-bytes.ts'
import { addressKey, type PeerAddress } from '../base/ids.ts'
import { compareDistance, ID_BITS, idFitsAddress, sharedBits } from '../wire/dht/dht-id.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import { addressGroup, isExemptIp } from './address-group.ts'
import { Bucket, type BucketChange, type TableNode } from './bucket.ts'

/**
 * Places in the buckets farthest from us; all others have 8 (BEP 5). Wide first buckets save hops, as in libtorrent.
 */
const WIDE_BUCKETS = [64, 32, 16]
const BUCKET_NODES = 8
/** A node or bucket that was not heard of for this long is questionable (BEP 5). */
export const QUESTIONABLE_MS = 15 * 60_000
/** A questionable node is not asked again before this has passed. */
const ASK_AGAIN_MS = 60_000
/** Weight of a new round-trip time in a node's average. */
const RTT_WEIGHT = 0.25

/** One bucket, counted. `good`: heard of within 15 minutes and not silent (BEP 5). */
export interface BucketCounts {
  readonly nodes: number
  readonly good: number
  readonly replacements: number
}

/** True when the node is good in the sense of BEP 5. */
export function isGood(node: TableNode, nowMs: number): boolean {
  return node.failures === 0 && nowMs - Math.max(node.lastReplyMs, node.lastQueryMs) < QUESTIONABLE_MS
}

/** Nodes by distance from one id. */
export class RoutingTable {
  #ownId: Uint8Array
  #buckets: Bucket[]
  readonly #byKey = new Map<string, TableNode>()
  /** Nodes at addresses that are not local. */
  readonly #byIp = new Map<string, TableNode>()

  constructor(ownId: Uint8Array, nowMs: number) {
    this.#ownId = ownId
    this.#buckets = [this.#makeBucket(0, nowMs)]
  }

  get ownId(): Uint8Array {
    return this.#ownId
  }

  get size(): number {
    return this.#byKey.size
  }

  /** All live nodes, the farthest bucket first. */
  nodes(): TableNode[] {
    return this.#buckets.flatMap(bucket => [...bucket.nodes])
  }

  counts(nowMs: number): BucketCounts[] {
    return this.#buckets.map(bucket => ({
      nodes: bucket.nodes.length,
      good: bucket.nodes.filter(node => isGood(node, nowMs)).length,
      replacements: bucket.replacements.length,
    }))
  }

  /** A node answered us. It becomes live, a replacement, or nothing. */
  replied(contact: NodeContact, rttMs: number, nowMs: number): void {
    const known = this.#byKey.get(addressKey(contact.address))
    if (known !== undefined && sameBytes(known.id, contact.id)) {
      known.rttMs += (rttMs - known.rttMs) * RTT_WEIGHT
      known.lastReplyMs = nowMs
      known.failures = 0
      this.#bucketOf(known.id).lastChangedMs = nowMs
      return
    }
    // The node at this address has taken another id.
    if (known !== undefined) this.#remove(known)
    if (sameBytes(contact.id, this.#ownId) || !this.#displaceTwins(contact)) return
    this.#insert(makeNode(contact, rttMs, nowMs), nowMs)
  }

  /** A query came from there; true when the node is live here. */
  queried(contact: NodeContact, nowMs: number): boolean {
    const known = this.#byKey.get(addressKey(contact.address))
    if (known === undefined || !sameBytes(known.id, contact.id)) return false
    known.lastQueryMs = nowMs
    return true
  }

  /** True when it is worth asking this node whether it lives. */
  wants(contact: NodeContact): boolean {
    if (this.#byKey.has(addressKey(contact.address)) || sameBytes(contact.id, this.#ownId)) return false
    const twin = this.#byIp.get(contact.address.ip)
    if (twin !== undefined && twin.failures === 0) return false
    const bucket = this.#bucketOf(contact.id)
    return bucket === this.#buckets.at(-1) || bucket.hasUseFor(idFitsAddress(contact.id, contact.address.ip))
  }

  /** A query to this address was sent. */
  asked(address: PeerAddress, nowMs: number): void {
    const known = this.#byKey.get(addressKey(address))
    if (known !== undefined) known.lastAskedMs = nowMs
  }

  /** A query to this address was not answered. */
  failed(address: PeerAddress): void {
    const known = this.#byKey.get(addressKey(address))
    if (known !== undefined) this.#apply(this.#bucketOf(known.id).failed(known))
  }

  /** Up to `count` live nodes nearest to `target`, nearest first; none with more silences than `maxFailures`. */
  closest(target: Uint8Array, count: number, maxFailures = 0): TableNode[] {
    const found: TableNode[] = []
    for (const group of this.#groupsByDistance(target)) {
      const usable = group.filter(node => node.failures <= maxFailures)
      usable.sort((a, b) => compareDistance(target, a.id, b.id))
      found.push(...usable.slice(0, count - found.length))
      if (found.length >= count) break
    }
    return found
  }

  /**
   * The questionable or silent node that was not asked for longest, so that dead ones do not take every turn; or null.
   */
  questionable(nowMs: number): TableNode | null {
    let oldest: TableNode | null = null
    for (const node of this.#byKey.values()) {
      if (isGood(node, nowMs) || nowMs - node.lastAskedMs < ASK_AGAIN_MS) continue
      if (oldest === null || node.lastAskedMs < oldest.lastAskedMs) oldest = node
    }
    return oldest
  }

  /**
   * Bits shared with our id by ids of the bucket that is most in need of a refresh (it counts as fresh now), or null.
   */
  takeStaleDepth(nowMs: number): number | null {
    let stalest = 0
    for (const [depth, bucket] of this.#buckets.entries())
      if (bucket.lastChangedMs < (this.#buckets[stalest]?.lastChangedMs ?? 0)) stalest = depth
    const bucket = this.#buckets[stalest]
    if (bucket === undefined || nowMs - bucket.lastChangedMs < QUESTIONABLE_MS) return null
    bucket.lastChangedMs = nowMs
    return stalest
  }

  /** The same nodes, seen from another id. */
  rebase(ownId: Uint8Array, nowMs: number): void {
    const nodes = this.nodes()
    this.#ownId = ownId
    this.#buckets = [this.#makeBucket(0, nowMs)]
    this.#byKey.clear()
    this.#byIp.clear()
    for (const node of nodes) if (!sameBytes(node.id, ownId)) this.#insert(node, nowMs)
  }

  /** False when a node that answers has the same IP address or id already; silent ones make room. */
  #displaceTwins(contact: NodeContact): boolean {
    const sameId = this.#bucketOf(contact.id).nodes.find(node => sameBytes(node.id, contact.id))
    for (const twin of [this.#byIp.get(contact.address.ip), sameId]) {
      if (twin === undefined) continue
      if (twin.failures === 0) return false
      this.#remove(twin)
    }
    return true
  }

  #insert(node: TableNode, nowMs: number): void {
    while (this.#bucketOf(node.id) === this.#buckets.at(-1) && this.#buckets.at(-1)?.full === true) {
      if (this.#buckets.length >= ID_BITS) break
      this.#split(nowMs)
    }
    const bucket = this.#bucketOf(node.id)
    const change = bucket.offer(node)
    if (change.added !== null) bucket.lastChangedMs = nowMs
    this.#apply(change)
  }

  /** The last bucket becomes two; what finds no place in the smaller ones waits there as replacement. */
  #split(nowMs: number): void {
    const last = this.#buckets.pop()
    if (last === undefined) return
    const depth = this.#buckets.length
    const halves = [this.#makeBucket(depth, last.lastChangedMs), this.#makeBucket(depth + 1, nowMs)]
    this.#buckets.push(...halves)
    for (const node of [...last.nodes, ...last.replacements]) this.#bucketOf(node.id).offer(node)
    this.#reindex()
  }

  #reindex(): void {
    this.#byKey.clear()
    this.#byIp.clear()
    for (const bucket of this.#buckets) for (const node of bucket.nodes) this.#index(node)
  }

  #makeBucket(depth: number, nowMs: number): Bucket {
    return new Bucket(WIDE_BUCKETS[depth] ?? BUCKET_NODES, nowMs)
  }

  #bucketOf(id: Uint8Array): Bucket {
    const bucket = this.#buckets[Math.min(sharedBits(this.#ownId, id), this.#buckets.length - 1)]
    if (bucket === undefined) throw new Error('a routing table without buckets')
    return bucket
  }

  /** Live nodes in groups of growing distance: those of the target's bucket, all nearer to us, then outwards. */
  *#groupsByDistance(target: Uint8Array): Generator<TableNode[]> {
    const at = Math.min(sharedBits(this.#ownId, target), this.#buckets.length - 1)
    yield [...(this.#buckets[at]?.nodes ?? [])]
    yield this.#buckets.slice(at + 1).flatMap(bucket => [...bucket.nodes])
    for (let depth = at - 1; depth >= 0; depth--) yield [...(this.#buckets[depth]?.nodes ?? [])]
  }

  #remove(node: TableNode): void {
    this.#apply(this.#bucketOf(node.id).remove(node))
  }

  #apply(change: BucketChange): void {
    if (change.removed !== null) {
      this.#byKey.delete(change.removed.key)
      if (this.#byIp.get(change.removed.address.ip) === change.removed) this.#byIp.delete(change.removed.address.ip)
    }
    if (change.added !== null) this.#index(change.added)
  }

  #index(node: TableNode): void {
    this.#byKey.set(node.key, node)
    if (!isExemptIp(node.address.ip)) this.#byIp.set(node.address.ip, node)
  }
}

function makeNode(contact: NodeContact, rttMs: number, nowMs: number): TableNode {
  return {
    id: contact.id,
    address: contact.address,
    key: addressKey(contact.address),
    group: addressGroup(contact.address),
    fits: idFitsAddress(contact.id, contact.address.ip),
    rttMs,
    lastReplyMs: nowMs,
    lastQueryMs: -Infinity,
    lastAskedMs: nowMs,
    failures: 0,
  }
}
