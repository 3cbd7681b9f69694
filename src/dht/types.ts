// What the DHT is made from and what it reports: options, ports, statistics, saved state. Types and defaults only.

import type { PeerAddress } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ed25519 } from '../ports/ed25519.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import type { Random } from '../ports/random.ts'
import type { BucketCounts } from './routing-table.ts'

/** IPv4 or IPv6: two networks that know nothing of each other (BEP 32). */
export type Family = 4 | 6

/** Sends datagrams of one family; the socket behind it is shared with uTP. */
export interface DatagramSender {
  send(bytes: Uint8Array, to: PeerAddress): void
}

/** A node to begin with: a name or literal address, and a port. */
export interface BootstrapEntry {
  readonly host: string
  readonly port: number
}

/** How the node behaves. */
export interface DhtOptions {
  /** Send queries, but answer none (BEP 43). */
  readonly readOnly: boolean
  /** Asked when the routing table is (nearly) empty. */
  readonly bootstrap: readonly BootstrapEntry[]
  /** Queries answered a second and family, everybody together. */
  readonly answersPerSecond: number
  /** Time between two announces of one torrent, milliseconds. */
  readonly announceIntervalMs: number
  /** Lookups that run at once in one family; others wait. */
  readonly activeLookups: number
  /** Client and version in every datagram (key `v`, four bytes by custom); null = none. */
  readonly version: Uint8Array | null
}

/** Options where none are given. Names and interval of bootstrap and announces are those libtorrent uses. */
export const defaultDhtOptions: DhtOptions = {
  readOnly: false,
  bootstrap: [
    { host: 'dht.libtorrent.org', port: 25_401 },
    { host: 'router.bittorrent.com', port: 6881 },
    { host: 'dht.transmissionbt.com', port: 6881 },
    { host: 'router.utorrent.com', port: 6881 },
  ],
  answersPerSecond: 200,
  announceIntervalMs: 15 * 60_000,
  activeLookups: 16,
  version: null,
}

/** What the DHT goes through; a family without a sender sleeps. */
export interface DhtDeps {
  readonly clock: Clock
  readonly random: Random
  readonly resolver: NameResolver
  readonly ed25519: Ed25519
  readonly senders: { readonly 4: DatagramSender | null; readonly 6: DatagramSender | null }
}

/** The saved state of one family: plain values. `id` has 40 hexadecimal digits. */
export interface SavedFamily {
  readonly id: string
  readonly nodes: readonly { readonly id: string; readonly ip: string; readonly port: number }[]
}

/** What is kept from one start to the next. */
export interface SavedDht {
  readonly 4: SavedFamily | null
  readonly 6: SavedFamily | null
}

/** Counters of one family; totals since the start, rates over the last ten seconds. */
export interface FamilyStats {
  readonly id: string
  /** Our address as others see it, once enough of them agree. */
  readonly externalIp: string | null
  readonly nodes: number
  readonly good: number
  readonly replacements: number
  /** Nodes whose id fits their address (BEP 42). */
  readonly fitting: number
  readonly buckets: readonly BucketCounts[]
  readonly lookups: { readonly active: number; readonly waiting: number }
  readonly queriesWaiting: number
  readonly stored: { readonly torrents: number; readonly peers: number; readonly items: number }
  readonly received: { readonly datagrams: number; readonly bytes: number; readonly bytesPerSecond: number }
  readonly sent: { readonly datagrams: number; readonly bytes: number; readonly bytesPerSecond: number }
  /** Queries not answered for their number; datagrams that could not be read; answers to no query of ours. */
  readonly refusedQueries: number
  readonly unreadable: number
  readonly strays: number
}

/** Statistics of both families; null for one without a socket. */
export interface DhtStats {
  readonly nodes: number
  readonly good: number
  readonly 4: FamilyStats | null
  readonly 6: FamilyStats | null
}
