// The extended handshake (BEP 10; metadata_size of BEP 9, upload_only of BEP 21): what a peer says about itself.
// Every member is optional and read alone: one that is absent or makes no sense is null, the others still count.

import { DecodeError } from '../../base/errors.ts'
import {
  type BencodeDict,
  decodeBencodePrefix,
  encodeBencode,
  getBytes,
  getDict,
  getInt,
  utf8Text,
} from '../bencode.ts'
import { MAX_METAINFO_BYTES } from '../metainfo/metainfo-length.ts'
import { plainLine } from '../plain-text.ts'

/** Message id of the extended handshake. */
export const EXTENDED_HANDSHAKE_ID = 0

/** Largest extended handshake, bytes: real ones have a few hundred. */
const MAX_PAYLOAD_BYTES = 16 * 1024

/** Most extensions taken from `m`; clients in the field name about ten. */
const MAX_EXTENSIONS = 100

/** Longest client name, bytes of UTF-8. */
const MAX_VERSION_BYTES = 128

/** An extended handshake. */
export interface ExtendedHandshake {
  /** Extension name to the message id its sender wants to receive (1 to 255); 0 switches it off. */
  readonly m: ReadonlyMap<string, number>
  /** Client name and version (`v`). */
  readonly version: string | null
  /** TCP port the sender listens on (`p`). */
  readonly listenPort: number | null
  /** Bytes of the info dictionary, 1 to 16 MiB. */
  readonly metadataSize: number | null
  /** Requests the sender keeps without dropping (`reqq`), at least 1. */
  readonly requestQueue: number | null
  /** The receiver's address as the sender sees it: 4 or 16 bytes (`yourip`). */
  readonly yourIp: Uint8Array | null
  /** The sender will not download (BEP 21). */
  readonly uploadOnly: boolean
}

/** The payload of an extended handshake; members that are null or absent are left out. */
export function encodeExtendedHandshake(handshake: Partial<ExtendedHandshake>): Uint8Array {
  return encodeBencode({
    m: handshake.m ?? new Map(),
    v: handshake.version ?? undefined,
    p: handshake.listenPort ?? undefined,
    metadata_size: handshake.metadataSize ?? undefined,
    reqq: handshake.requestQueue ?? undefined,
    yourip: handshake.yourIp ?? undefined,
    // Also 0 is written: a later handshake may take back what an earlier one said.
    upload_only: handshake.uploadOnly === undefined ? undefined : handshake.uploadOnly ? 1 : 0,
  })
}

/**
 * Reads the payload of an extended handshake; nothing in the result is a view. Throws DecodeError when it is no
 * dictionary.
 */
export function decodeExtendedHandshake(payload: Uint8Array): ExtendedHandshake {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new DecodeError('the extended handshake is too long')
  const dict = decodeBencodePrefix(payload).value
  if (!(dict instanceof Map)) throw new DecodeError('the extended handshake is not a dictionary')
  return {
    m: readExtensions(getDict(dict, 'm')),
    version: readVersion(getBytes(dict, 'v')),
    listenPort: inRange(dict, 'p', 65535),
    metadataSize: inRange(dict, 'metadata_size', MAX_METAINFO_BYTES),
    requestQueue: inRange(dict, 'reqq', Number.MAX_SAFE_INTEGER),
    yourIp: readIp(getBytes(dict, 'yourip')),
    uploadOnly: inRange(dict, 'upload_only', Number.MAX_SAFE_INTEGER) !== null,
  }
}

function readExtensions(dict: BencodeDict | null): Map<string, number> {
  const extensions = new Map<string, number>()
  for (const [name, id] of dict ?? []) {
    if (extensions.size >= MAX_EXTENSIONS) break
    if (typeof id === 'number' && id >= 0 && id <= 255) extensions.set(name, id)
  }
  return extensions
}

function readVersion(bytes: Uint8Array | null): string | null {
  const text = bytes === null ? null : utf8Text(bytes)
  return text === null ? null : plainLine(text, MAX_VERSION_BYTES)
}

function readIp(bytes: Uint8Array | null): Uint8Array | null {
  return bytes !== null && (bytes.length === 4 || bytes.length === 16) ? new Uint8Array(bytes) : null
}

/** The integer at `key` when it lies from 1 to `max`. */
function inRange(dict: BencodeDict, key: string, max: number): number | null {
  const value = getInt(dict, key)
  return value !== null && value >= 1 && value <= max ? value : null
}
