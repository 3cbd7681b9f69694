// Reads transactions and blocks of chains of Bitcoin's kind from bytes that a server gave: ids are computed here, never
// believed (BIP 141, 144; of Litecoin's extension blocks, LIP 2 and 3, the part in plain blocks). DecodeError for
// anything else.

import { createHash } from 'node:crypto'
import { DecodeError } from '../../../base/errors.ts'

/** A transaction, as far as a wallet must know it. Ids are as they are shown: reversed, hexadecimal. */
export interface ReadTransaction {
  readonly txid: string
  readonly inputs: readonly { readonly txid: string; readonly index: number; readonly sequence: number }[]
  readonly outputs: readonly { readonly script: string; readonly value: bigint }[]
  readonly coinbase: boolean
  /** The bytes it was read from. */
  readonly raw: Uint8Array
}

/** A block. */
export interface ReadBlock {
  readonly header: Uint8Array
  readonly hash: string
  readonly previous: string
  /** Unix time, seconds, as its miner says. */
  readonly time: number
  /** Compact target. */
  readonly bits: number
  readonly transactions: readonly ReadTransaction[]
}

const HEADER_BYTES = 80
const NO_TXID = '0'.repeat(64)
const MAX_SCRIPT_BYTES = 4_000_000
const WITNESS = 1
const MWEB = 8
/** All coins there will ever be, of any such chain, in the smallest unit: 84 million. */
const MAX_VALUE = 8_400_000_000_000_000n

/** SHA-256 twice. */
export function doubleSha256(...parts: readonly Uint8Array[]): Buffer {
  const first = createHash('sha256')
  for (const part of parts) first.update(part)
  return createHash('sha256').update(first.digest()).digest()
}

/** Bytes as ids are shown. */
export function shownId(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex')
}

class ByteReader {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  take(count: number): Buffer {
    if (count > this.bytes.length - this.at) throw new DecodeError('a transaction or block ends too early')
    this.at += count
    return this.bytes.subarray(this.at - count, this.at)
  }

  u8(): number {
    return this.take(1).readUInt8()
  }

  u32(): number {
    return this.take(4).readUInt32LE()
  }

  count(most: number): number {
    const first = this.u8()
    const value =
      first < 0xfd ? first : first === 0xfd ? this.take(2).readUInt16LE() : first === 0xfe ? this.u32() : most + 1
    if (value > most) throw new DecodeError('a transaction or block has a count that is too large')
    return value
  }
}

function readInput(reader: ByteReader): ReadTransaction['inputs'][number] {
  const txid = shownId(reader.take(32))
  const index = reader.u32()
  reader.take(reader.count(MAX_SCRIPT_BYTES))
  return { txid, index, sequence: reader.u32() }
}

function readOutput(reader: ByteReader): ReadTransaction['outputs'][number] {
  const value = reader.take(8).readBigUInt64LE()
  if (value > MAX_VALUE) throw new DecodeError('an output has more than there is')
  return { value, script: reader.take(reader.count(MAX_SCRIPT_BYTES)).toString('hex') }
}

function listOf<T>(reader: ByteReader, read: (reader: ByteReader) => T): T[] {
  // Each takes at least nine bytes.
  const count = reader.count(Math.floor((reader.bytes.length - reader.at) / 9))
  return Array.from({ length: count }, () => read(reader))
}

function readWitnesses(reader: ByteReader, inputs: number, each?: (input: number, item: Buffer) => void): void {
  for (let input = 0; input < inputs; input += 1) {
    const items = reader.count(reader.bytes.length)
    for (let item = 0; item < items; item += 1) {
      const bytes = reader.take(reader.count(MAX_SCRIPT_BYTES))
      each?.(input, bytes)
    }
  }
}

/** Marker and flags of the parts beside inputs and outputs; 0 = none. */
function readFlags(reader: ByteReader): number {
  const [marker, flags = 0] = reader.bytes.subarray(reader.at, reader.at + 2)
  if (marker !== 0 || flags === 0) return 0
  if ((flags & ~(WITNESS | MWEB)) !== 0) throw new DecodeError('a transaction has parts of an unknown kind')
  reader.at += 2
  return flags
}

