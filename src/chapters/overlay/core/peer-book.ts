// All verified peers of this node, and in which overlays each is: one object a peer, shared by the overlays. Bounded:
// what does not fit is not taken in. Invariants: a peer is in the book while it is in an overlay; one address has one
// peer, the last that spoke.

import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { midOf } from '../wire/public-key.ts'
import type { Peer } from './peer.ts'

/** Peers of one overlay, whatever brought them. */
const MAX_PEERS_HELD = 256
/** Peers of all overlays together. */
const MAX_PEERS_TOTAL = 2_048

/** Pings of a peer that its round-trip time is taken from. */
const RTTS_KEPT = 5

/** Hears of the peers of one overlay. Must not throw. */
export interface PeerWatch {
  joined(peer: Peer): void
  gone(peer: Peer): void
}

/** A peer with what may change. */
class KnownPeer implements Peer {
  readonly publicKey: Uint8Array
  readonly mid: Uint8Array
  readonly member: string
  address: PeerAddress
  lanAddress: PeerAddress | null = null
  newStyle = false
  heardMs: number
  readonly overlays = new Set<string>()
  readonly rtts: number[] = []

  constructor(publicKey: Uint8Array, address: PeerAddress, nowMs: number) {
    this.publicKey = Uint8Array.from(publicKey)
    this.mid = midOf(publicKey)
    this.member = Buffer.from(this.mid).toString('hex')
    this.address = address
    this.heardMs = nowMs
  }

  get rttMs(): number | null {
    const sorted = [...this.rtts].sort((a, b) => a - b)
    return sorted[sorted.length >> 1] ?? null
  }

  get measured(): number {
    return this.rtts.length
  }
}

interface Members {
  readonly byKey: Map<string, KnownPeer>
  readonly watches: Set<PeerWatch>
  list: readonly Peer[] | null
}

/** The book. Overlays are named by their community ids in hex. */
export class PeerBook {
  readonly #clock: Clock
  readonly #own: string
  /** By public key in latin1, as keys of a map. */
  readonly #peers = new Map<string, KnownPeer>()
  readonly #byAddress = new Map<string, KnownPeer>()
  readonly #overlays = new Map<string, Members>()
  #all: readonly Peer[] | null = null
  /** Sockets give the same object while a sender goes on sending: no text is made for each cell. */
  #heard = new WeakMap<PeerAddress, KnownPeer>()

  /** `own`: our public key, which is never a peer. */
  constructor(own: Uint8Array, deps: { readonly clock: Clock }) {
    this.#own = keyText(own)
    this.#clock = deps.clock
  }

  /** Peers of all overlays. */
  get size(): number {
    return this.#peers.size
  }

  /** The peer with this public key in any overlay. */
  get(publicKey: Uint8Array): Peer | null {
    return this.#peers.get(keyText(publicKey)) ?? null
  }

