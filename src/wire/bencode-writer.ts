// Writes bencode (BEP 3): dictionaries sorted by key bytes, integers in their one spelling.
// What comes in is made by this program, so a value that has no encoding is a bug and throws TypeError.

import { asBuffer } from './bencode-value.ts'

/**
 * What can be encoded: decoded values, and for convenience text (as UTF-8) and plain objects (keys latin1, undefined
 * left out).
 */
export type BencodeInput =
  | number
  | bigint
  | string
  | Uint8Array
  | readonly BencodeInput[]
  | ReadonlyMap<string, BencodeInput>
  | { readonly [key: string]: BencodeInput | undefined }

const DICT = Buffer.from('d')
const LIST = Buffer.from('l')
const END = Buffer.from('e')

/**
 * The canonical encoding of `value`: encode(decode(x)) is x for every canonical x.
 * Throws TypeError for fractions, numbers beyond 2^53 - 1 and keys with characters above U+00FF.
 */
export function encodeBencode(value: BencodeInput): Uint8Array {
  const parts: Uint8Array[] = []
  write(value, parts)
  return Buffer.concat(parts)
}

function write(value: BencodeInput, parts: Uint8Array[]): void {
  if (typeof value === 'string') writeString(Buffer.from(value, 'utf8'), parts)
  else if (value instanceof Uint8Array) writeString(value, parts)
  else if (typeof value === 'number' || typeof value === 'bigint') writeInt(value, parts)
  else if (isList(value)) {
    parts.push(LIST)
    for (const item of value) write(item, parts)
    parts.push(END)
  } else writeDict(value instanceof Map ? [...value] : Object.entries(value), parts)
}

function isList(value: BencodeInput): value is readonly BencodeInput[] {
  return Array.isArray(value)
}

function writeInt(value: number | bigint, parts: Uint8Array[]): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new TypeError(`no integer: ${value}`)
  // BigInt() also turns -0 into 0.
  parts.push(Buffer.from(`i${BigInt(value)}e`, 'latin1'))
}

function writeString(bytes: Uint8Array, parts: Uint8Array[]): void {
  parts.push(Buffer.from(`${bytes.length}:`, 'latin1'), asBuffer(bytes))
}

function writeDict(entries: [string, BencodeInput | undefined][], parts: Uint8Array[]): void {
  parts.push(DICT)
  // The order of latin1 strings is the order of their bytes.
  for (const [key, value] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue
    writeString(keyBytes(key), parts)
    write(value, parts)
  }
  parts.push(END)
}

function keyBytes(key: string): Uint8Array {
  const bytes = Buffer.from(key, 'latin1')
  if (bytes.toString('latin1') !== key) throw new TypeError('a bencode key must be latin1')
  return bytes
}
