// Peer exchange of one torrent (BEP 11): sends each peer who else is connected, as differences once a minute, and takes
// what peers send. What each was sent is kept with the peer (exchange-state.ts). Nothing is exchanged in a private
// torrent (BEP 27), nor sent before it is known whether it is one. Invariant: whatever a peer sends, it adds no more
// than MAX_GIVEN addresses at a time, and the list of addresses is bounded.

import { DecodeError } from '../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../base/ids.ts'
import { isLocalIp } from '../../wire/net/local-address.ts'
import { UT_HOLEPUNCH } from '../../wire/peer/ut-holepunch.ts'
import { decodePex, encodePex, MAX_PEX_CONTACTS, type PexContact, UT_PEX } from '../../wire/peer/ut-pex.ts'
import { type ExchangeState, MAX_GIVEN, MAX_TOLD } from './exchange-state.ts'
import type { KnownPeer } from './known-peers.ts'
import type { SwarmParts } from '../swarm-parts.ts'

/** No peer is sent more (BEP 11). */
const TELL_MS = 60_000
/** A new peer hears of the others after this long: by then most of the first ones are connected. */
const FIRST_TELL_MS = 5000
/** When there was nothing to tell, this long until it is looked at again. */
const LOOK_AGAIN_MS = 5000

/** A peer, as peer exchange sees it. */
export interface ExchangePeer {
  readonly link: { readonly remote: PeerAddress; readonly incoming: boolean }
  /** Where it can be connected to. */
  readonly address: PeerAddress
  /** An incoming one has told the port it listens on. */
  readonly listens: boolean
  readonly exchange: ExchangeState
  readonly connectedAtMs: number
  readonly uploadOnly: boolean
  readonly utp: boolean
  readonly encrypts: boolean
  /** The id it wants messages of an extension under, 0 = it has none. */
  idOf(extension: string): number
  extend(id: number, payload: Uint8Array): void
}

/** A torrent, as peer exchange sees it. */
export interface ExchangeTorrent {
  readonly peers: ReadonlyMap<string, ExchangePeer>
  /** Null while the metadata is not known. */
  readonly content: { readonly metainfo: { readonly private: boolean } } | null
  readonly known: { add(address: PeerAddress, tracked: boolean, hearsay: PexContact['flags']): KnownPeer | null }
  readonly engine: {
    readonly connections: { refuses(ip: string, nowMs: number): boolean }
    readonly deps: { readonly swarm?: SwarmParts }
  }
  isSeed(peer: ExchangePeer): boolean
}

/**
 * Whether peers of this torrent may be heard of each other; a magnet may turn out to be private, and forgets them then.
 */
export function listensToPeers(torrent: ExchangeTorrent): boolean {
  return torrent.content?.metainfo.private !== true && (torrent.engine.deps.swarm?.exchangesPeers?.() ?? true)
}

/** Whether peers of this torrent may be named to each other. */
export function tellsPeers(torrent: ExchangeTorrent): boolean {
  return torrent.content !== null && listensToPeers(torrent)
}

/**
 * Tells `peer` who came and who went, if it is time and there is something to tell. To be called every second or so.
 */
export function tellPeers(torrent: ExchangeTorrent, peer: ExchangePeer, nowMs: number): void {
  const id = peer.idOf(UT_PEX)
  if (id === 0 || !tellsPeers(torrent)) return
  const state = peer.exchange
  state.nextTellMs ??= peer.connectedAtMs + FIRST_TELL_MS
  if (nowMs < state.nextTellMs) return
  const contacts = contactsFor(torrent, peer)
  const dropped = goneOf(state, contacts)
  const added = newOf(state, contacts)
  state.nextTellMs = nowMs + LOOK_AGAIN_MS
  if (added.length === 0 && dropped.length === 0) return
  for (const address of dropped) state.told.delete(addressKey(address))
  for (const { address } of added) state.told.set(addressKey(address), address)
  state.nextTellMs = nowMs + TELL_MS
  peer.extend(id, encodePex({ added, dropped }))
}

/**
 * A message of `peer`. Throws DecodeError when it is none, or one too many: a peer that sends a few too many is not
 * listened to, one that floods is dropped.
 */
export function takePeers(torrent: ExchangeTorrent, peer: ExchangePeer, payload: Uint8Array, nowMs: number): void {
  const state = peer.exchange
  if (!state.flood.take(nowMs)) throw new DecodeError('too many peer exchange messages')
  if (!listensToPeers(torrent) || !state.pace.take(nowMs)) return
  const { added, dropped } = decodePex(payload)
  for (const address of dropped) state.given.delete(addressKey(address))
  const fromLocal = isLocalIp(peer.link.remote.ip)
  for (const contact of added) {
    if (state.given.size >= MAX_GIVEN) return
    if (!isWorthTaking(state, contact.address, fromLocal)) continue
    if (torrent.engine.connections.refuses(contact.address.ip, nowMs)) continue
    if (!state.fresh.take(nowMs)) return
    state.given.set(addressKey(contact.address), contact.address.ip)
    torrent.known.add(contact.address, false, contact.flags)
  }
}

/**
 * No peer outside may send us to local addresses, and of one host a peer names one port: others are made up (BEP 11).
 */
function isWorthTaking(state: ExchangeState, address: PeerAddress, fromLocal: boolean): boolean {
  if (state.given.has(addressKey(address))) return false
  if (isLocalIp(address.ip)) return fromLocal
  for (const ip of state.given.values()) if (ip === address.ip) return false
  return true
}

/** All contacts that may be sent to `peer`, by key. */
function contactsFor(torrent: ExchangeTorrent, peer: ExchangePeer): Map<string, PexContact> {
  const contacts = new Map<string, PexContact>()
  const toLocal = isLocalIp(peer.link.remote.ip)
  const own = addressKey(peer.address)
  for (const other of torrent.peers.values()) {
    const key = addressKey(other.address)
    if (other === peer || key === own || !isReachable(other) || contacts.has(key)) continue
    if (!toLocal && isLocalIp(other.address.ip)) continue
    if (torrent.engine.deps.swarm?.standsForCircuit?.(other.address.ip) === true) continue
    contacts.set(key, { address: other.address, flags: flagsOf(torrent, other) })
  }
  return contacts
}

/**
 * We connected to it, or it told us where it listens. The latter are sent as libtorrent sends them, without the flag
 * that says that they were reached: all peers of a seed at the start of a swarm came to it.
 */
function isReachable(peer: ExchangePeer): boolean {
  return !peer.link.incoming || peer.listens
}

function flagsOf(torrent: ExchangeTorrent, peer: ExchangePeer): PexContact['flags'] {
  return {
    encryption: peer.encrypts,
    seed: torrent.isSeed(peer) || peer.uploadOnly,
    utp: peer.utp,
    holepunch: peer.idOf(UT_HOLEPUNCH) !== 0,
    reachable: !peer.link.incoming,
  }
}

function goneOf(state: ExchangeState, contacts: ReadonlyMap<string, PexContact>): PeerAddress[] {
  const gone: PeerAddress[] = []
  for (const [key, address] of state.told) {
    if (gone.length >= MAX_PEX_CONTACTS) break
    if (!contacts.has(key)) gone.push(address)
  }
  return gone
}

function newOf(state: ExchangeState, contacts: ReadonlyMap<string, PexContact>): PexContact[] {
  const room = Math.min(MAX_PEX_CONTACTS, MAX_TOLD - state.told.size)
  const added: PexContact[] = []
  for (const [key, contact] of contacts) {
    if (added.length >= room) break
    if (!state.told.has(key)) added.push(contact)
  }
  return added
}
