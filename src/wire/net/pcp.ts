// The Port Control Protocol (RFC 6887), as much of it as mapping needs: MAP without options. Packets only; who
// answered, and when to ask again, is for portmap/pcp-client.ts.

import { DecodeError } from '../../base/errors.ts'
import { formatIp, parseIp } from './compact-address.ts'
import type { MapProtocol } from './nat-pmp.ts'

const VERSION = 2
const OP_MAP = 1
const ANSWER = 0x80
/** Protocol numbers of IANA. */
const PROTOCOLS = { tcp: 6, udp: 17 } as const
const HEAD_BYTES = 24
const MAP_BYTES = 60
/** Longest packet (RFC 6887 section 7). */
const MAX_BYTES = 1100

/** Bytes of the nonce that ties an answer to its mapping. */
export const PCP_NONCE_BYTES = 12

/** A mapping that is asked for; lifetime 0 takes it away. */
export interface PcpMap {
  /** PCP_NONCE_BYTES; the same for the whole life of a mapping. */
  readonly nonce: Uint8Array
  readonly protocol: MapProtocol
  /** Where this packet comes from: a literal address. */
  readonly clientIp: string
  readonly internalPort: number
  /** The one we would like; 0 = any. */
  readonly externalPort: number
  /** The one we would like; null = any. */
  readonly externalIp: string | null
  readonly lifetimeSec: number
}

/** An answer: of another version (the server has not read the request), or to MAP. */
export type PcpAnswer =
  | { readonly op: 'version'; readonly version: number }
  | {
      readonly op: 'map'
      /** 0 is success (RFC 6887 section 7.4). */
      readonly result: number
      /** Of the mapping; after a failure: how long the failure will last. */
      readonly lifetimeSec: number
      readonly epochSec: number
      readonly nonce: Uint8Array
      readonly protocol: MapProtocol
      readonly internalPort: number
      readonly externalPort: number
      readonly externalIp: string
    }

/** The 16 bytes of an address: IPv4 as mapped. Throws RangeError when it is no literal. */
function addressBytes(ip: string): Uint8Array {
  const bytes = parseIp(ip)
  if (bytes === null) throw new RangeError('not a literal address')
  if (bytes.length === 16) return bytes
  const mapped = new Uint8Array(16)
  mapped.set([0xff, 0xff], 10)
  mapped.set(bytes, 12)
  return mapped
}

/** Asks for a mapping. */
export function encodePcpMapRequest(map: PcpMap): Uint8Array {
  const bytes = Buffer.alloc(MAP_BYTES)
  bytes[0] = VERSION
  bytes[1] = OP_MAP
  bytes.writeUInt32BE(map.lifetimeSec, 4)
  bytes.set(addressBytes(map.clientIp), 8)
  bytes.set(map.nonce.subarray(0, PCP_NONCE_BYTES), HEAD_BYTES)
  bytes[36] = PROTOCOLS[map.protocol]
  bytes.writeUInt16BE(map.internalPort, 40)
  bytes.writeUInt16BE(map.externalPort, 42)
  // "Any" has to be of the family that is wanted (RFC 6887 section 11.1).
  bytes.set(addressBytes(map.externalIp ?? (map.clientIp.includes(':') ? '::' : '0.0.0.0')), 44)
  return bytes
}

/** Reads an answer. Throws DecodeError. */
export function decodePcpAnswer(datagram: Uint8Array): PcpAnswer {
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength)
  if (bytes.length < 4 || bytes.length > MAX_BYTES) throw new DecodeError(`a PCP answer of ${bytes.length} bytes`)
  if (((bytes[1] ?? 0) & ANSWER) === 0) throw new DecodeError('a PCP request, not an answer')
  // A NAT-PMP gateway answers in its own format that it does not know this version (RFC 6887 section 9).
  if (bytes[0] !== VERSION) return { op: 'version', version: bytes[0] ?? 0 }
  if (bytes[1] !== (ANSWER | OP_MAP)) throw new DecodeError(`a PCP answer to operation ${(bytes[1] ?? 0) & 0x7f}`)
  if (bytes.length < MAP_BYTES) throw new DecodeError('a PCP mapping that is cut off')
  const protocol = bytes[36] === PROTOCOLS.tcp ? 'tcp' : bytes[36] === PROTOCOLS.udp ? 'udp' : null
  if (protocol === null) throw new DecodeError(`a PCP mapping of protocol ${bytes[36]}`)
  return {
    op: 'map',
    result: bytes[3] ?? 0,
    lifetimeSec: bytes.readUInt32BE(4),
    epochSec: bytes.readUInt32BE(8),
    nonce: Uint8Array.from(bytes.subarray(HEAD_BYTES, HEAD_BYTES + PCP_NONCE_BYTES)),
    protocol,
    internalPort: bytes.readUInt16BE(40),
    externalPort: bytes.readUInt16BE(42),
    externalIp: formatIp(bytes.subarray(44, 60)),
  }
}
