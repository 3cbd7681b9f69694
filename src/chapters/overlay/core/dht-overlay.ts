// The DHT of the overlay (protocol section 6): values under keys of 20 bytes, and peers under the SHA-1 of their public
// keys. Its nodes come from introductions and from questions; it keeps its table fresh and itself stored, so that
// others find this node.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { NO_ADDRESS } from '../wire/address.ts'
import { overlayNodeId } from '../wire/dht-node-id.ts'
import { decodeValue, encodeSignedValue, encodeUnsignedValue, MOST_VALUE_BYTES } from '../wire/dht-value.ts'
import { DhtAnswers } from './dht-answers.ts'
import { DhtContact, type DhtNodeRef } from './dht-contact.ts'
import { DhtFound } from './dht-found.ts'
import { type DhtAnswerer, DhtLookup, type DhtLookupOptions } from './dht-lookup.ts'
import { dhtMethods, DhtRpc } from './dht-rpc.ts'
import { DhtSelf } from './dht-self.ts'
import { DhtStoredPeers } from './dht-stored-peers.ts'
import { DhtTable } from './dht-table.ts'
import { DhtTokens } from './dht-tokens.ts'
import { DhtValues } from './dht-values.ts'
import type { Identity, SignatureCheck } from './identity.ts'
import type { FoundValue, OverlayDht } from './introduced.ts'
import type { Introductions } from './introductions.ts'
import { DHT_BUCKET, DHT_PING_EVERY_MS, SILENT_MS } from './limits.ts'
import type { Overlay } from './overlay.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { PeerBook } from './peer-book.ts'
import { Semaphore } from '../../../base/semaphore.ts'

/** Look-ups at a time; those above wait. */
const MAX_DHT_LOOKUPS = 8
/** Look-ups that wait; those above find nothing. */
const MAX_DHT_LOOKUPS_WAITING = 256
/** Between two looks at the ages of everything. */
const DHT_CARE_MS = 5_000
/** Between two look-ups that keep the table fresh. */
const DHT_REFRESH_MS = 600_000

/** What it works with. */
export interface DhtOverlayDeps {
  readonly overlay: Overlay
  readonly introductions: Introductions
  readonly book: PeerBook
  readonly own: OwnAddresses
  readonly clock: Clock
  readonly random: Random
  readonly identity: Identity
  readonly check: SignatureCheck
}

/** What it holds, for figures and tests. */
export interface DhtOverlayStats {
  readonly nodes: number
  readonly targets: number
  readonly storedPeers: number
  /** Nodes that store us. */
  readonly storedAt: number
}

/**
 * The DHT of the overlay (protocol section 6): values under keys of 20 bytes, and peers under the SHA-1 of their public
 * keys.
 */
export class DhtOverlay implements OverlayDht {
  readonly #deps: DhtOverlayDeps
  readonly #table: DhtTable
  readonly #rpc: DhtRpc
  readonly #values: DhtValues
  readonly #stored: DhtStoredPeers
  readonly #self: DhtSelf
  readonly #lookups = new Semaphore(MAX_DHT_LOOKUPS, MAX_DHT_LOOKUPS_WAITING)
  #timers: Timer[] = []
  #refreshedMs: number

