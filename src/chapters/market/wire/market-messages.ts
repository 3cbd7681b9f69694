// Messages of the overlay of the market, which is ours: statements of orders, questions and answers that make two books
// equal, and messages between two traders. All are signed but answers: what an answer carries is checked on its own,
// and it belongs to a question.

import { DecodeError } from '../../../base/errors.ts'
import { decodeStatement, STATEMENT_BYTES } from './order-codec.ts'
import type { OrderStatement } from './types.ts'
import { bool, type Field, fixed, record, u32, u64, u8, upTo } from '../../overlay/wire/fields.ts'
import { signed, unsigned } from '../../overlay/wire/message.ts'
import { prefix } from '../../overlay/wire/prefix.ts'

/** Most statements of one packet: with key and signature it stays under 1,300 bytes. */
export const MAX_TOLD_STATEMENTS = 5
/** Most nodes of the tree of digests that one question is for: their answer stays under 1,100 bytes. */
export const MAX_ASKED_DIGESTS = 5
/** Most hashes of a list, and of a question for statements. */
export const MAX_LISTED = 32
/** Branches of a node: one for each hexadecimal digit. */
export const DIGEST_BRANCHES = 16
/** Bytes of an id of a message between traders. */
export const NONCE_BYTES = 8

const HASH_BYTES = 32
const MAX_U128 = (1n << 128n) - 1n
const COMPRESSED_KEY_BYTES = 33
const EVM_ADDRESS_BYTES = 20

const identifier = u32
const hash = hex(HASH_BYTES)
const statementBytes = fixed(STATEMENT_BYTES)
/** How many statements lie under a prefix, and their digest: 16 digits. */
const digest = { count: u32, digest: hex(8) }

/** New statements. */
export const tell = signed(1, 'tell', { statements: upTo(MAX_TOLD_STATEMENTS, statementBytes) })
/** What the sender has under these prefixes; asks what lies below where that is not the same. */
export const askDigests = signed(2, 'ask-digests', {
  identifier,
  nodes: upTo(MAX_ASKED_DIGESTS, record({ prefix, ...digest })),
})
/** Asks for the hashes under a prefix. */
export const askList = signed(3, 'ask-list', { identifier, prefix })
/** Asks for statements. */
export const askStatements = signed(4, 'ask-statements', { identifier, hashes: upTo(MAX_LISTED, hash) })

/** Of those prefixes that were asked for and differ: their sixteen branches. */
export const digests = unsigned(10, 'digests', {
  identifier,
  nodes: upTo(MAX_ASKED_DIGESTS, record({ prefix, branches: exactly(DIGEST_BRANCHES, record(digest)) })),
})
/** Hashes in rising order; `more`: there are others, under longer prefixes. */
export const list = unsigned(11, 'list', { identifier, more: bool, hashes: upTo(MAX_LISTED, hash) })
/** Statements that were asked for, in as many parts as they need. */
export const statements = unsigned(12, 'statements', {
  identifier,
  part: u8,
  parts: u8,
  statements: upTo(MAX_TOLD_STATEMENTS, statementBytes),
})

// What traders say to each other.

/** The receiver (mid), an id by chance that keeps it from being taken twice, and its time. */
const envelope = { to: hex(20), nonce: hex(NONCE_BYTES), saidMs: milliseconds() }
const negotiation = { ...envelope, id: hex(16) }
const order = record({ trader: hex(20), number: u32 })
const amount = u128()
const keys = { claimKey: legKey(), refundKey: legKey() }

/** See NegotiationMessage. */
export const match = signed(20, 'match', { ...envelope, order, statement: statement() })
/** See NegotiationMessage. */
export const propose = signed(21, 'propose', {
  ...negotiation,
  statement: statement(),
  order,
  quantity: amount,
  price: amount,
  timeMs: milliseconds(),
  hash,
  ...keys,
  firstLockS: u32,
  secondLockS: u32,
})
/** See NegotiationMessage. */
export const accept = signed(22, 'accept', { ...negotiation, ...keys })
/** See NegotiationMessage. */
export const counter = signed(23, 'counter', { ...negotiation, quantity: amount })
/** See NegotiationMessage; the reason is its place in DECLINE_REASONS. */
export const decline = signed(24, 'decline', { ...negotiation, reason: u8 })
/** See NegotiationMessage. */
export const funded = signed(25, 'funded', { ...negotiation, txid: transactionId() })
/** The message between traders with this id has come. */
export const received = unsigned(26, 'received', { nonce: hex(NONCE_BYTES) })

// Fields.

/** Bytes as lower-case digits. */
function hex(bytes: number): Field<string> {
  return {
    read: from => Buffer.from(from.take(bytes)).toString('hex'),
    write(to, value) {
      if (value.length !== 2 * bytes || !/^[0-9a-f]*$/.test(value)) throw new RangeError(`not ${bytes} bytes in digits`)
      to.put(Buffer.from(value, 'hex'))
    },
  }
}

/** Exactly `count` of `item`, without a count before them. */
function exactly<T>(count: number, item: Field<T>): Field<readonly T[]> {
  return {
    read: from => Array.from({ length: count }, () => item.read(from)),
    write(to, items) {
      if (items.length !== count) throw new RangeError(`${items.length} items where ${count} belong`)
      for (const each of items) item.write(to, each)
    },
  }
}

/** Unix time. */
function milliseconds(): Field<number> {
  return {
    read(from) {
      const value = u64.read(from)
      if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new DecodeError('a time that no clock has')
      return Number(value)
    },
    write: (to, value) => to.u64(BigInt(value)),
  }
}

function u128(): Field<bigint> {
  return {
    read: from => (from.u64() << 64n) | from.u64(),
    write(to, value) {
      if (value < 0n || value > MAX_U128) throw new RangeError(`${value} is no u128`)
      to.u64(value >> 64n)
      to.u64(value & 0xffff_ffff_ffff_ffffn)
    },
  }
}

/** Its form is checked, its signature is not. */
function statement(): Field<OrderStatement> {
  return {
    read: from => decodeStatement(from.take(STATEMENT_BYTES)),
    write: (to, value) => statementBytes.write(to, value.bytes),
  }
}

/** Digits with `0x` or without it: one byte says which. */
function either(plain: Field<string>, prefixed: Field<string>, what: string): Field<string> {
  return {
    read(from) {
      const kind = from.u8()
      if (kind > 1) throw new DecodeError(`a ${what} of no known kind`)
      return kind === 0 ? plain.read(from) : `0x${prefixed.read(from)}`
    },
    write(to, value) {
      const isPrefixed = value.startsWith('0x')
      to.u8(isPrefixed ? 1 : 0)
      if (isPrefixed) prefixed.write(to, value.slice(2))
      else plain.write(to, value)
    },
  }
}

/** A key of LegTerms: a compressed public key, or an address with 0x. */
function legKey(): Field<string> {
  return either(hex(COMPRESSED_KEY_BYTES), hex(EVM_ADDRESS_BYTES), 'key')
}

/** A transaction's id, of Ethereum's kind with 0x. */
function transactionId(): Field<string> {
  return either(hex(HASH_BYTES), hex(HASH_BYTES), 'transaction')
}
