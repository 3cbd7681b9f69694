// Local service discovery (BEP 14): announces to the local network which torrents run here, and takes peers from the
// announces of others. One instance a node. Knows torrents by info hash only; the caller says which may be announced,
// never private ones (BEP 27). States: idle -> (start) running -> (stop) idle; while running it looks every few seconds
// for what is due. Invariant: a torrent is announced once in five minutes, a datagram goes to a group once a minute on
// average, and what the network sends is bounded for each torrent and each sender.

import { Allowance } from '../base/allowance.ts'
import { DecodeError, errorText } from '../base/errors.ts'
import { addressKey, type InfoHash, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { MulticastNetwork, MulticastSocket } from '../ports/multicast.ts'
import type { Random } from '../ports/random.ts'
import { isPeerIp, parseIp } from '../wire/net/compact-address.ts'
import { decodeLsdAnnounce, encodeLsdAnnounce, LSD_GROUPS, LSD_PORT, MAX_LSD_HASHES } from '../wire/net/lsd.ts'

/** A torrent is announced this often (BEP 14). */
const ANNOUNCE_MS = 5 * 60 * 1000
/** Datagrams to each group: one a minute on average (BEP 14), some at once when torrents have just been added. */
const PACKETS = { burst: 5, refillMs: 60_000 }
/** What is due is looked for this often: a torrent that was added is announced this soon. */
const LOOK_MS = 5000
/** Torrents whose last announce is remembered; of more the rest waits for those to go. */
const MAX_TORRENTS = 50_000
/** Datagrams read: the rest of a flood is not looked at. */
const READS = { burst: 200, refillMs: 50 }
/** In five minutes: addresses taken for one torrent, of one sender, and senders listened to. */
const MAX_PER_TORRENT = 50
const MAX_PER_SENDER = 200
const MAX_SENDERS = 1000
/** Announces of torrents that are not wanted, kept in case they are soon: torrents, and addresses of each. */
const MAX_EARLY = 1000
const MAX_EARLY_PEERS = 8
/** Bytes of the cookie, written in hexadecimal. */
const COOKIE_BYTES = 4

/** How discovery runs. */
export interface LocalDiscoveryOptions {
  /** Address families; default both. */
  readonly families?: readonly (4 | 6)[]
}

/** What discovery works with. */
export interface LocalDiscoveryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly multicast: MulticastNetwork
  /** The TCP port to announce; 0 while it is not known: nothing is announced then. */
  listenPort(): number
  /** Torrents that run and may be announced: never a private one, and no magnet that may turn out to be one. */
  torrents(): Iterable<InfoHash>
  /** Whether peers of this torrent are wanted; asked of what comes from outside, for torrents that are not ours too. */
  wants(infoHash: InfoHash): boolean
  /** A peer in the local network takes part in a torrent. */
  found(infoHash: InfoHash, peer: PeerAddress): void
}

interface Membership {
  readonly family: 4 | 6
  readonly socket: MulticastSocket
}

/** The discovery of one node. */
export class LocalDiscovery {
  readonly #families: readonly (4 | 6)[]
  readonly #deps: LocalDiscoveryDeps
  readonly #cookie: string
  readonly #log: Log
  readonly #packets = new Allowance(PACKETS.burst, PACKETS.refillMs)
  readonly #reads = new Allowance(READS.burst, READS.refillMs)
  #memberships: Membership[] = []
  #timer: Timer | null = null
  /** When each torrent was last told of. */
  #announced = new Map<InfoHash, number>()
  /** Taken since #windowMs: addresses by torrent, and how many of each sender. */
  readonly #taken = new Map<InfoHash, Set<string>>()
  readonly #senders = new Map<string, number>()
  #windowMs = Number.NEGATIVE_INFINITY
  /**
   * Who told of torrents that were not wanted then, and when; the oldest first. Others tell once in five minutes only.
   */
  readonly #early = new Map<InfoHash, { readonly peers: PeerAddress[]; readonly heardMs: number }>()

  constructor(options: LocalDiscoveryOptions, deps: LocalDiscoveryDeps) {
    this.#families = options.families ?? [4, 6]
    this.#deps = deps
    this.#log = deps.log.part('lsd')
    this.#cookie = Buffer.from(deps.random.bytes(COOKIE_BYTES)).toString('hex')
  }

  /** Joins the groups and begins to announce. A family that cannot be joined is left out, with a line in the log. */
  async start(): Promise<void> {
    if (this.#timer !== null) return
    this.#timer = this.#deps.clock.every(LOOK_MS, () => {
      this.#takeEarly()
      this.#announceDue()
    })
    const joined = await Promise.all(this.#families.map(family => this.#join(family)))
    const memberships = joined.flatMap(one => one ?? [])
    // Stopped meanwhile.
    if (this.#timer === null) {
      await closeAll(memberships)
      return
    }
    this.#memberships = memberships
    this.#announceDue()
  }

