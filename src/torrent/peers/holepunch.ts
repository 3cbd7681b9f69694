// Holepunching in one torrent (BEP 55): asks the peer that named an address we cannot reach to introduce us, introduces
// others, and notes whom to call by uTP; torrent-peers.ts makes the call. Does nothing in a private torrent or without
// uTP. Invariant: what peers make us send and call is bounded for each of them (PunchState), and goes only between
// peers that both offered the extension.

import { addressKey, type PeerAddress } from '../../base/ids.ts'
import { isPeerIp, parseIp } from '../../wire/net/compact-address.ts'
import { isLocalIp } from '../../wire/net/local-address.ts'
import { decodeHolepunch, encodeHolepunch, HOLEPUNCH_ERRORS, UT_HOLEPUNCH } from '../../wire/peer/ut-holepunch.ts'
import type { PexFlags } from '../../wire/peer/ut-pex.ts'
import type { ExchangeState, PunchState } from './exchange-state.ts'
import type { KnownPeer } from './known-peers.ts'
import type { SwarmParts } from '../swarm-parts.ts'

/** An answer to a question of ours comes within this time; what comes later counts as unasked. */
const ANSWER_MS = 30_000
/** So many times a peer is asked to introduce us to one address. */
const MAX_ASKED = 3
/** What is known of a peer that we are introduced to. */
const INTRODUCED: PexFlags = { encryption: false, seed: false, utp: true, holepunch: true, reachable: false }

/** A peer, as holepunching sees it. */
export interface PunchPeer {
  readonly link: { readonly remote: PeerAddress; readonly incoming: boolean; readonly alive: boolean }
  readonly address: PeerAddress
  readonly utp: boolean
  readonly exchange: Pick<ExchangeState, 'given'>
  readonly punches: PunchState
  /** The id it wants messages of an extension under, 0 = it has none. */
  idOf(extension: string): number
  extend(id: number, payload: Uint8Array): void
}

/** A torrent, as holepunching sees it. */
export interface PunchTorrent {
  readonly peers: ReadonlyMap<string, PunchPeer>
  readonly content: { readonly metainfo: { readonly private: boolean } } | null
  readonly known: {
    get(key: string): KnownPeer | undefined
    add(address: PeerAddress, tracked: boolean, hearsay: PexFlags): KnownPeer | null
    introduced(peer: KnownPeer): void
  }
  readonly engine: {
    readonly listenPort: number
    readonly connections: { refuses(ip: string, nowMs: number): boolean }
    readonly deps: { readonly swarm?: SwarmParts }
  }
}

/** Whether this torrent takes part; a magnet may turn out to be private, so it waits. */
export function punchesHoles(torrent: PunchTorrent): boolean {
  return torrent.content?.metainfo.private === false && torrent.engine.deps.swarm?.utp !== undefined
}

/** No answer from `target`: asks the peer that named it to introduce us. Answers whether one was asked. */
export function askForIntroduction(torrent: PunchTorrent, target: KnownPeer, nowMs: number): boolean {
  if (!punchesHoles(torrent) || !target.holepunch || target.punchesAsked >= MAX_ASKED) return false
  for (const peer of torrent.peers.values()) {
    if (!peer.link.alive || peer.idOf(UT_HOLEPUNCH) === 0 || !peer.exchange.given.has(target.key)) continue
    if (!peer.punches.asked.take(nowMs)) continue
    target.punchesAsked += 1
    target.punchAskedMs = nowMs
    peer.extend(peer.idOf(UT_HOLEPUNCH), encodeHolepunch({ type: 'rendezvous', address: target.address }))
    return true
  }
  return false
}

/**
 * A message of `peer`. Throws DecodeError. What comes from one that has not offered the extension is passed over (BEP
 * 55).
 */
