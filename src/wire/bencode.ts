// bencode (BEP 3) for the rest of the node: decode whole values or prefixes, encode, and cut raw slices out of
// dictionaries and lists without building them. Holds no parsing itself. Decoded strings and slices are views.

import { DecodeError } from '../base/errors.ts'
import { BencodeReader } from './bencode-reader.ts'
import type { BencodeDict, BencodeValue } from './bencode-value.ts'
import { runSteps, type Steps } from './steps.ts'

export { MAX_DEPTH, MAX_VALUES } from './bencode-reader.ts'
export {
  asBuffer,
  type BencodeDict,
  type BencodeValue,
  getBytes,
  getDict,
  getInt,
  getList,
  getText,
  utf8Text,
} from './bencode-value.ts'
export { type BencodeInput, encodeBencode } from './bencode-writer.ts'

/** The one value that `bytes` spell. Throws DecodeError, also for bytes after it unless `allowTrailing`. */
export function decodeBencode(bytes: Uint8Array, options: { allowTrailing?: boolean } = {}): BencodeValue {
  const { value, end } = decodeBencodePrefix(bytes)
  if (end !== bytes.length && !options.allowTrailing) throw new DecodeError('bencode: bytes after the value')
  return value
}

/** The value that `bytes` begin with and the offset of the first byte after it. Throws DecodeError. */
export function decodeBencodePrefix(bytes: Uint8Array): { value: BencodeValue; end: number } {
  const reader = new BencodeReader(bytes)
  const value = reader.value()
  return { value, end: reader.position }
}

/** The entries of `slices` named in `keys`, decoded. Throws DecodeError. */
export function decodeEntries(slices: ReadonlyMap<string, Uint8Array>, keys: readonly string[]): BencodeDict {
  const dict: BencodeDict = new Map()
  for (const key of keys) {
    const slice = slices.get(key)
    if (slice !== undefined) dict.set(key, decodeBencode(slice))
  }
  return dict
}

/** Most entries of a dictionary cut by dictSlices: each costs a view. No format has a hundredth of it. */
const MAX_SLICES = 10_000

/**
 * Every raw value of the dictionary that `bytes` are, by key (latin1). Nested values are checked for structure only.
 * Throws DecodeError: not one dictionary (bytes after it may be allowed), a key twice, more than 10,000 entries.
 */
export function dictSlices(bytes: Uint8Array, options: { allowTrailing?: boolean } = {}): Map<string, Uint8Array> {
  return runSteps(dictSlicesInSteps(bytes, options))
}

/** As dictSlices, in steps. */
export function* dictSlicesInSteps(
  bytes: Uint8Array,
  options: { allowTrailing?: boolean } = {},
): Steps<Map<string, Uint8Array>> {
  const reader = new BencodeReader(bytes)
  const slices = new Map<string, Uint8Array>()
  reader.openDict()
  while (!reader.closed()) {
    const key = reader.key()
    if (slices.has(key)) throw new DecodeError('bencode: a key stands twice')
    if (slices.size >= MAX_SLICES) throw new DecodeError('bencode: too many keys')
    const start = reader.position
    yield* reader.skip()
    slices.set(key, bytes.subarray(start, reader.position))
  }
  if (!reader.atEnd && !options.allowTrailing) throw new DecodeError('bencode: bytes after the value')
  return slices
}

/** Items of a list visited in one step, and bytes of them: what is done with an item grows with its length. */
const ITEMS_A_STEP = 256
const BYTES_A_STEP = 128 * 1024

/**
 * Decodes the items of the list that `bytes` are one after the other, so that a long list never lies in memory whole.
 * Throws DecodeError, and what `visit` throws.
 */
export function visitList(bytes: Uint8Array, visit: (item: BencodeValue, index: number) => void): void {
  runSteps(visitListInSteps(bytes, visit))
}

/** As visitList, in steps. */
export function* visitListInSteps(bytes: Uint8Array, visit: (item: BencodeValue, index: number) => void): Steps<void> {
  const reader = new BencodeReader(bytes)
  reader.openList()
  let from = reader.position
  for (let index = 0; !reader.closed(); index++) {
    visit(reader.item(), index)
    if (index % ITEMS_A_STEP !== ITEMS_A_STEP - 1 && reader.position - from < BYTES_A_STEP) continue
    from = reader.position
    yield
  }
  if (!reader.atEnd) throw new DecodeError('bencode: bytes after the value')
}

/** Entries of a dictionary visited in one step. */
const ENTRIES_A_STEP = 256

/**
 * Calls `visit` with the key (latin1) and the raw value of each entry of the dictionary that `bytes` are, in their
 * order also repeated keys: a longer dictionary needs no more memory. In steps. Throws DecodeError, and what `visit`
 * throws.
 */
export function* visitDictInSteps(bytes: Uint8Array, visit: (key: string, value: Uint8Array) => void): Steps<void> {
  const reader = new BencodeReader(bytes)
  reader.openDict()
  for (let entry = 1; !reader.closed(); entry++) {
    const key = reader.key()
    const start = reader.position
    yield* reader.skip()
    visit(key, bytes.subarray(start, reader.position))
    if (entry % ENTRIES_A_STEP === 0) yield
  }
  if (!reader.atEnd) throw new DecodeError('bencode: bytes after the value')
}
