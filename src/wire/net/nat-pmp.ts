// NAT-PMP (RFC 6886): what is sent to a gateway at UDP port 5351 and what it answers. Packets only; who answered, and
// when to ask again, is for portmap/nat-pmp-client.ts.

import { DecodeError } from '../../base/errors.ts'
import { formatIp } from './compact-address.ts'

const VERSION = 0
const OP_ADDRESS = 0
/** Operations of a mapping, by protocol. */
const OP_MAP = { udp: 1, tcp: 2 } as const
const ANSWER = 128

/** What a mapping is for. */
export type MapProtocol = 'tcp' | 'udp'

/** A mapping that is asked for; lifetime 0 takes it away. */
export interface NatPmpMap {
  readonly protocol: MapProtocol
  readonly internalPort: number
  /** The one we would like; 0 = any. */
  readonly externalPort: number
  readonly lifetimeSec: number
}

/** An answer. `result` 0 is success (RFC 6886 section 3.5); the rest means something only then. */
export type NatPmpAnswer =
  | { readonly op: 'address'; readonly result: number; readonly epochSec: number; readonly ip: string | null }
  | ({ readonly op: 'map'; readonly result: number; readonly epochSec: number } & NatPmpMap)

/** Asks for the address of the gateway outside. */
export function encodeNatPmpAddressRequest(): Uint8Array {
  return Uint8Array.of(VERSION, OP_ADDRESS)
}

/** Asks for a mapping. */
export function encodeNatPmpMapRequest(map: NatPmpMap): Uint8Array {
  const bytes = Buffer.alloc(12)
  bytes[0] = VERSION
  bytes[1] = OP_MAP[map.protocol]
  bytes.writeUInt16BE(map.internalPort, 4)
  bytes.writeUInt16BE(map.externalPort, 6)
  bytes.writeUInt32BE(map.lifetimeSec, 8)
  return bytes
}

/** Reads an answer. Throws DecodeError; an answer that tells of a failure may be cut off behind its first 8 bytes. */
export function decodeNatPmpAnswer(datagram: Uint8Array): NatPmpAnswer {
  const bytes = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength)
  if (bytes.length < 8) throw new DecodeError('a NAT-PMP answer under 8 bytes')
  if (bytes[0] !== VERSION) throw new DecodeError(`NAT-PMP version ${bytes[0]}`)
  const result = bytes.readUInt16BE(2)
  const epochSec = bytes.readUInt32BE(4)
  const op = (bytes[1] ?? 0) - ANSWER
  if (op === OP_ADDRESS) {
    if (result === 0 && bytes.length < 12) throw new DecodeError('a NAT-PMP address that is cut off')
    return { op: 'address', result, epochSec, ip: result === 0 ? formatIp(bytes.subarray(8, 12)) : null }
  }
  const protocol = op === OP_MAP.udp ? 'udp' : op === OP_MAP.tcp ? 'tcp' : null
  if (protocol === null) throw new DecodeError(`a NAT-PMP answer to operation ${op}`)
  if (bytes.length < 16) {
    if (result === 0) throw new DecodeError('a NAT-PMP mapping that is cut off')
    return { op: 'map', result, epochSec, protocol, internalPort: 0, externalPort: 0, lifetimeSec: 0 }
  }
  return {
    op: 'map',
    result,
    epochSec,
    protocol,
    internalPort: bytes.readUInt16BE(8),
    externalPort: bytes.readUInt16BE(10),
    lifetimeSec: bytes.readUInt32BE(12),
  }
}