  constructor(deps: DhtOverlayDeps) {
    this.#deps = deps
    const { overlay, introductions, clock, random } = deps
    this.#table = new DhtTable(this.#ownId())
    this.#values = new DhtValues(clock)
    this.#stored = new DhtStoredPeers(clock)
    this.#refreshedMs = clock.now()
    this.#rpc = new DhtRpc({
      overlay,
      clock,
      answered: (node, rttMs) => this.#answered(node, rttMs),
      silent: node => this.#silent(node),
    })
    const [table, values, stored, rpc] = [this.#table, this.#values, this.#stored, this.#rpc]
    const tokens = new DhtTokens(random, clock.now())
    const queried = (node: DhtNodeRef, member: string): void => this.#queried(node, member)
    new DhtAnswers({ ...deps, punctures: introductions.punctures, table, tokens, values, stored, queried }).listen()
    this.#self = new DhtSelf({ ...deps, rpc, lookUp: options => this.#lookUp(options) })
    overlay.onPeer(peer => this.#met(peer, peer.member))
    introductions.punctures.alsoFor(address => this.#knowsAddress(address))
  }

  get stats(): DhtOverlayStats {
    const { size: nodes } = this.#table
    return { nodes, targets: this.#values.size, storedPeers: this.#stored.size, storedAt: this.#self.storedAt }
  }

  /** Cares for the table from here on. */
  start(): void {
    this.#timers = [this.#deps.clock.every(DHT_CARE_MS, () => this.#care())]
  }

  /** Ends; look-ups end with what they have. */
  stop(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel()
    this.#lookups.close()
    this.#rpc.close()
  }

  async find(key: Uint8Array): Promise<readonly FoundValue[]> {
    const found = new DhtFound(this.#deps.check)
    for (const bytes of this.#values.get(key, 0, DHT_BUCKET)) found.add(bytes)
    const answerers = await this.#lookUp({ target: key, forceNodes: false, onValues: values => found.addAll(values) })
    this.#keepNear(key, answerers, found.stored().slice(0, DHT_BUCKET))
    return found.values()
  }

  async store(key: Uint8Array, data: Uint8Array, options: { readonly signed?: boolean } = {}): Promise<number> {
    const { identity, clock } = this.#deps
    const version = Math.floor(clock.wallMs() / 1000)
    const value = options.signed === true ? encodeSignedValue(data, version, identity) : encodeUnsignedValue(data)
    if (value.length > MOST_VALUE_BYTES) return 0
    const answerers = await this.#lookUp({ target: key, forceNodes: true })
    const stored = await Promise.all(
      answerers.slice(0, DHT_BUCKET).map(answerer => this.#storeAt(answerer, key, [value])),
    )
    const count = stored.filter(Boolean).length
    // No node took it: nodes that come to us later find it here.
    if (count === 0) this.#values.put(key, decodeValue(value), value, DHT_REFRESH_MS, this.#table.own)
    return count
  }

  async connect(mid: Uint8Array): Promise<DhtNodeRef | null> {
    const member = Buffer.from(mid).toString('hex')
    const known = this.#stored.get(member) ?? this.#table.get(member) ?? this.#deps.book.named(member)
    if (known !== null && (await this.#isThere(known))) return { publicKey: known.publicKey, address: known.address }
    return this.#self.connect(mid)
  }

  /** Runs a look-up when there is a turn for it; no answers when too many wait. */
  async #lookUp(options: DhtLookupOptions): Promise<DhtAnswerer[]> {
    const { own, identity, book, clock } = this.#deps
    if (!(await this.#lookups.acquire())) return []
    const start = this.#table.nearest(options.target, DHT_BUCKET)
    const lookup = new DhtLookup(options, start, {
      rpc: this.#rpc,
      ownMember: identity.member,
      lanFor: address => own.lanFor(address),
      isKnown: node => {
        const peer = book.get(node.publicKey)
        return peer !== null && clock.now() - peer.heardMs < SILENT_MS
      },
    })
    return lookup.run().finally(() => this.#lookups.release())
  }

  /** Values that were found are stored at the nearest node that had none (section 6). */
  #keepNear(key: Uint8Array, answerers: readonly DhtAnswerer[], values: readonly Uint8Array[]): void {
    const without = answerers.find(answerer => !answerer.hadValues)
    if (without !== undefined && values.length > 0) void this.#storeAt(without, key, values)
  }

  async #storeAt({ contact, token }: DhtAnswerer, target: Uint8Array, values: readonly Uint8Array[]): Promise<boolean> {
    return (await this.#rpc.ask(dhtMethods.store, contact, { token, target, values })) !== null
  }

  async #isThere(node: DhtNodeRef): Promise<boolean> {
    return (await this.#rpc.ask(dhtMethods.ping, node, {})) !== null
  }

  #knowsAddress(address: PeerAddress): boolean {
    return this.#table.hasAddress(address) || this.#stored.hasAddress(address)
  }

  // The table.

  #met(node: DhtNodeRef, member: string): DhtContact | null {
    const isNew = this.#table.get(member) === null
    const contact = this.#table.add(node, member)
    if (isNew) this.#ping(contact ?? new DhtContact(node))
    return contact
  }

  #queried(node: DhtNodeRef, member: string): void {
    const contact = this.#met(node, member)
    if (contact !== null) contact.queriedMs = this.#deps.clock.now()
  }

  #answered(node: DhtNodeRef, rttMs: number): void {
    const fresh = new DhtContact(node)
    const known = this.#table.get(fresh.member)
    const contact = known ?? fresh
    contact.failures = 0
    contact.answeredMs = this.#deps.clock.now()
    contact.rttMs = rttMs
    if (known === null) this.#table.offer(contact)
  }

  #silent({ publicKey }: DhtNodeRef): void {
    const contact = this.#table.get(new DhtContact({ publicKey, address: NO_ADDRESS }).member)
    if (contact !== null) this.#table.failed(contact)
  }

  #ping(contact: DhtContact): void {
    contact.pingedMs = this.#deps.clock.now()
    void this.#rpc.ask(dhtMethods.ping, contact, {})
  }

  #care(): void {
    const { clock, random } = this.#deps
    const nowMs = clock.now()
    const id = this.#ownId()
    if (!Buffer.from(id).equals(this.#table.own)) this.#table.move(id)
    for (const contact of this.#table.all())
      if (nowMs - (contact.pingedMs ?? 0) >= DHT_PING_EVERY_MS) this.#ping(contact)
    this.#values.expire()
    this.#stored.expire()
    this.#self.care()
    if (nowMs - this.#refreshedMs < DHT_REFRESH_MS) return
    this.#refreshedMs = nowMs
    void this.#lookUp({ target: random.bytes(20), forceNodes: true })
  }

  /** What others make of our address and key. */
  #ownId(): Uint8Array {
    const { own, identity } = this.#deps
    const { ip } = own.wan ?? own.lanFor(NO_ADDRESS)
    return overlayNodeId(ip, identity.mid)
  }
}
