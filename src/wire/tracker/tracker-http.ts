// Announce and scrape over HTTP: request URLs and bencoded answers (BEP 3, 7, 23, 24, 31, 48). Answers are cut by key
// and only the parts that are used are built, so a hostile answer costs little more than its bytes.

import { DecodeError } from '../../base/errors.ts'
import { decodeBencode, dictSlices, visitList, type BencodeValue } from '../bencode.ts'
import { collectCompactPeers, formatIp, parseIp, PeerCollector } from '../net/compact-address.ts'
import { MAX_PEERS_PER_ANSWER, trackerText } from './tracker-types.ts'
import type { AnnounceReply, AnnounceRequest, ScrapeCounts, TrackerRefusal } from './tracker-types.ts'

/** Longest tracker id that is sent back, bytes: it goes into every further request line. */
const MAX_TRACKER_ID_BYTES = 256

/** Largest swarm count that is believed; anything above is nonsense. */
const MAX_COUNT = 2 ** 31

/** Percent-encodes raw bytes for a query: unreserved characters stay. */
function percentEncode(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    const char = String.fromCharCode(byte)
    text += /[A-Za-z0-9._~-]/.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`
  }
  return text
}

function withQuery(url: string, query: string): string {
  const hash = url.indexOf('#')
  const base = hash < 0 ? url : url.slice(0, hash)
  if (!base.includes('?')) return `${base}?${query}`
  return base.endsWith('?') || base.endsWith('&') ? `${base}${query}` : `${base}&${query}`
}

/** The URL of one announce to the tracker at `url` (its own query stays in front). Never tells an `ip`. */
export function announceUrl(url: string, request: AnnounceRequest): string {
  const fields = [
    `info_hash=${percentEncode(request.infoHash)}`,
    `peer_id=${percentEncode(request.peerId)}`,
    `port=${request.port}`,
    `uploaded=${request.uploaded}`,
    `downloaded=${request.downloaded}`,
    `left=${request.left}`,
    'compact=1',
    `numwant=${request.numWant}`,
    `key=${request.key.toString(16).padStart(8, '0')}`,
  ]
  const event = request.event ?? (request.partialSeed === true ? 'paused' : null)
  if (event !== null) fields.push(`event=${event}`)
  if (request.trackerId !== null) {
    fields.push(`trackerid=${percentEncode(Buffer.from(request.trackerId, 'latin1'))}`)
  }
  return withQuery(url, fields.join('&'))
}

/**
 * The URL that asks for the counts of torrents (20 bytes each), or null when the tracker has no scrape: the last path
 * segment must begin with `announce` (BEP 48).
 */
export function scrapeUrl(url: string, infoHashes: readonly Uint8Array[]): string | null {
  const match = /^([^?#]*\/)announce([^/?#]*)(\?[^#]*)?(#.*)?$/.exec(url)
  if (match === null) return null
  const query = infoHashes.map(infoHash => `info_hash=${percentEncode(infoHash)}`).join('&')
  return withQuery(`${match[1]}scrape${match[2]}${match[3] ?? ''}`, query)
}

type Slices = Map<string, Uint8Array>

function looksLikePage(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  return /^(\xef\xbb\xbf)?\s*</.test(head)
}

function answerSlices(bytes: Uint8Array): Slices {
  if (looksLikePage(bytes)) throw new DecodeError('the tracker answered with a web page')
  if (bytes.length === 0) throw new DecodeError('the tracker answered with nothing')
  try {
    return dictSlices(bytes)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new DecodeError(`the tracker's answer cannot be read (${error.message})`)
  }
}

function isKind(slice: Uint8Array, kind: 'int' | 'string' | 'list'): boolean {
  const first = slice[0] ?? 0
  if (kind === 'int') return first === 0x69
  if (kind === 'list') return first === 0x6c
  return first >= 0x30 && first <= 0x39
}

function intAt(slices: Slices, key: string, limit: number): number | null {
  const slice = slices.get(key)
  if (slice === undefined || !isKind(slice, 'int')) return null
  const value = decodeBencode(slice)
  return typeof value === 'number' && value >= 0 ? Math.min(value, limit) : null
}

