// Announce and scrape over UDP (BEP 15), IPv6 answers (its section IPv6), URL data (BEP 41).
// Packets only: retransmission, connection ids and source addresses are the client's job (tracker/udp-tracker.ts).

import { DecodeError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import { decodeCompactPeers } from '../net/compact-address.ts'
import { type AnnounceRequest, MAX_PEERS_PER_ANSWER, type ScrapeCounts, trackerText } from './tracker-types.ts'

const PROTOCOL_ID = 0x41727101980n
const ACTION_CONNECT = 0
const ACTION_ANNOUNCE = 1
const ACTION_SCRAPE = 2
const ACTION_ERROR = 3
const EVENT_CODES = { completed: 1, started: 2, stopped: 3 } as const

const ANNOUNCE_BYTES = 98
const OPTION_END = 0
const OPTION_URL_DATA = 2
/** One option holds at most 255 bytes (BEP 41). */
const MAX_OPTION_BYTES = 255
/** Longest URL data that is sent, bytes: the packet must fit one datagram of the internet. */
const MAX_URL_DATA_BYTES = 1_000
/** Most torrents of one scrape (BEP 15). */
const MAX_SCRAPE_HASHES = 74

/** What came back. `transactionId` is a 32-bit unsigned number, as sent. */
export type UdpTrackerAnswer =
  | { readonly action: 'connect'; readonly transactionId: number; readonly connectionId: bigint }
  | {
      readonly action: 'announce'
      readonly transactionId: number
      readonly intervalSec: number
      readonly leechers: number
      readonly seeders: number
      readonly peers: readonly PeerAddress[]
    }
  | { readonly action: 'scrape'; readonly transactionId: number; readonly counts: readonly ScrapeCounts[] }
  | { readonly action: 'error'; readonly transactionId: number; readonly message: string }

/** 16 bytes that ask for a connection id. */
export function encodeUdpConnect(transactionId: number): Uint8Array {
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64BE(PROTOCOL_ID, 0)
  bytes.writeUInt32BE(ACTION_CONNECT, 8)
  bytes.writeUInt32BE(transactionId, 12)
  return bytes
}

function urlDataOptions(urlData: string): Uint8Array {
  const data = Buffer.from(urlData, 'latin1').subarray(0, MAX_URL_DATA_BYTES)
  if (data.length === 0) return data
  const parts: Uint8Array[] = []
  for (let at = 0; at < data.length; at += MAX_OPTION_BYTES) {
    const chunk = data.subarray(at, at + MAX_OPTION_BYTES)
    parts.push(Uint8Array.of(OPTION_URL_DATA, chunk.length), chunk)
  }
  return Buffer.concat([...parts, Uint8Array.of(OPTION_END)])
}

function clampU64(value: number): bigint {
  return Number.isSafeInteger(value) && value > 0 ? BigInt(value) : 0n
}

/** An announce. `urlData` is path and query of the tracker's URL (BEP 41), '' for none. */
export function encodeUdpAnnounce(
  connectionId: bigint,
  transactionId: number,
  request: AnnounceRequest,
  urlData: string,
): Uint8Array {
  const bytes = Buffer.alloc(ANNOUNCE_BYTES)
  bytes.writeBigUInt64BE(connectionId, 0)
  bytes.writeUInt32BE(ACTION_ANNOUNCE, 8)
  bytes.writeUInt32BE(transactionId, 12)
  bytes.set(request.infoHash.subarray(0, 20), 16)
  bytes.set(request.peerId.subarray(0, 20), 36)
  bytes.writeBigUInt64BE(clampU64(request.downloaded), 56)
  bytes.writeBigUInt64BE(clampU64(request.left), 64)
  bytes.writeBigUInt64BE(clampU64(request.uploaded), 72)
  bytes.writeUInt32BE(request.event === null ? 0 : EVENT_CODES[request.event], 80)
  // 84: address 0 = the one the packet comes from.
  bytes.writeUInt32BE(request.key, 88)
  bytes.writeInt32BE(request.numWant, 92)
  bytes.writeUInt16BE(request.port, 96)
  return Buffer.concat([bytes, urlDataOptions(urlData)])
}

/** A scrape of up to MAX_SCRAPE_HASHES torrents (20 bytes each). */
export function encodeUdpScrape(
  connectionId: bigint,
  transactionId: number,
  infoHashes: readonly Uint8Array[],
): Uint8Array {
  if (infoHashes.length > MAX_SCRAPE_HASHES) throw new RangeError('too many torrents for one scrape')
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64BE(connectionId, 0)
  bytes.writeUInt32BE(ACTION_SCRAPE, 8)
  bytes.writeUInt32BE(transactionId, 12)
  return Buffer.concat([bytes, ...infoHashes])
}

function decodeAnnounceAnswer(bytes: Buffer, transactionId: number, ipBytes: 4 | 16): UdpTrackerAnswer {
  if (bytes.length < 20) throw new DecodeError('a UDP announce answer that is cut off')
  return {
    action: 'announce',
    transactionId,
    intervalSec: bytes.readUInt32BE(8),
    leechers: bytes.readUInt32BE(12),
    seeders: bytes.readUInt32BE(16),
    peers: decodeCompactPeers(bytes.subarray(20), ipBytes, MAX_PEERS_PER_ANSWER),
  }
}

function decodeScrapeAnswer(bytes: Buffer, transactionId: number): UdpTrackerAnswer {
  if ((bytes.length - 8) % 12 !== 0) throw new DecodeError('a UDP scrape answer that is cut off')
  const counts: ScrapeCounts[] = []
  for (let at = 8; at < bytes.length && counts.length < MAX_SCRAPE_HASHES; at += 12) {
    counts.push({
      seeders: bytes.readUInt32BE(at),
      completed: bytes.readUInt32BE(at + 4),
      leechers: bytes.readUInt32BE(at + 8),
    })
  }
  return { action: 'scrape', transactionId, counts }
}

/** The transaction id of an answer, or null when the datagram is too short to be one. */
export function udpTransactionId(datagram: Uint8Array): number | null {
  if (datagram.length < 8) return null
  return Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength).readUInt32BE(4)
}

/** Reads an answer; `ipBytes` is 4 on an IPv4 socket, 16 on an IPv6 one. Throws DecodeError. */
export function decodeUdpAnswer(datagram: Uint8Array, ipBytes: 4 | 16): UdpTrackerAnswer {
  if (datagram.length < 8) throw new DecodeError('a UDP tracker answer under 8 bytes')
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength)
  const action = bytes.readUInt32BE(0)
  const transactionId = bytes.readUInt32BE(4)
  if (action === ACTION_CONNECT) {
    if (bytes.length < 16) throw new DecodeError('a UDP connect answer that is cut off')
    return { action: 'connect', transactionId, connectionId: bytes.readBigUInt64BE(8) }
  }
  if (action === ACTION_ANNOUNCE) return decodeAnnounceAnswer(bytes, transactionId, ipBytes)
  if (action === ACTION_SCRAPE) return decodeScrapeAnswer(bytes, transactionId)
  if (action === ACTION_ERROR) return { action: 'error', transactionId, message: trackerText(bytes.subarray(8)) }
  throw new DecodeError(`a UDP tracker answer with action ${action}`)
}
