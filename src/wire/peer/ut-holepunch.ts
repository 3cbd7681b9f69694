// The messages of ut_holepunch (BEP 55): two peers that no one can connect to ask a third one, which both are connected
// to, to make them call each other at the same time. Only the spelling: whose endpoint it is, torrent/holepunch.ts
// decides.

import { DecodeError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import { encodeCompactPeer, formatIp } from '../net/compact-address.ts'
import { readUint32 } from './messages.ts'

/** The name of the extension in `m` of the extended handshake. */
export const UT_HOLEPUNCH = 'ut_holepunch'

/** Why a rendezvous does not come about (BEP 55). */
export const HOLEPUNCH_ERRORS = {
  /** The endpoint is none. */
  noSuchPeer: 1,
  /** The relaying peer is not connected to it. */
  notConnected: 2,
  /** It does not have the extension. */
  noSupport: 3,
  /** It is the relaying peer itself. */
  noSelf: 4,
} as const

/**
 * A message. `address` is as it came: it may be one that no peer can have, also with port 0. `code` is one of
 * HOLEPUNCH_ERRORS or a later one. `unknown`: a type or an address family that later versions may add, to be ignored.
 */
export type HolepunchMessage =
  | { readonly type: 'rendezvous'; readonly address: PeerAddress }
  | { readonly type: 'connect'; readonly address: PeerAddress }
  | { readonly type: 'error'; readonly address: PeerAddress; readonly code: number }
  | { readonly type: 'unknown' }

const TYPES = ['rendezvous', 'connect', 'error'] as const
const FAMILY_4 = 0
const FAMILY_6 = 1

/** The payload of a message. Throws RangeError when `address.ip` is no literal address. */
export function encodeHolepunch(message: Exclude<HolepunchMessage, { readonly type: 'unknown' }>): Uint8Array {
  const endpoint = encodeCompactPeer(message.address)
  const bytes = Buffer.alloc(2 + endpoint.length + 4)
  bytes[0] = TYPES.indexOf(message.type)
  bytes[1] = endpoint.length === 6 ? FAMILY_4 : FAMILY_6
  bytes.set(endpoint, 2)
  if (message.type === 'error') bytes.writeUInt32BE(message.code, 2 + endpoint.length)
  return bytes
}

/**
 * Reads the payload of a message. Throws DecodeError when it is cut off; libtorrent leaves the code out but in errors.
 */
export function decodeHolepunch(payload: Uint8Array): HolepunchMessage {
  if (payload.length < 2) throw new DecodeError('a holepunch message that is cut off')
  const type = TYPES[payload[0] ?? TYPES.length]
  const family = payload[1]
  if (type === undefined || (family !== FAMILY_4 && family !== FAMILY_6)) return { type: 'unknown' }
  const codeAt = 2 + (family === FAMILY_4 ? 4 : 16) + 2
  if (payload.length < codeAt) throw new DecodeError('a holepunch message that is cut off')
  const port = ((payload[codeAt - 2] ?? 0) << 8) | (payload[codeAt - 1] ?? 0)
  const address = { ip: formatIp(payload.subarray(2, codeAt - 2)), port }
  if (type !== 'error') return { type, address }
  if (payload.length < codeAt + 4) throw new DecodeError('a holepunch error without its code')
  return { type, address, code: readUint32(payload, codeAt) }
}