function readOne(reader: ByteReader): ReadTransaction {
  const start = reader.at
  const version = reader.take(4)
  const flags = readFlags(reader)
  const bodyStart = reader.at
  const inputs = listOf(reader, readInput)
  const outputs = listOf(reader, readOutput)
  const body = reader.bytes.subarray(bodyStart, reader.at)
  if ((flags & WITNESS) !== 0) readWitnesses(reader, inputs.length)
  // In blocks it is empty there: the extension block has it.
  if ((flags & MWEB) !== 0 && reader.u8() !== 0) throw new DecodeError('a transaction of an extension block')
  const lockTime = reader.take(4)
  return {
    txid: shownId(doubleSha256(version, body, lockTime)),
    inputs,
    outputs,
    coinbase: inputs.length === 1 && inputs[0]?.txid === NO_TXID,
    raw: reader.bytes.subarray(start, reader.at),
  }
}

/** The parts beside inputs and outputs. */
export interface TransactionEnding {
  readonly lockTime: number
  /** Items of the witness of each input. */
  readonly witnesses: readonly (readonly Uint8Array[])[]
  /** It belongs to an extension block: Litecoin's, what comes out of it can be spent some blocks later only. */
  readonly extension: boolean
}

/** The rest of a transaction that was read. */
export function readEnding({ raw, inputs }: ReadTransaction): TransactionEnding {
  const reader = new ByteReader(raw)
  reader.take(4)
  const flags = readFlags(reader)
  listOf(reader, readInput)
  listOf(reader, readOutput)
  const witnesses: Uint8Array[][] = inputs.map(() => [])
  if ((flags & WITNESS) !== 0) readWitnesses(reader, inputs.length, (input, item) => witnesses[input]?.push(item))
  return { lockTime: Buffer.from(raw.subarray(-4)).readUInt32LE(), witnesses, extension: (flags & MWEB) !== 0 }
}

/** What a header says. */
export type ReadHeader = Omit<ReadBlock, 'transactions'>

/** A header alone. */
export function readHeader(bytes: Uint8Array): ReadHeader {
  if (bytes.length !== HEADER_BYTES) throw new DecodeError('a header has 80 bytes')
  return headerOf(Buffer.from(bytes))
}

function headerOf(header: Buffer): ReadHeader {
  return {
    header,
    hash: shownId(doubleSha256(header)),
    previous: shownId(header.subarray(4, 36)),
    time: header.readUInt32LE(68),
    bits: header.readUInt32LE(72),
  }
}

/** One transaction, whole. */
export function readTransaction(bytes: Uint8Array): ReadTransaction {
  const reader = new ByteReader(bytes)
  const found = readOne(reader)
  if (reader.at !== bytes.length) throw new DecodeError('something follows a transaction')
  return found
}

/** A block whose header covers its transactions. What follows them (extension blocks) is passed over. */
export function readBlock(bytes: Uint8Array): ReadBlock {
  const reader = new ByteReader(bytes)
  const header = reader.take(HEADER_BYTES)
  const transactions = listOf(reader, readOne)
  const root = merkleRoot(transactions.map(({ txid }) => Buffer.from(txid, 'hex').reverse()))
  if (!root.equals(header.subarray(36, 68))) throw new DecodeError('a block does not hold what its header says')
  return { ...headerOf(header), transactions }
}

function merkleRoot(ids: readonly Buffer[]): Buffer {
  let level = [...ids]
  if (level.length === 0) throw new DecodeError('a block without transactions')
  while (level.length > 1) {
    const next: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left, right = left] = [level[at], level[at + 1]]
      // Two equal ones beside each other give the root of a shorter list (CVE-2012-2459).
      if (left === undefined || right === undefined || (at + 1 < level.length && left.equals(right))) {
        throw new DecodeError('a block has a transaction twice')
      }
      next.push(doubleSha256(left, right))
    }
    level = next
  }
  return level[0] ?? Buffer.alloc(0)
}