  /** The peer whose public key has this SHA-1, in hex. */
  named(member: string): Peer | null {
    for (const peer of this.#peers.values()) if (peer.member === member) return peer
    return null
  }

  /** The peer that was last heard from this address. */
  at(address: PeerAddress): Peer | null {
    return this.#byAddress.get(addressKey(address)) ?? null
  }

  /** Peers of one overlay; the same array until they change. */
  of(overlay: string): readonly Peer[] {
    const members = this.#members(overlay)
    return (members.list ??= [...members.byKey.values()])
  }

  /** Some peers of any overlay, by chance, each once. */
  sample(count: number, random: Random): readonly Peer[] {
    this.#all ??= [...this.#peers.values()]
    const all = this.#all
    const some = new Set<Peer>()
    for (let drawn = 0; drawn < Math.min(count, all.length); drawn++) some.add(all[random.below(all.length)] as Peer)
    return [...some]
  }

  /** Whether the peer is in an overlay. */
  isIn(peer: Peer, overlay: string): boolean {
    return this.#overlays.get(overlay)?.byKey.has(keyText(peer.publicKey)) ?? false
  }

  /**
   * A signed packet came from `address`: the peer is in `overlay` from now on. Null: it is ourselves, or there is no
   * room.
   */
  join(publicKey: Uint8Array, address: PeerAddress, overlay: string): Peer | null {
    const key = keyText(publicKey)
    if (key === this.#own) return null
    const known = this.#peers.get(key)
    const members = this.#members(overlay)
    if (!members.byKey.has(key) && members.byKey.size >= MAX_PEERS_HELD) return null
    if (known === undefined && this.#peers.size >= MAX_PEERS_TOTAL) return null
    const peer = known ?? new KnownPeer(publicKey, address, this.#clock.now())
    if (known === undefined) this.#all = null
    this.#peers.set(key, peer)
    this.#settle(peer, address)
    if (members.byKey.has(key)) return peer
    members.byKey.set(key, peer)
    members.list = null
    peer.overlays.add(overlay)
    for (const watch of members.watches) watch.joined(peer)
    return peer
  }

  /** Another overlay has it too: what discovery learns. False: there is no room. */
  spread(peer: Peer, overlay: string): boolean {
    return this.join(peer.publicKey, peer.address, overlay) !== null
  }

  /** The peer signed something at its address: it is the one that is there. */
  confirm(peer: Peer, address: PeerAddress): void {
    const known = this.#peers.get(keyText(peer.publicKey))
    if (known !== undefined && addressKey(known.address) === addressKey(address)) this.#settle(known, address)
  }

  /** A packet came from `address`, of whatever kind. */
  heard(address: PeerAddress): void {
    let peer = this.#heard.get(address)
    if (peer === undefined) {
      peer = this.#byAddress.get(addressKey(address))
      if (peer === undefined) return
      this.#heard.set(address, peer)
    }
    peer.heardMs = this.#clock.now()
  }

  /** What a peer says of itself. */
  note(peer: Peer, facts: { lanAddress?: PeerAddress | null; newStyle?: boolean; rttMs?: number }): void {
    const known = this.#peers.get(keyText(peer.publicKey))
    if (known === undefined) return
    if (facts.lanAddress !== undefined) known.lanAddress = facts.lanAddress
    if (facts.newStyle !== undefined) known.newStyle = facts.newStyle
    if (facts.rttMs === undefined) return
    known.rtts.push(facts.rttMs)
    if (known.rtts.length > RTTS_KEPT) known.rtts.shift()
  }

  /** The peer is out of one overlay. */
  leave(peer: Peer, overlay: string): void {
    const key = keyText(peer.publicKey)
    const members = this.#overlays.get(overlay)
    const known = members?.byKey.get(key)
    if (members === undefined || known === undefined) return
    members.byKey.delete(key)
    members.list = null
    known.overlays.delete(overlay)
    if (known.overlays.size === 0) this.#forget(key, known)
    for (const watch of members.watches) watch.gone(known)
  }

  /** The peer is silent, or gone: out of all overlays. */
  remove(peer: Peer): void {
    const known = this.#peers.get(keyText(peer.publicKey))
    for (const overlay of [...(known?.overlays ?? [])]) this.leave(peer, overlay)
  }

  /** Hears of peers of an overlay until the function that is answered is called. */
  watch(overlay: string, watch: PeerWatch): () => void {
    const { watches } = this.#members(overlay)
    watches.add(watch)
    return () => watches.delete(watch)
  }

  /** An overlay ends: its peers are out of it, without an event. */
  close(overlay: string): void {
    this.#overlays.get(overlay)?.watches.clear()
    for (const peer of this.of(overlay)) this.leave(peer, overlay)
    this.#overlays.delete(overlay)
  }

  #settle(peer: KnownPeer, address: PeerAddress): void {
    peer.heardMs = this.#clock.now()
    const now = addressKey(address)
    const before = addressKey(peer.address)
    if (before !== now && this.#byAddress.get(before) === peer) this.#byAddress.delete(before)
    if (before !== now) peer.address = address
    if (this.#byAddress.get(now) === peer) return
    this.#byAddress.set(now, peer)
    this.#heard = new WeakMap()
  }

  #forget(key: string, peer: KnownPeer): void {
    this.#peers.delete(key)
    this.#all = null
    const at = addressKey(peer.address)
    if (this.#byAddress.get(at) === peer) this.#byAddress.delete(at)
    this.#heard = new WeakMap()
  }

  #members(overlay: string): Members {
    let members = this.#overlays.get(overlay)
    if (members === undefined) {
      members = { byKey: new Map(), watches: new Set(), list: null }
      this.#overlays.set(overlay, members)
    }
    return members
  }
}

function keyText(publicKey: Uint8Array): string {
  return Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength).toString('latin1')
}
