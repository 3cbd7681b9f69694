// The values of bencode (BEP 3) and typed getters for dictionaries that came from outside.
// Keys are latin1 strings, one character a byte: binary keys survive, and a Map has no magic names such as __proto__.
// The getters never throw: a value that is absent or of another type is null.

import { isUtf8 } from 'node:buffer'

/** A decoded value. Integers beyond 2^53 - 1 are bigints; strings are bytes (views of what was decoded). */
export type BencodeValue = number | bigint | Uint8Array | BencodeValue[] | BencodeDict

/** A decoded dictionary; keys are latin1 strings. */
export type BencodeDict = Map<string, BencodeValue>

/** The UTF-8 text of `bytes`, or null when they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? asBuffer(bytes).toString('utf8') : null
}

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The integer at `key` when it is one that a number holds exactly, else null. */
export function getInt(dict: BencodeDict, key: string): number | null {
  const value = dict.get(key)
  return typeof value === 'number' ? value : null
}

/** The byte string at `key`, else null. A view: copy what is kept. */
export function getBytes(dict: BencodeDict, key: string): Uint8Array | null {
  const value = dict.get(key)
  return value instanceof Uint8Array ? value : null
}

/** The byte string at `key` as text when it is UTF-8, else null. */
export function getText(dict: BencodeDict, key: string): string | null {
  const value = dict.get(key)
  return value instanceof Uint8Array ? utf8Text(value) : null
}

/** The list at `key`, else null. */
export function getList(dict: BencodeDict, key: string): BencodeValue[] | null {
  const value = dict.get(key)
  return Array.isArray(value) ? value : null
}

/** The dictionary at `key`, else null. */
export function getDict(dict: BencodeDict, key: string): BencodeDict | null {
  const value = dict.get(key)
  return value instanceof Map ? value : null
}
