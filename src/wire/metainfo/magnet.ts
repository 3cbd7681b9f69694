// Magnet links (BEP 9; `so` of BEP 53) of v1, v2 and hybrid torrents, read from hostile text and written. Every list is
// bounded before it is built: `so=0-4294967295` costs nothing. Trackers are cleaned as in metainfo files; unknown
// parameters are ignored.

import { DecodeError } from '../../base/errors.ts'
import {
  addressKey,
  type InfoHash,
  type InfoHashV2,
  infoHashFromBytes,
  type PeerAddress,
  parseInfoHash,
  parseInfoHashV2,
  truncatedInfoHash,
} from '../../base/ids.ts'
import { parsePeerAddress } from '../net/address-text.ts'
import { cleanTracker, MAX_TRACKERS } from '../tracker/announce-tiers.ts'
import { MAX_FILES } from './info-files.ts'
import { plainLine } from '../plain-text.ts'
import { cleanWebSeeds } from './web-seed-urls.ts'

/** Longest link, characters: what fits into a request head (decisions part 1). */
export const MAX_MAGNET_CHARS = 64 * 1024

/** Most parameters read of a link. */
const MAX_PARAMETERS = 1000

/** Most peers taken from `x.pe`. */
const MAX_PEERS = 100

/** Longest name kept, bytes of UTF-8. */
const MAX_NAME_BYTES = 4096

/** Multihash prefix: SHA2-256, 32 bytes (BEP 9 says no more than "multihash"; clients use hexadecimal). */
const SHA2_256 = '1220'

/** Which torrent a link names. */
export interface MagnetTopics {
  /** That of `btih`; without one the truncated hash of `btmh`. */
  readonly infoHash: InfoHash
  /** Of `btmh`, null when there is none. With `btih` too the torrent is a hybrid, and must have both hashes. */
  readonly infoHashV2: InfoHashV2 | null
}

/** What a link says of it beside. */
export interface MagnetSources {
  /** Display name (`dn`). */
  readonly name: string | null
  /** Usable tracker urls (`tr`), each once, in order. */
  readonly trackers: readonly string[]
  /** Peers with literal addresses (`x.pe`). */
  readonly peers: readonly PeerAddress[]
  /** Selected file indexes (`so`), ascending; null: all. They may lie beyond the torrent's last file. */
  readonly selectedFiles: readonly number[] | null
  /** Web seeds (`ws`, BEP 19), cleaned; absent when there are none. */
  readonly webSeeds?: readonly string[]
}

/** What a magnet link says. */
export interface Magnet extends MagnetTopics, MagnetSources {}

/** Reads a magnet link. Throws DecodeError: too long, no usable `xt`, a bad `so`. */
export function parseMagnet(uri: string): Magnet {
  const parameters = magnetParameters(uri)
  return { ...readTopics(parameters.get('xt') ?? []), ...readMagnetSources(parameters) }
}

/** What `parameters` say beside the topics. Throws DecodeError: a bad `so`. */
export function readMagnetSources(parameters: MagnetParameters): MagnetSources {
  const name = parameters.get('dn')?.[0]
  const webSeeds = cleanWebSeeds(parameters.get('ws') ?? [])
  return {
    name: name === undefined ? null : plainLine(name, MAX_NAME_BYTES),
    trackers: readTrackers(parameters.get('tr') ?? []),
    peers: readPeers(parameters.get('x.pe') ?? []),
    selectedFiles: readSelection((parameters.get('so') ?? []).join(',')),
    ...(webSeeds.length > 0 ? { webSeeds } : {}),
  }
}

/** Values of a link by lower-case name, in order. */
export type MagnetParameters = ReadonlyMap<string, readonly string[]>

/** The decoded values of any magnet link. Throws DecodeError: too long, or none. */
export function magnetParameters(uri: string): MagnetParameters {
  if (uri.length > MAX_MAGNET_CHARS)
    throw new DecodeError(`the magnet link is longer than ${MAX_MAGNET_CHARS} characters`)
  const query = /^\s*magnet:\/?\/?\?(.*)$/is.exec(uri)?.[1]
  if (query === undefined) throw new DecodeError('not a magnet link')
  return readParameters(query.trimEnd())
}

/** Writes a magnet link; parseMagnet reads back the same. */
export function formatMagnet(magnet: Partial<Magnet> & Pick<Magnet, 'infoHash'>): string {
  return `magnet:?${[...topicsOf(magnet), ...magnetSources(magnet)].join('&')}`
}

/** What a link says beside its topics, as `name=value`. */
export function magnetSources(magnet: Partial<MagnetSources>): string[] {
  const parts: string[] = []
  if (magnet.name) parts.push(`dn=${encodeURIComponent(wellFormed(magnet.name))}`)
  for (const tracker of magnet.trackers ?? []) parts.push(`tr=${encodeURIComponent(tracker)}`)
  for (const url of magnet.webSeeds ?? []) parts.push(`ws=${encodeURIComponent(url)}`)
  for (const peer of magnet.peers ?? []) parts.push(`x.pe=${addressKey(peer)}`)
  if (magnet.selectedFiles?.length) parts.push(`so=${formatSelection(magnet.selectedFiles)}`)
  return parts
}

