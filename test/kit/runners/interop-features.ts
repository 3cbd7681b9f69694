// The rows of the matrix that `make interop` prints: the features, in order, and for each which of the peers have it.
// What a peer lacks is known from its documentation; the reason is printed under the table.

/**
 * The columns. `other` is whatever else is at the other end: a proxy, a gateway, a tracker, a web server, the kernel.
 */
export const PEERS = ['libtorrent', 'Transmission', 'aria2', 'rtorrent', 'webtorrent', 'other'] as const

export type Peer = (typeof PEERS)[number]

export interface FeatureRow {
  readonly title: string
  /** Peers that do not have it, and why; those that are not named must have a passed cell. */
  readonly lacks: Readonly<Partial<Record<Exclude<Peer, 'other'>, string>>>
  /** Peers that have one side of it only, and which. */
  readonly oneSide?: Readonly<Partial<Record<Peer, string>>>
  /** Who else is at the other end; without it that column is not used. */
  readonly other?: string
}

const NONE = 'not implemented'

/** Lacked by all but `peers`, for the same reason. */
function allBut(peers: readonly Peer[], reason = NONE): FeatureRow['lacks'] {
  const names = PEERS.filter(peer => peer !== 'other' && !peers.includes(peer))
  return Object.fromEntries(names.map(peer => [peer, reason]))
}

const ONLY_LIBTORRENT = allBut(['libtorrent'])
/** Between us and a machine that is no BitTorrent client. */
const NO_CLIENT = allBut([], 'nothing is exchanged with a peer')
const V1_ONLY = allBut(['libtorrent'], 'knows v1 torrents only')

/** What a peer has, in one word: the reason why not, or `null`. */
export function lackOf(row: FeatureRow, peer: Peer): string | null {
  if (peer === 'other') return row.other === undefined ? 'nobody else' : null
  return row.lacks[peer] ?? null
}