  /** Leaves the groups. Others forget us by themselves. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    this.#announced.clear()
    this.#early.clear()
    await closeAll(this.#memberships.splice(0))
  }

  async #join(family: 4 | 6): Promise<Membership | null> {
    const group = { family, ip: LSD_GROUPS[family], port: LSD_PORT }
    try {
      const socket = await this.#deps.multicast.join(group, (bytes, from) => this.#receive(bytes, from))
      return { family, socket }
    } catch (error) {
      this.#log.info('local discovery does without a group', { group: group.ip, error: errorText(error) })
      return null
    }
  }

  // --- telling

  /** Tells of the torrents that are due, those first that have waited longest. */
  #announceDue(): void {
    const port = this.#deps.listenPort()
    if (port === 0 || this.#memberships.length === 0) return
    const nowMs = this.#deps.clock.now()
    const packets = this.#packets.available(nowMs)
    // Looking through all torrents costs the same whether there is room for one of them or not.
    if (packets === 0) return
    const due = this.#dueTorrents(nowMs, packets * MAX_LSD_HASHES)
    for (let at = 0; at < due.length && this.#packets.take(nowMs); at += MAX_LSD_HASHES) {
      const infoHashes = due.slice(at, at + MAX_LSD_HASHES)
      for (const infoHash of infoHashes) this.#announced.set(infoHash, nowMs)
      for (const { family, socket } of this.#memberships) {
        socket.send(encodeLsdAnnounce(family, { port, infoHashes, cookie: this.#cookie }))
      }
    }
  }

  /** At most `most` that are due, when so many were never told of. */
  #dueTorrents(nowMs: number, most: number): InfoHash[] {
    const fresh = this.#freshTorrents(most)
    if (fresh.length >= most) return fresh
    const present = new Map<InfoHash, number>()
    const due: InfoHash[] = []
    for (const infoHash of this.#deps.torrents()) {
      if (present.size >= MAX_TORRENTS) break
      const lastMs = this.#announced.get(infoHash) ?? Number.NEGATIVE_INFINITY
      present.set(infoHash, lastMs)
      if (nowMs - lastMs >= ANNOUNCE_MS) due.push(infoHash)
    }
    // Those that are gone are forgotten: when they come back they are due.
    this.#announced = present
    const lastOf = (infoHash: InfoHash): number => present.get(infoHash) ?? 0
    // Sorted by what is smaller, not by the difference: between two that were never told of it would not be a number.
    return due.sort((a, b) => (lastOf(a) < lastOf(b) ? -1 : lastOf(a) > lastOf(b) ? 1 : 0))
  }

  /** Torrents that were never told of, in no case more than `most`: those go first. */
  #freshTorrents(most: number): InfoHash[] {
    const fresh: InfoHash[] = []
    // Who is gone is forgotten by looking at all.
    if (this.#announced.size + most > MAX_TORRENTS) return fresh
    for (const infoHash of this.#deps.torrents()) {
      if (!this.#announced.has(infoHash)) fresh.push(infoHash)
      if (fresh.length >= most) return fresh
    }
    return fresh
  }

  // --- hearing

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    const nowMs = this.#deps.clock.now()
    if (this.#timer === null || !this.#reads.take(nowMs)) return
    const ip = parseIp(from.ip)
    if (ip === null || !isPeerIp(ip)) return
    try {
      const { port, infoHashes, cookie } = decodeLsdAnnounce(bytes)
      if (cookie === this.#cookie) return
      for (const infoHash of infoHashes) this.#heard(infoHash, { ip: from.ip, port }, nowMs)
    } catch (error) {
      // Others use the group too.
      if (!(error instanceof DecodeError)) throw error
    }
  }

  #heard(infoHash: InfoHash, peer: PeerAddress, nowMs: number): void {
    if (!this.#deps.wants(infoHash)) return this.#keepEarly(infoHash, peer, nowMs)
    this.#newWindow(nowMs)
    const taken = this.#taken.get(infoHash) ?? new Set<string>()
    const ofSender = this.#senders.get(peer.ip) ?? 0
    if (taken.has(addressKey(peer)) || taken.size >= MAX_PER_TORRENT || ofSender >= MAX_PER_SENDER) return
    if (ofSender === 0 && this.#senders.size >= MAX_SENDERS) return
    this.#taken.set(infoHash, taken.add(addressKey(peer)))
    this.#senders.set(peer.ip, ofSender + 1)
    this.#deps.found(infoHash, peer)
  }

  #keepEarly(infoHash: InfoHash, peer: PeerAddress, nowMs: number): void {
    const early = this.#early.get(infoHash) ?? { peers: [], heardMs: nowMs }
    if (early.peers.length >= MAX_EARLY_PEERS || early.peers.some(one => addressKey(one) === addressKey(peer))) return
    early.peers.push(peer)
    this.#early.set(infoHash, early)
    if (this.#early.size <= MAX_EARLY) return
    const oldest = this.#early.keys().next().value
    if (oldest !== undefined) this.#early.delete(oldest)
  }

  /** Takes up early announces of torrents that are wanted by now, and forgets what is old. */
  #takeEarly(): void {
    const nowMs = this.#deps.clock.now()
    for (const [infoHash, { peers, heardMs }] of [...this.#early]) {
      const wanted = this.#deps.wants(infoHash)
      if (!wanted && nowMs - heardMs < ANNOUNCE_MS) continue
      this.#early.delete(infoHash)
      if (wanted) for (const peer of peers) this.#heard(infoHash, peer, nowMs)
    }
  }

  #newWindow(nowMs: number): void {
    if (nowMs - this.#windowMs < ANNOUNCE_MS) return
    this.#windowMs = nowMs
    this.#taken.clear()
    this.#senders.clear()
  }
}

async function closeAll(memberships: readonly Membership[]): Promise<void> {
  await Promise.all(memberships.map(({ socket }) => socket.close()))
}
