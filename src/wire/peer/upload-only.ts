// The message `upload_only`, which libtorrent and its descendants use besides the member of the extended handshake with
// the same name (BEP 21): its sender wants nothing any more, or wants something again.

import { DecodeError } from '../../base/errors.ts'

/** The name of the extension in `m` of the extended handshake. */
export const UPLOAD_ONLY = 'upload_only'

/** The payload: one byte, 1 or 0. */
export function encodeUploadOnly(uploadOnly: boolean): Uint8Array {
  return Uint8Array.of(uploadOnly ? 1 : 0)
}

/**
 * Whether the sender will not download; any byte but 0 says so. Throws DecodeError when the payload has not one byte.
 */
export function decodeUploadOnly(payload: Uint8Array): boolean {
  if (payload.length !== 1) throw new DecodeError(`an upload_only message of ${payload.length} bytes`)
  return payload[0] !== 0
}
