// Swaps without chains: halves and agreements like real ones, journals in files that outlive them, and ends that
// a test gives them. Money moves between wallets of tests as a swap would move it.

import { AppError } from '../../../../src/base/errors.ts'
import type { MarketFiles } from '../../../../src/chapters/market/ports/market-files.ts'
import type { SwapChain } from '../../../../src/chapters/market/ports/swap-chain.ts'
import type {
  SwapEngine,
  SwapHalf,
  SwapPayment,
  SwapView,
  SwapRequest,
} from '../../../../src/chapters/market/ports/swap-engine.ts'
import type { Asset } from '../../../../src/chapters/wallets/core/assets.ts'
import type { LegTerms, SwapAgreement, TraderId } from '../../../../src/chapters/market/wire/types.ts'
import { ourPart } from '../../../../src/chapters/market/core/own-trade.ts'
import type { MemoryMarketFunds } from '../../wallets/kit/memory-market-funds.ts'

/** Fee of funding, refunding and sweeping on a fake chain. */
export const FUND_FEE = 7n

/** A chain that only says what things cost. `gas`: of a claim; 0 = as on chains of Bitcoin's kind. */
export function fakeChain(asset: Asset, gas = 0n): SwapChain {
  const unused = (): never => {
    throw new Error('no test asks a fake chain for this')
  }
  return {
    asset,
    pace: { blockS: 60, confirmations: 2, clockLagS: 600 },
    depositNeed: async (role, amount) => (role === 'fund' ? amount + FUND_FEE : gas),
    termsKey: unused,
    checkTerms: unused,
    depositAddress: unused,
    now: unused,
    deposit: unused,
    makeFunding: unused,
    findFunding: unused,
    findEnd: unused,
    makeClaim: unused,
    makeRefund: unused,
    makeSweep: unused,
    feePaid: unused,
    confirmations: unused,
    send: unused,
  }
}

interface Swap {
  view: SwapView
  readonly reservation: string
}

/**
 * Swaps without chains: halves and agreements like real ones, journals in files that outlive them, and ends that
 * a test gives them. `start` reads what another one wrote.
 */
export class FakeSwapEngine implements SwapEngine {
  readonly prepared = new Map<string, { readonly request: SwapRequest; readonly half: SwapHalf }>()
  readonly hints: string[] = []
  /** What prepare throws, once. */
  prepareFails: Error | null = null
  /** Thrown by begin after the journal was written. */
  beginFailsLate: Error | null = null
  readonly #trader: TraderId
  readonly #files: MarketFiles
  readonly #funds: MemoryMarketFunds
  readonly #nowMs: () => number
  readonly #swaps = new Map<string, Swap>()
  readonly #watchers = new Set<(view: SwapView) => void>()
  #keys = 0

  constructor(trader: TraderId, files: MarketFiles, funds: MemoryMarketFunds, nowMs: () => number) {
    this.#trader = trader
    this.#files = files
    this.#funds = funds
    this.#nowMs = nowMs
  }

