// Local service discovery (BEP 14): the datagram by which a client tells its local network which torrents it takes part
// in. HTTP in form only: names of headers in any case, unknown ones ignored, an empty line at the end.

import { DecodeError } from '../../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../base/ids.ts'

/** The multicast groups and their port (BEP 14). */
export const LSD_GROUPS = { 4: '239.192.152.143', 6: 'ff15::efc0:988f' } as const

/** The port of both groups. */
export const LSD_PORT = 6771

/** Longest datagram, bytes: it is not to be fragmented (BEP 14). */
export const MAX_LSD_BYTES = 1400

/** Info hashes that fit a datagram, whatever the rest of it; of a foreign one no more are read. */
export const MAX_LSD_HASHES = 25

/**
 * Longest cookie that is written or kept, characters. A foreign one is only compared with ours, so a longer one is as
 * none.
 */
export const MAX_LSD_COOKIE = 16

/** Longest datagram that is read, bytes: nothing longer comes over an Ethernet in one piece. */
const MAX_READ_BYTES = 1500

const START_LINE = /^BT-SEARCH \* HTTP\/1\.\d$/i
const NOBODY = '0'.repeat(40)

/** One announce. */
export interface LsdAnnounce {
  /** The TCP port its sender listens on. */
  readonly port: number
  /** At least one, none twice. */
  readonly infoHashes: readonly InfoHash[]
  /** Lets the sender recognise its own datagrams; null = none. */
  readonly cookie: string | null
}

/** A datagram for the group of `family`. Throws RangeError when it would be longer than MAX_LSD_BYTES. */
export function encodeLsdAnnounce(family: 4 | 6, announce: LsdAnnounce): Uint8Array {
  const host = family === 4 ? LSD_GROUPS[4] : `[${LSD_GROUPS[6]}]`
  const lines = [
    'BT-SEARCH * HTTP/1.1',
    `Host: ${host}:${LSD_PORT}`,
    `Port: ${announce.port}`,
    ...announce.infoHashes.map(infoHash => `Infohash: ${infoHash}`),
    ...(announce.cookie === null ? [] : [`cookie: ${announce.cookie}`]),
  ]
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n\r\n`, 'latin1')
  if (bytes.length > MAX_LSD_BYTES) throw new RangeError(`an announce of ${bytes.length} bytes`)
  return bytes
}

/**
 * Reads a datagram. Info hashes that are none are left out. Throws DecodeError: too long, cut off, no announce, no
 * usable port, no info hash.
 */
export function decodeLsdAnnounce(bytes: Uint8Array): LsdAnnounce {
  if (bytes.length > MAX_READ_BYTES) throw new DecodeError('the announce is too long')
  const lines = Buffer.from(bytes).toString('latin1').split(/\r?\n/)
  const end = lines.indexOf('')
  if (end < 0) throw new DecodeError('the announce is cut off')
  if (!START_LINE.test(lines[0] ?? '')) throw new DecodeError('not an announce')
  let port: number | null = null
  let cookie: string | null = null
  const infoHashes = new Set<InfoHash>()
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).trim()
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (name === 'port') port ??= readPort(value)
    else if (name === 'cookie') cookie ??= readCookie(value)
    else if (name === 'infohash') addInfoHash(value, infoHashes)
  }
  if (port === null) throw new DecodeError('the announce has no usable port')
  if (infoHashes.size === 0) throw new DecodeError('the announce names no torrent')
  return { port, infoHashes: [...infoHashes], cookie }
}

function readPort(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : null
}

function readCookie(text: string): string | null {
  return text === '' || text.length > MAX_LSD_COOKIE ? null : text
}

function addInfoHash(text: string, into: Set<InfoHash>): void {
  const infoHash = parseInfoHash(text)
  if (infoHash !== null && infoHash !== NOBODY && into.size < MAX_LSD_HASHES) into.add(infoHash)
}