/** Decoded values by lower-case name; a name's counter (`tr.1`) is dropped. */
function readParameters(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>()
  // Links copied out of web pages often carry the page's escape.
  for (const part of query.replaceAll('&amp;', '&').split('&', MAX_PARAMETERS)) {
    const equals = part.indexOf('=')
    if (equals <= 0) continue
    const key = part
      .slice(0, equals)
      .toLowerCase()
      .replace(/\.\d+$/, '')
    const value = unescape(part.slice(equals + 1), key === 'dn')
    if (value === null) continue
    const values = parameters.get(key)
    if (values) values.push(value)
    else parameters.set(key, [value])
  }
  return parameters
}

/** Percent-decoded text, or null when the escapes are broken; `+` is a space only where forms are meant. */
function unescape(text: string, form: boolean): string | null {
  try {
    return decodeURIComponent(form ? text.replaceAll('+', ' ') : text)
  } catch {
    return null
  }
}

/** The topics as `name=value`. */
export function topicsOf({ infoHash, infoHashV2 }: Partial<MagnetTopics> & Pick<MagnetTopics, 'infoHash'>): string[] {
  const v2 = infoHashV2 ?? null
  const topics = v2 !== null && truncatedInfoHash(v2) === infoHash ? [] : [`xt=urn:btih:${infoHash}`]
  return v2 === null ? topics : [...topics, `xt=urn:btmh:${SHA2_256}${v2}`]
}

/** The torrent that the values of `xt` name. Throws DecodeError when they name none. */
export function readTopics(topics: readonly string[]): MagnetTopics {
  const v1 = readInfoHash(topics)
  const infoHashV2 = readInfoHashV2(topics)
  const infoHash = v1 ?? (infoHashV2 === null ? null : truncatedInfoHash(infoHashV2))
  if (infoHash !== null) return { infoHash, infoHashV2 }
  const other = topics.some(topic => /^urn:btmh:/i.test(topic))
  throw new DecodeError(
    other ? 'the magnet link has an info hash of a kind this node does not know' : 'the magnet link has no info hash',
  )
}

/** The first v1 info hash. */
function readInfoHash(topics: readonly string[]): InfoHash | null {
  for (const topic of topics) {
    const text = /^urn:btih:([0-9a-z]+)$/i.exec(topic)?.[1]
    if (text === undefined) continue
    const infoHash = parseInfoHash(text) ?? parseBase32(text)
    if (infoHash === null) throw new DecodeError('the info hash of the magnet link is neither hexadecimal nor base32')
    return infoHash
  }
  return null
}

/** The first v2 info hash; those of other hash functions are passed over. */
function readInfoHashV2(topics: readonly string[]): InfoHashV2 | null {
  for (const topic of topics) {
    const text = /^urn:btmh:1220([0-9a-z]*)$/i.exec(topic)?.[1]
    if (text === undefined) continue
    const infoHash = parseInfoHashV2(text)
    if (infoHash === null) throw new DecodeError('the v2 info hash of the magnet link is not 64 hexadecimal digits')
    return infoHash
  }
  return null
}

/** An info hash in base32 (RFC 4648, 32 characters, any case), or null. */
function parseBase32(text: string): InfoHash | null {
  if (!/^[a-z2-7]{32}$/i.test(text)) return null
  const bytes = new Uint8Array(20)
  let bits = 0
  let pending = 0
  let at = 0
  for (const character of text.toUpperCase()) {
    pending = ((pending << 5) | 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = pending >>> bits
  }
  return infoHashFromBytes(bytes)
}

function readTrackers(texts: readonly string[]): string[] {
  const trackers = new Set<string>()
  for (const text of texts) {
    const url = trackers.size < MAX_TRACKERS ? cleanTracker(text) : null
    if (url !== null) trackers.add(url)
  }
  return [...trackers]
}

function readPeers(texts: readonly string[]): PeerAddress[] {
  const peers = new Map<string, PeerAddress>()
  for (const text of texts) {
    const peer = peers.size < MAX_PEERS ? parsePeerAddress(text) : null
    if (peer !== null) peers.set(addressKey(peer), peer)
  }
  return [...peers.values()]
}

/** BEP 53: `0,2,4-6`. Wrong text is refused: reading it as "all files" would fetch what the user did not ask for. */
function readSelection(text: string): number[] | null {
  if (text === '') return null
  const selected = new Set<number>()
  // Counts repeats too: `so=0-199999,0-199999,...` must not cost more than one of them.
  let room = MAX_FILES
  for (const part of text.split(',')) {
    if (part === '') continue
    const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part)
    if (match === null) throw new DecodeError('the file selection (so) of the magnet link cannot be read')
    const first = Number(match[1])
    const last = match[2] === undefined ? first : Number(match[2])
    room -= last - first + 1
    if (last < first || last >= MAX_FILES || room < 0) {
      throw new DecodeError('the file selection (so) of the magnet link is out of range')
    }
    for (let index = first; index <= last; index++) selected.add(index)
  }
  return selected.size === 0 ? null : [...selected].sort((a, b) => a - b)
}

function formatSelection(files: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const index of [...new Set(files)].sort((a, b) => a - b)) {
    const range = ranges.at(-1)
    if (range && range[1] === index - 1) range[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** Lone halves of surrogate pairs, which encodeURIComponent throws at, become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
