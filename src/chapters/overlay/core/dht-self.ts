// This node as others find it: stored under its own mid at the nodes nearest to that, which it pings so that its NAT
// lets them in; and the same from the other side, finding a peer by its mid.

import { sameBytes } from '../../../base/same-bytes.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import { isCircuitKey, midOf } from '../wire/public-key.ts'
import type { DhtContact, DhtNodeRef } from './dht-contact.ts'
import type { DhtAnswerer, DhtLookupOptions } from './dht-lookup.ts'
import { dhtMethods, type DhtRpc } from './dht-rpc.ts'
import type { Identity } from './identity.ts'
import { DHT_BUCKET, DHT_PING_EVERY_MS, DHT_STORED_PEER_MS } from './limits.ts'
import type { OwnAddresses } from './own-addresses.ts'
import { mayTell } from './reachable.ts'

/** Between two attempts at being stored (section 6). */
const DHT_STORE_SELF_MS = 30_000
/** Enough nodes that store us (section 6). */
const DHT_STORED_AT = 4

/** What it works with. */
export interface DhtSelfDeps {
  readonly rpc: DhtRpc
  readonly clock: Clock
  readonly own: OwnAddresses
  readonly identity: Identity
  lookUp(options: DhtLookupOptions): Promise<DhtAnswerer[]>
}

interface Storer {
  readonly contact: DhtContact
  answeredMs: number
  pingedMs: number
}

/**
 * This node as others find it: stored under its own mid at the nodes nearest to that, which it pings so that its NAT
 * lets them in; and the same from the other side, finding a peer by its mid.
 */
export class DhtSelf {
  readonly #deps: DhtSelfDeps
  readonly #storers = new Map<string, Storer>()
  #triedMs: number | null = null

  constructor(deps: DhtSelfDeps) {
    this.#deps = deps
  }

  /** Nodes that store us. */
  get storedAt(): number {
    return this.#storers.size
  }

  /** Pings who stores us, and has us stored where they are too few; called every few seconds. */
  care(): void {
    const nowMs = this.#deps.clock.now()
    for (const [member, storer] of this.#storers) {
      if (nowMs - storer.answeredMs >= DHT_STORED_PEER_MS) this.#storers.delete(member)
      else if (nowMs - storer.pingedMs >= DHT_PING_EVERY_MS) void this.#ping(storer, nowMs)
    }
    if (this.#storers.size >= DHT_STORED_AT) return
    if (this.#triedMs !== null && nowMs - this.#triedMs < DHT_STORE_SELF_MS) return
    this.#triedMs = nowMs
    void this.#storeSelf()
  }

  /** Asks the nodes that should know a peer, and the peer itself; null: it is not to be had. */
  async connect(mid: Uint8Array): Promise<DhtNodeRef | null> {
    const { rpc, lookUp, own } = this.#deps
    const answerers = await lookUp({ target: mid, forceNodes: true })
    const tellers = answerers.slice(0, DHT_BUCKET).map(answerer => answerer.contact)
    const told = await Promise.all(
      tellers.map(async teller => {
        const values = { lan: own.lanFor(teller.address), target: mid }
        const answer = await rpc.ask(dhtMethods.connectPeer, teller, values)
        return (answer?.nodes ?? []).filter(node => isWanted(node, mid, teller.address))
      }),
    )
    const nodes = new Map(told.flat().map(node => [`${node.address.ip}:${node.address.port}`, node]))
    for (const node of [...nodes.values()].slice(0, DHT_STORED_AT))
      if ((await rpc.ask(dhtMethods.ping, node, {})) !== null) return node
    return null
  }

  async #storeSelf(): Promise<void> {
    const { identity, lookUp } = this.#deps
    const answerers = await lookUp({ target: identity.mid, forceNodes: true })
    await Promise.all(answerers.slice(0, DHT_BUCKET).map(answerer => this.#storeAt(answerer)))
  }

  async #storeAt({ contact, token }: DhtAnswerer): Promise<void> {
    const { rpc, identity, clock } = this.#deps
    const answer = await rpc.ask(dhtMethods.storePeer, contact, { token, target: identity.mid })
    if (answer === null || this.#storers.size >= 2 * DHT_BUCKET) return
    const nowMs = clock.now()
    this.#storers.set(contact.member, { contact, answeredMs: nowMs, pingedMs: nowMs })
  }

  async #ping(storer: Storer, nowMs: number): Promise<void> {
    storer.pingedMs = nowMs
    const answer = await this.#deps.rpc.ask(dhtMethods.ping, storer.contact, {})
    if (answer !== null) storer.answeredMs = this.#deps.clock.now()
  }
}

function isWanted(node: DhtNodeRef, mid: Uint8Array, teller: PeerAddress): boolean {
  return isCircuitKey(node.publicKey) && sameBytes(midOf(node.publicKey), mid) && mayTell(teller, node.address)
}
