// Own orders and trades as texts of files. What a file says is believed only when every field has its form; whole
// numbers of money are decimal texts.

import { COIN_IDS, type Asset, type CoinId } from '../../wallets/core/assets.ts'
import type { LegTerms, OrderRef, OrderTerms, SwapAgreement } from '../wire/types.ts'
import type { SwapPayment, SwapView } from '../ports/swap-engine.ts'
import type { KeptOrder, KeptStatus } from './held-order.ts'
import type { KeptTrade } from './own-trade.ts'

const STATUSES: readonly KeptStatus[] = ['open', 'completed', 'expired', 'cancelled', 'withdrawn']
const OUTCOMES = [null, 'completed', 'refunded', 'abandoned'] as const
const KINDS = ['purse', 'fund', 'claim', 'refund', 'sweep'] as const

/** A text that parseOrder and parseTrade take. */
export function textOf(kept: KeptOrder | KeptTrade): string {
  return `${JSON.stringify(kept, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))}\n`
}

/** An order; null: the text is damaged. */
export function parseOrder(text: string): KeptOrder | null {
  return parsed(text, from => ({
    terms: orderTerms(from.part('terms')),
    key: from.text('key'),
    needs: needs(from.part('needs')),
    status: from.oneOf('status', STATUSES),
    reason: from.text('reason'),
    closedMs: from.countOrNull('closedMs'),
    completedMs: from.countOrNull('completedMs'),
    sequence: from.count('sequence'),
  }))
}

/** A trade; null: the text is damaged. */
export function parseTrade(text: string): KeptTrade | null {
  return parsed(text, from => {
    const agreement = agreementOf(from.part('agreement'))
    const end = from.partOrNull('end')
    return {
      number: from.count('number'),
      order: orderTerms(from.part('order')),
      agreement,
      needsFee: from.money('needsFee'),
      needsGas: from.money('needsGas'),
      endedMs: from.count('endedMs'),
      end: end === null ? null : endOf(end),
    }
  })
}

/** Thrown and caught here only. */
class Damaged extends Error {}

class Fields {
  readonly #fields: Record<string, unknown>

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null) throw new Damaged()
    this.#fields = value as Record<string, unknown>
  }

  text(name: string): string {
    const value = this.#fields[name]
    if (typeof value !== 'string') throw new Damaged()
    return value
  }

  count(name: string): number {
    const value = this.#fields[name]
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Damaged()
    return value as number
  }

  countOrNull(name: string): number | null {
    return this.#fields[name] === null ? null : this.count(name)
  }

  money(name: string): bigint {
    const text = this.text(name)
    if (!/^[0-9]{1,60}$/.test(text)) throw new Damaged()
    return BigInt(text)
  }

  flag(name: string): boolean {
    const value = this.#fields[name]
    if (typeof value !== 'boolean') throw new Damaged()
    return value
  }

  oneOf<T>(name: string, allowed: readonly T[]): T {
    const value = this.#fields[name] as T
    if (!allowed.includes(value)) throw new Damaged()
    return value
  }

  part(name: string): Fields {
    return new Fields(this.#fields[name])
  }

  partOrNull(name: string): Fields | null {
    return this.#fields[name] === null ? null : this.part(name)
  }

  parts(name: string): Fields[] {
    const value = this.#fields[name]
    if (!Array.isArray(value)) throw new Damaged()
    return value.map(part => new Fields(part))
  }
}

function parsed<T>(text: string, read: (from: Fields) => T): T | null {
  try {
    return read(new Fields(JSON.parse(text)))
  } catch (error) {
    if (error instanceof Damaged || error instanceof SyntaxError) return null
    throw error
  }
}

function asset(from: Fields): Asset {
  return { coin: from.oneOf<CoinId>('coin', COIN_IDS), chain: from.text('chain') }
}

function orderRef(from: Fields): OrderRef {
  return { trader: from.text('trader'), number: from.count('number') }
}

function orderTerms(from: Fields): OrderTerms {
  return {
    ...orderRef(from),
    side: from.oneOf('side', ['ask', 'bid'] as const),
    quantityAsset: asset(from.part('quantityAsset')),
    priceAsset: asset(from.part('priceAsset')),
    quantity: from.money('quantity'),
    price: from.money('price'),
    timeMs: from.count('timeMs'),
    timeoutS: from.count('timeoutS'),
  }
}

function needs(from: Fields): KeptOrder['needs'] {
  return { fee: from.money('fee'), gas: from.money('gas'), leastQuantity: from.money('leastQuantity') }
}

function leg(from: Fields): LegTerms {
  return {
    asset: asset(from.part('asset')),
    hash: from.text('hash'),
    amount: from.money('amount'),
    lockS: from.count('lockS'),
    claimKey: from.text('claimKey'),
    refundKey: from.text('refundKey'),
  }
}

function agreementOf(from: Fields): SwapAgreement {
  return {
    id: from.text('id'),
    ask: orderRef(from.part('ask')),
    bid: orderRef(from.part('bid')),
    quantity: from.money('quantity'),
    price: from.money('price'),
    timeMs: from.count('timeMs'),
    first: leg(from.part('first')),
    second: leg(from.part('second')),
  }
}

function payment(from: Fields): SwapPayment {
  return {
    kind: from.oneOf('kind', KINDS),
    coin: from.oneOf<CoinId>('coin', COIN_IDS),
    txid: from.text('txid'),
    amount: from.money('amount'),
    fee: from.money('fee'),
    timeMs: from.count('timeMs'),
    theirs: from.flag('theirs'),
    confirmed: from.flag('confirmed'),
  }
}

function endOf(from: Fields): Omit<SwapView, 'agreement'> {
  return {
    role: from.oneOf('role', ['initiator', 'participant'] as const),
    step: from.text('step'),
    waitsFor: from.text('waitsFor'),
    outcome: from.oneOf('outcome', OUTCOMES),
    given: from.money('given'),
    taken: from.money('taken'),
    payments: from.parts('payments').map(payment),
  }
}
