// The message of lt_donthave (BEP 54): its sender no longer has a piece, and answers no request for it.

import { DecodeError } from '../../base/errors.ts'
import { readUint32 } from './messages.ts'

/** The name of the extension in `m` of the extended handshake. */
export const LT_DONTHAVE = 'lt_donthave'

/** The payload: the number of the piece. */
export function encodeDontHave(piece: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(piece)
  return bytes
}

/**
 * The piece that is gone. Throws DecodeError when the payload has not 4 bytes; whether there is such a piece is not
 * checked.
 */
export function decodeDontHave(payload: Uint8Array): number {
  if (payload.length !== 4) throw new DecodeError(`a donthave message of ${payload.length} bytes`)
  return readUint32(payload, 0)
}
