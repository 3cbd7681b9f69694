// Statements of orders as bytes: version, terms, state, signature, 219 in all. Each has one encoding, since its hash
// names it; anything else is refused. Signatures are made and checked by functions that the caller passes in
// (order-signature.ts).

import { createHash } from 'node:crypto'
import { DecodeError } from '../../../base/errors.ts'
import { isCircuitKey, KEY_FORM_BYTES, midOf, SIGNATURE_BYTES } from '../../overlay/wire/public-key.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'
import { type Asset, COIN_DECIMALS, COIN_IDS, sameAsset } from '../../wallets/core/assets.ts'
import { costOf } from './cost.ts'
import { statementSignedPart } from './order-signature.ts'
import type { OrderState, OrderStatement, OrderStatus, OrderTerms, Side, TraderId } from './types.ts'

/** Bytes of every statement. */
export const STATEMENT_BYTES = 219
/** The longest time of an order, seconds: a day. */
export const MAX_TIMEOUT_S = 86_400

const VERSION = 1
/** Version and terms: what is the same in all statements of an order. */
const TERMS_BYTES = 134
const CHAIN_TAG_BYTES = 4
const MAX_U128 = (1n << 128n) - 1n
/** Keeps sums of times exact in a double. */
const MAX_TIME_MS = 2 ** 48 - 1
const SIDES: readonly Side[] = ['ask', 'bid']
const STATUSES: readonly OrderStatus[] = ['open', 'suspended', 'closed']
/** One object for each asset that was read last: there are few, and a book has many orders. */
const assets = new Map<string, Asset>()
const MAX_ASSETS = 64

/** Id of the trader with this public key of 74 bytes. */
export function traderOf(publicKey: Uint8Array): TraderId {
  return hex(midOf(publicKey))
}

/**
 * The statement of an order, signed by `sign` (Ed25519, 64 bytes) with the key of `publicKey` (74 bytes). Throws
 * RangeError for numbers that fit no field or a trader with another key, and DecodeError for what no reader would take.
 */
export function makeStatement(
  terms: OrderTerms,
  state: OrderState,
  publicKey: Uint8Array,
  sign: (message: Uint8Array) => Uint8Array,
): OrderStatement {
  if (terms.trader !== traderOf(publicKey)) throw new RangeError('an order of another trader')
  const to = new OverlayWriter()
  writeTerms(terms, publicKey, to)
  to.u32(state.sequence)
  to.u8(STATUSES.indexOf(state.status))
  writeU128(state.remaining, to)
  to.put(sign(statementSignedPart(to.done())))
  return decodeStatement(to.done())
}

/** The statement that `bytes` are, copied. Its signature is not checked: see verifyStatement. Throws DecodeError. */
export function decodeStatement(bytes: Uint8Array): OrderStatement {
  if (bytes.length !== STATEMENT_BYTES) throw new DecodeError(`a statement of ${bytes.length} bytes`)
  const own = Uint8Array.from(bytes)
  const from = new OverlayReader(own, 0, STATEMENT_BYTES - SIGNATURE_BYTES)
  if (from.u8() !== VERSION) throw new DecodeError('a version that is not known')
  const side = oneOf(SIDES, from.u8(), 'side')
  const publicKey = from.take(KEY_FORM_BYTES)
  if (!isCircuitKey(publicKey)) throw new DecodeError('a key of another form')
  const terms = readTerms(traderOf(publicKey), side, from)
  const state = readState(from)
  if (state.remaining > terms.quantity) throw new DecodeError('more is left than there was')
  from.finish()
  return { terms, state, publicKey, bytes: own, hash: createHash('sha256').update(own).digest('hex') }
}

/** Whether both say the same of what never changes, trader included. */
export function sameTerms(one: OrderStatement, other: OrderStatement): boolean {
  return compareTerms(one, other) === 0
}

/** Puts terms in an order that means nothing but is the same everywhere; 0: they are the same. */
export function compareTerms(one: OrderStatement, other: OrderStatement): number {
  return Buffer.compare(one.bytes.subarray(0, TERMS_BYTES), other.bytes.subarray(0, TERMS_BYTES))
}

function writeTerms(terms: OrderTerms, publicKey: Uint8Array, to: OverlayWriter): void {
  to.u8(VERSION)
  to.u8(SIDES.indexOf(terms.side))
  to.put(publicKey)
  to.u32(terms.number)
  writeAsset(terms.quantityAsset, to)
  writeAsset(terms.priceAsset, to)
  writeU128(terms.quantity, to)
  writeU128(terms.price, to)
  to.u64(BigInt(terms.timeMs))
  to.u32(terms.timeoutS)
}

function readTerms(trader: TraderId, side: Side, from: OverlayReader): OrderTerms {
  const number = from.u32()
  if (number === 0) throw new DecodeError('orders are numbered from 1')
  const quantityAsset = readAsset(from)
  const priceAsset = readAsset(from)
  if (sameAsset(quantityAsset, priceAsset)) throw new DecodeError('a coin for itself')
  const quantity = readU128(from)
  const price = readU128(from)
  checkAmounts(quantity, price, quantityAsset)
  const timeMs = Number(from.u64())
  if (timeMs > MAX_TIME_MS) throw new DecodeError('a time that no clock has')
  const timeoutS = from.u32()
  if (timeoutS < 1 || timeoutS > MAX_TIMEOUT_S) throw new DecodeError(`an order that stands ${timeoutS} s`)
  return { trader, number, side, quantityAsset, priceAsset, quantity, price, timeMs, timeoutS }
}

function checkAmounts(quantity: bigint, price: bigint, { coin }: Asset): void {
  // Of nothing, or for nothing, the cost is nothing too.
  const cost = costOf(quantity, price, COIN_DECIMALS[coin])
  if (cost === 0n || cost > MAX_U128) throw new DecodeError('a cost that cannot be paid')
}

function readState(from: OverlayReader): OrderState {
  const sequence = from.u32()
  const status = oneOf(STATUSES, from.u8(), 'status')
  return { sequence, status, remaining: readU128(from) }
}

function writeAsset({ coin, chain }: Asset, to: OverlayWriter): void {
  const tag = Buffer.from(chain, 'hex')
  if (tag.length !== CHAIN_TAG_BYTES) throw new RangeError('a chain tag has 8 hexadecimal digits')
  to.u8(COIN_IDS.indexOf(coin))
  to.put(tag)
}

function readAsset(from: OverlayReader): Asset {
  const coin = oneOf(COIN_IDS, from.u8(), 'coin')
  const chain = hex(from.take(CHAIN_TAG_BYTES))
  const key = coin + chain
  const known = assets.get(key)
  if (known !== undefined) return known
  const asset = { coin, chain }
  if (assets.size >= MAX_ASSETS) assets.clear()
  assets.set(key, asset)
  return asset
}

function writeU128(value: bigint, to: OverlayWriter): void {
  if (value < 0n || value > MAX_U128) throw new RangeError(`${value} is no u128`)
  to.u64(value >> 64n)
  to.u64(value & 0xffff_ffff_ffff_ffffn)
}

function readU128(from: OverlayReader): bigint {
  const high = from.u64()
  return (high << 64n) | from.u64()
}

function oneOf<T>(values: readonly T[], place: number, what: string): T {
  const value = values[place]
  if (value === undefined) throw new DecodeError(`a ${what} that is not known`)
  return value
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