/** Every feature, in the order of the printed rows. */
export const FEATURES = {
  'TCP transfer': { title: 'transfer over TCP (BEP 3)', lacks: {} },
  'magnet metadata': { title: 'metadata of magnets (BEP 9, 10)', lacks: {} },
  'fast extension': { title: 'fast extension (BEP 6)', lacks: { rtorrent: NONE } },
  DHT: {
    title: 'DHT (BEP 5)',
    lacks: {},
    oneSide: { rtorrent: 'it is found, and finds nobody within 150 s' },
  },
  'DHT IPv6': { title: 'DHT over IPv6 (BEP 32)', lacks: { rtorrent: 'IPv4 only', webtorrent: 'IPv4 only' } },
  'DHT security ids': { title: 'DHT security ids (BEP 42)', lacks: ONLY_LIBTORRENT },
  'DHT read-only': { title: 'DHT read-only nodes (BEP 43)', lacks: ONLY_LIBTORRENT },
  'DHT items': { title: 'DHT items, immutable and mutable (BEP 44)', lacks: allBut(['libtorrent', 'webtorrent']) },
  'DHT scrape': {
    title: 'DHT scrape (BEP 33)',
    lacks: ONLY_LIBTORRENT,
    oneSide: { libtorrent: 'it answers and does not ask' },
  },
  sample_infohashes: { title: 'sample_infohashes (BEP 51)', lacks: ONLY_LIBTORRENT },
  PEX: {
    title: 'peer exchange (BEP 11)',
    lacks: {},
    oneSide: { webtorrent: 'it listens and does not tell' },
  },
  LSD: {
    title: 'local discovery (BEP 14)',
    lacks: { rtorrent: NONE },
  },
  'IPv6 tracker': {
    title: 'IPv6 tracker and peers (BEP 7)',
    lacks: { rtorrent: 'IPv4 only' },
    other: 'the tracker of qbittorrent-nox',
  },
  'UDP tracker': { title: 'UDP tracker (BEP 15, 41)', lacks: {}, other: 'opentracker' },
  'external address': {
    title: 'external address from trackers (BEP 24)',
    lacks: NO_CLIENT,
    other: 'the tracker of qbittorrent-nox',
  },
  'private torrents': { title: 'private torrents (BEP 27)', lacks: {} },
  uTP: { title: 'uTP (BEP 29)', lacks: { aria2: NONE, rtorrent: NONE }, other: 'utp-native (libutp)' },
  MSE: {
    title: 'encrypted connections (MSE/PE)',
    lacks: { webtorrent: 'fails with libtorrent and with itself' },
    // Of some 800 bytes it did, from the node and from libtorrent, of 9,855 bytes from neither; libtorrent did from the
    // node.
    oneSide: { rtorrent: 'where RC4 is required it fetches no metadata of some kilobytes, not from libtorrent either' },
  },
  holepunch: { title: 'holepunch (BEP 55)', lacks: ONLY_LIBTORRENT },
  SOCKS5: { title: 'SOCKS5 proxy, also for UDP', lacks: ONLY_LIBTORRENT, other: 'dante-server' },
  'HTTP proxy': { title: 'HTTP proxy', lacks: ONLY_LIBTORRENT, other: 'tinyproxy' },
  UPnP: { title: 'UPnP-IGD port mapping', lacks: NO_CLIENT, other: 'miniupnpd' },
  'NAT-PMP': { title: 'NAT-PMP port mapping', lacks: NO_CLIENT, other: 'miniupnpd' },
  PCP: { title: 'PCP port mapping', lacks: NO_CLIENT, other: 'miniupnpd' },
  'kill switch': { title: 'bound device or address, kill switch', lacks: NO_CLIENT, other: 'packet counters' },
  'IP filter': { title: 'IP filter lists', lacks: NO_CLIENT, other: 'refused clients' },
  'web seeds': { title: 'web seeds (BEP 19)', lacks: { rtorrent: NONE }, other: 'nginx' },
  'partial seeds': { title: 'partial seeds (BEP 21)', lacks: allBut(['libtorrent', 'Transmission']) },
  lt_donthave: {
    title: 'lt_donthave (BEP 54)',
    lacks: allBut(['libtorrent', 'webtorrent']),
    oneSide: {
      libtorrent: 'it hears what the node lost; it says so itself only after a disk error',
      webtorrent: 'it says so, the node believes it; of whom it heard `have all` it believes nothing else',
    },
  },
  'super-seeding': {
    title: 'super-seeding (BEP 16)',
    lacks: { ...ONLY_LIBTORRENT, rtorrent: 'its own closes every connection, also those of libtorrent' },
  },
  v2: { title: 'v2 torrents (BEP 52)', lacks: V1_ONLY },
  hybrid: { title: 'hybrid torrents (BEP 52)', lacks: V1_ONLY },
  'magnet btmh': { title: 'magnets with btmh (BEP 52)', lacks: V1_ONLY },
  'select-only': {
    title: 'magnets with select-only (BEP 53)',
    lacks: { ...ONLY_LIBTORRENT, webtorrent: 'reads the choice and fetches everything' },
  },
  'padding and attributes': { title: 'padding and attributes (BEP 47)', lacks: ONLY_LIBTORRENT },
  'create v1': { title: 'made by us, v1', lacks: {} },
  'create v2': { title: 'made by us, v2', lacks: V1_ONLY },
  'create hybrid': { title: 'made by us, hybrid', lacks: V1_ONLY },
  'updates by DHT': {
    title: 'updates by DHT items (BEP 46)',
    lacks: ONLY_LIBTORRENT,
    oneSide: { libtorrent: '**only us**: its DHT publishes and reads the items, no other client follows them' },
  },
} as const satisfies Readonly<Record<string, FeatureRow>>

export type Feature = keyof typeof FEATURES

/** Cells that no test has shown yet; the README says so. A run that passes one of them says to take it from here. */
export const NOT_SHOWN: readonly `${Feature} x ${Peer}`[] = []