  async start(): Promise<void> {
    for (const name of await this.#files.list('swap-')) {
      const swap = JSON.parse((await this.#files.read(name)) ?? '', fromText) as Swap
      this.#swaps.set(swap.view.agreement.id, swap)
    }
  }

  async prepare(request: SwapRequest): Promise<SwapHalf> {
    const fails = this.prepareFails
    this.prepareFails = null
    if (fails !== null) throw fails
    if (this.#funds.reserved.get(request.reservation) === undefined) throw new Error('nothing was set aside for a swap')
    const mark = `${this.#trader.slice(0, 4)}${++this.#keys}`
    const nowS = Math.floor(this.#nowMs() / 1000)
    const half = {
      claimKey: `claim-${mark}`,
      refundKey: `refund-${mark}`,
      hash: request.role === 'initiator' ? Buffer.from(mark).toString('hex').padStart(64, '0') : '',
      firstLockS: nowS + 20_000,
      secondLockS: nowS + 10_000,
    }
    this.prepared.set(request.id, { request, half })
    return half
  }

  checkLocks({ first, second }: SwapAgreement): void {
    if (first.lockS - second.lockS < 9_000) throw new AppError('InvalidParameter', 'The first lock ends too soon.')
  }

  async begin(agreement: SwapAgreement): Promise<void> {
    const made = this.prepared.get(agreement.id)
    if (made === undefined) throw new AppError('InvalidParameter', 'Nothing was prepared.')
    for (const { claimKey, refundKey } of [agreement.first, agreement.second]) {
      if (!claimKey.startsWith('claim-') || !refundKey.startsWith('refund-')) {
        throw new AppError('InvalidParameter', 'That is no key.')
      }
    }
    const { role, reservation } = made.request
    const common = { step: 'begun', waitsFor: 'The test.', outcome: null, given: 0n, taken: 0n, payments: [] }
    const swap: Swap = { view: { agreement, role, ...common }, reservation }
    await this.#write(swap)
    this.prepared.delete(agreement.id)
    this.#swaps.set(agreement.id, swap)
    if (this.beginFailsLate !== null) throw this.beginFailsLate
  }

  discard(id: string): void {
    this.prepared.delete(id)
  }

  hint(id: string, txid: string): void {
    this.hints.push(`${id} ${txid}`)
  }

  list(): readonly SwapView[] {
    return Array.from(this.#swaps.values(), ({ view }) => view)
  }

  watch(changed: (swap: SwapView) => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** Forgets a swap, as a lost journal does. */
  lose(id: string): void {
    this.#swaps.delete(id)
  }

  /** Pays the deposit of what we give, and says that it is funded. */
  async fund(id: string): Promise<void> {
    const swap = this.#swap(id)
    const { asset, amount } = this.#legs(swap).give
    const payment = { coin: asset.coin, destination: 'purse', amount: amount + FUND_FEE, key: `${id}/purse` }
    const { txid, fee } = await this.#funds.pay({ ...payment, reservation: swap.reservation })
    const common = { coin: asset.coin, timeMs: this.#nowMs(), theirs: false, confirmed: false }
    const payments: SwapPayment[] = [
      { kind: 'purse', txid, amount: amount + FUND_FEE, fee, ...common },
      { kind: 'fund', txid: `fund-${id}`, amount, fee: FUND_FEE, ...common },
    ]
    await this.#change(swap, { step: 'funded', payments })
  }

  /** The other side has got what we give, and we have got what we take; fund() came before. */
  async complete(id: string): Promise<void> {
    const swap = this.#swap(id)
    const { give, take } = this.#legs(swap)
    this.#credit(take)
    await this.#change(swap, { step: 'closed', outcome: 'completed', given: give.amount, taken: take.amount })
  }

  /** What we gave has come back; fund() came before. */
  async refund(id: string): Promise<void> {
    const swap = this.#swap(id)
    this.#credit(this.#legs(swap).give)
    await this.#change(swap, { step: 'closed', outcome: 'refunded' })
  }

  /** Nothing was put under a lock. */
  async abandon(id: string): Promise<void> {
    await this.#change(this.#swap(id), { step: 'closed', outcome: 'abandoned' })
  }

  #credit({ asset, amount }: LegTerms): void {
    const wallet = this.#funds.wallets.get(asset.coin)
    this.#funds.setBalance(asset.coin, (wallet?.balance ?? 0n) + amount)
  }

  #swap(id: string): Swap {
    const swap = this.#swaps.get(id)
    if (swap === undefined) throw new Error('no such swap')
    return swap
  }

  #legs({ view: { agreement, role } }: Swap): { give: LegTerms; take: LegTerms } {
    if (ourPart(agreement, this.#trader) === null) throw new Error('a swap of others')
    const { first, second } = agreement
    return role === 'initiator' ? { give: first, take: second } : { give: second, take: first }
  }

  async #change(swap: Swap, change: Partial<SwapView>): Promise<void> {
    const view: SwapView = { ...swap.view, waitsFor: '', ...change }
    await this.#write({ view, reservation: swap.reservation })
    swap.view = view
    for (const watcher of [...this.#watchers]) watcher(view)
  }

  #write(swap: Swap): Promise<void> {
    const text = JSON.stringify(swap, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
    return this.#files.write(`swap-${swap.view.agreement.id}`, text)
  }
}

function fromText(_key: string, value: unknown): unknown {
  return typeof value === 'string' && /^[0-9]+n$/.test(value) ? BigInt(value.slice(0, -1)) : value
}