export function handleHolepunch(torrent: PunchTorrent, peer: PunchPeer, payload: Uint8Array, nowMs: number): void {
  const message = decodeHolepunch(payload)
  if (!punchesHoles(torrent) || peer.idOf(UT_HOLEPUNCH) === 0) return
  if (message.type === 'rendezvous') introduce(torrent, peer, message.address, nowMs)
  else if (message.type === 'connect') call(torrent, peer, message.address, nowMs)
  else if (message.type === 'error') refused(torrent, message.address)
}

/** `from` wants to be introduced to the peer at `target`. */
function introduce(torrent: PunchTorrent, from: PunchPeer, target: PeerAddress, nowMs: number): void {
  if (!from.punches.relays.take(nowMs)) return
  const other = peerAt(torrent, target)
  const code = refusal(torrent, from, other, target)
  if (code !== null) return send(from, { type: 'error', address: target, code })
  // A peer that is called too often is left alone; the asker gets no answer that would help it to try again.
  if (other === null || !other.punches.forwards.take(nowMs)) return
  send(from, { type: 'connect', address: target })
  send(other, { type: 'connect', address: endpointOf(from) })
}

function refusal(torrent: PunchTorrent, from: PunchPeer, other: PunchPeer | null, target: PeerAddress): number | null {
  if (!isUsable(target)) return HOLEPUNCH_ERRORS.noSuchPeer
  if (other === from || isOurs(torrent, target)) return HOLEPUNCH_ERRORS.noSelf
  if (other === null) return HOLEPUNCH_ERRORS.notConnected
  return other.idOf(UT_HOLEPUNCH) === 0 ? HOLEPUNCH_ERRORS.noSupport : null
}

/** `peer` says that the one at `address` is calling us now: we call too. */
function call(torrent: PunchTorrent, peer: PunchPeer, address: PeerAddress, nowMs: number): void {
  if (!isUsable(address) || torrent.engine.connections.refuses(address.ip, nowMs) || isOurs(torrent, address)) return
  // Nobody outside may send us to local addresses.
  if (isLocalIp(address.ip) && !isLocalIp(peer.link.remote.ip)) return
  const before = torrent.known.get(addressKey(address))
  // Connected already, or about to be (BEP 55).
  if (before?.busy === true || peerAt(torrent, address) !== null) return
  const asked = before !== undefined && nowMs - before.punchAskedMs < ANSWER_MS
  if (!asked && !peer.punches.calls.take(nowMs)) return
  const known = torrent.known.add(address, false, INTRODUCED)
  if (known === null) return
  known.punchAskedMs = Number.NEGATIVE_INFINITY
  torrent.known.introduced(known)
}

/** There will be no introduction: the answer that was waited for has come. */
function refused(torrent: PunchTorrent, address: PeerAddress): void {
  const known = torrent.known.get(addressKey(address))
  if (known !== undefined) known.punchAskedMs = Number.NEGATIVE_INFINITY
}

function peerAt(torrent: PunchTorrent, address: PeerAddress): PunchPeer | null {
  const key = addressKey(address)
  for (const peer of torrent.peers.values()) {
    if (addressKey(peer.link.remote) === key || addressKey(peer.address) === key) return peer
  }
  return null
}

/** Where others reach `peer` by uTP: the address of its uTP connection, else the port it listens on. */
function endpointOf(peer: PunchPeer): PeerAddress {
  return peer.utp ? peer.link.remote : peer.address
}

function isUsable(address: PeerAddress): boolean {
  const ip = parseIp(address.ip)
  return ip !== null && isPeerIp(ip) && address.port > 0
}

function isOurs(torrent: PunchTorrent, address: PeerAddress): boolean {
  const { deps, listenPort } = torrent.engine
  return address.port === listenPort && deps.swarm?.external?.get(address.ip.includes(':') ? 6 : 4) === address.ip
}

function send(peer: PunchPeer, message: Parameters<typeof encodeHolepunch>[0]): void {
  peer.extend(peer.idOf(UT_HOLEPUNCH), encodeHolepunch(message))
}
