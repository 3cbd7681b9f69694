// The 68-byte handshake that opens a peer connection (BEP 3), with the reserved bits of BEP 5, 6, 10 and 52.
// Whether the info hash is one of ours is the session's business.

import { DecodeError } from '../../base/errors.ts'
import { type InfoHash, infoHashBytes, infoHashFromBytes } from '../../base/ids.ts'

/** Length of a handshake, bytes. */
export const HANDSHAKE_BYTES = 68

/** What the reserved bits say. */
export interface HandshakeExtensions {
  /** Fast extension (BEP 6). */
  readonly fast: boolean
  /** Extension protocol (BEP 10). */
  readonly extended: boolean
  /** DHT (BEP 5). */
  readonly dht: boolean
  /**
   * The torrent has a v2 part: a peer that is asked by its v1 hash may answer with the v2 one (BEP 52). Absent = false.
   */
  readonly v2?: boolean
}

/** A handshake. `peerId` has 20 bytes. */
export interface Handshake {
  readonly infoHash: InfoHash
  readonly peerId: Uint8Array
  readonly extensions: HandshakeExtensions
}

const PROTOCOL = Buffer.from('\x13BitTorrent protocol', 'latin1')
const RESERVED_AT = PROTOCOL.length
const INFO_HASH_AT = RESERVED_AT + 8
const PEER_ID_AT = INFO_HASH_AT + 20

/** The 68 bytes of a handshake. Throws RangeError when the peer id has not 20 bytes. */
export function encodeHandshake(handshake: Handshake): Uint8Array {
  if (handshake.peerId.length !== 20) throw new RangeError('a peer id has 20 bytes')
  const bytes = Buffer.alloc(HANDSHAKE_BYTES)
  bytes.set(PROTOCOL, 0)
  if (handshake.extensions.extended) bytes[RESERVED_AT + 5] = 0x10
  const { fast, dht, v2 } = handshake.extensions
  bytes[RESERVED_AT + 7] = (v2 ? 0x10 : 0) | (fast ? 0x04 : 0) | (dht ? 0x01 : 0)
  bytes.set(infoHashBytes(handshake.infoHash), INFO_HASH_AT)
  bytes.set(handshake.peerId, PEER_ID_AT)
  return bytes
}

/** Reads a handshake of exactly 68 bytes; the peer id is a copy. Throws DecodeError when it is another protocol's. */
export function decodeHandshake(bytes: Uint8Array): Handshake {
  if (bytes.length !== HANDSHAKE_BYTES) throw new DecodeError('a handshake has 68 bytes')
  if (!startsLikeHandshake(bytes)) throw new DecodeError('not a BitTorrent handshake')
  const last = bytes[RESERVED_AT + 7] as number
  return {
    infoHash: infoHashFromBytes(bytes.subarray(INFO_HASH_AT, PEER_ID_AT)),
    peerId: new Uint8Array(bytes.subarray(PEER_ID_AT)),
    extensions: {
      fast: (last & 0x04) !== 0,
      extended: ((bytes[RESERVED_AT + 5] as number) & 0x10) !== 0,
      dht: (last & 0x01) !== 0,
      v2: (last & 0x10) !== 0,
    },
  }
}

/** True while `bytes` (any number of them) can be the beginning of a handshake: lets garbage be dropped early. */
export function startsLikeHandshake(bytes: Uint8Array): boolean {
  const count = Math.min(bytes.length, PROTOCOL.length)
  for (let at = 0; at < count; at++) if (bytes[at] !== PROTOCOL[at]) return false
  return true
}