function bytesAt(slices: Slices, key: string): Uint8Array | null {
  const slice = slices.get(key)
  if (slice === undefined || !isKind(slice, 'string')) return null
  return decodeBencode(slice) as Uint8Array
}

function textAt(slices: Slices, key: string): string | null {
  const bytes = bytesAt(slices, key)
  return bytes === null ? null : trackerText(bytes)
}

function collectDictPeer(item: BencodeValue, into: PeerCollector): void {
  if (!(item instanceof Map)) return
  const ip = item.get('ip')
  const port = item.get('port')
  if (!(ip instanceof Uint8Array) || typeof port !== 'number' || ip.length > 45) return
  const bytes = parseIp(Buffer.from(ip).toString('latin1'))
  // A name instead of an address would let a tracker make us look up anything: it is dropped.
  if (bytes !== null) into.add(bytes, port)
}

function peersOf(slices: Slices): ReturnType<PeerCollector['peers']> {
  const collector = new PeerCollector(MAX_PEERS_PER_ANSWER)
  const peers = slices.get('peers')
  if (peers !== undefined && isKind(peers, 'list')) visitList(peers, item => collectDictPeer(item, collector))
  else collectCompactPeers(bytesAt(slices, 'peers') ?? new Uint8Array(0), 4, collector)
  collectCompactPeers(bytesAt(slices, 'peers6') ?? new Uint8Array(0), 16, collector)
  return collector.peers()
}

function refusalOf(slices: Slices, reason: string): TrackerRefusal {
  const minutes = intAt(slices, 'retry in', 1_000_000)
  if (minutes !== null) return { reason, retryInSec: minutes * 60 }
  return { reason, retryInSec: textAt(slices, 'retry in') === 'never' ? Number.POSITIVE_INFINITY : null }
}

function externalIpOf(slices: Slices): string | null {
  const bytes = bytesAt(slices, 'external ip')
  return bytes !== null && (bytes.length === 4 || bytes.length === 16) ? formatIp(bytes) : null
}

function trackerIdOf(slices: Slices): string | null {
  const bytes = bytesAt(slices, 'tracker id')
  if (bytes === null || bytes.length > MAX_TRACKER_ID_BYTES) return null
  return Buffer.from(bytes).toString('latin1')
}

/** Reads an answer to an announce. Throws DecodeError with a text fit for the tracker's row. */
export function decodeAnnounce(bytes: Uint8Array): AnnounceReply | TrackerRefusal {
  const slices = answerSlices(bytes)
  const reason = textAt(slices, 'failure reason')
  if (reason !== null) return refusalOf(slices, reason)
  const intervalSec = intAt(slices, 'interval', MAX_COUNT)
  if (intervalSec === null && !slices.has('peers') && !slices.has('peers6')) {
    throw new DecodeError("the tracker's answer has neither peers nor an interval")
  }
  return {
    intervalSec,
    minIntervalSec: intAt(slices, 'min interval', MAX_COUNT),
    peers: peersOf(slices),
    seeders: intAt(slices, 'complete', MAX_COUNT),
    leechers: intAt(slices, 'incomplete', MAX_COUNT),
    warning: textAt(slices, 'warning message'),
    trackerId: trackerIdOf(slices),
    externalIp: externalIpOf(slices),
  }
}

function countsOf(entry: Uint8Array | undefined): ScrapeCounts | null {
  if (entry === undefined || entry[0] !== 0x64) return null
  const counts = dictSlices(entry)
  const seeders = intAt(counts, 'complete', MAX_COUNT)
  const leechers = intAt(counts, 'incomplete', MAX_COUNT)
  if (seeders === null || leechers === null) return null
  return { seeders, leechers, completed: intAt(counts, 'downloaded', MAX_COUNT) ?? 0 }
}

/**
 * Reads the counts of `infoHashes` from a scrape answer, in their order; null for those it has none of. Throws
 * DecodeError.
 */
export function decodeScrape(bytes: Uint8Array, infoHashes: readonly Uint8Array[]): (ScrapeCounts | null)[] {
  const files = answerSlices(bytes).get('files')
  if (files === undefined || files[0] !== 0x64) return infoHashes.map(() => null)
  const entries = dictSlices(files)
  return infoHashes.map(infoHash => countsOf(entries.get(Buffer.from(infoHash).toString('latin1'))))
}
