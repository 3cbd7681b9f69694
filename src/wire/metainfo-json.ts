// A metainfo file as JSON for /torrentinfo (decisions part 2): text where the bytes are UTF-8, hexadecimal where they are
// not, and always for what is binary by its meaning. For people to read, not to be turned back.

import type { BencodeValue } from './bencode.ts'
import { asBuffer, decodeBencode, utf8Text } from './bencode.ts'

/** A JSON value. */
export type MetainfoJson = null | boolean | number | string | MetainfoJson[] | { [key: string]: MetainfoJson }

/** Hashes: hexadecimal even when their bytes happen to be text. */
const BINARY_KEYS = new Set(['pieces', 'pieces root', 'piece layers', 'sha1', 'ed2k', 'filehash', 'root hash'])

/**
 * `source` (bencoded bytes or a decoded value) as JSON. Integers beyond 2^53 - 1 become decimal text; keys that are not
 * UTF-8 become hexadecimal. Throws DecodeError for bytes that are not bencode.
 */
export function metainfoJson(source: BencodeValue): MetainfoJson {
  return toJson(source instanceof Uint8Array ? decodeBencode(source, { allowTrailing: true }) : source, false)
}

function toJson(value: BencodeValue, binary: boolean): MetainfoJson {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return binary ? hex(value) : (utf8Text(value) ?? hex(value))
  if (Array.isArray(value)) return value.map(item => toJson(item, binary))
  // fromEntries defines own members, so that a key `__proto__` is a member like any other.
  return Object.fromEntries(
    [...value].map(([key, item]) => [keyText(key, binary), toJson(item, binary || BINARY_KEYS.has(key))]),
  )
}

function keyText(key: string, binary: boolean): string {
  const bytes = Buffer.from(key, 'latin1')
  return binary ? hex(bytes) : (utf8Text(bytes) ?? hex(bytes))
}

function hex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex')
}
