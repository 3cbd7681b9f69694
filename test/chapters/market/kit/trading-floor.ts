// Traders on a market in memory: real books, real negotiation, made-up wallets and swaps. A trader can be killed
// between any two writes and started again.

import { Trader } from '../../../../src/chapters/market/core/trader.ts'
import { OrderBook } from '../../../../src/chapters/market/core/order-book.ts'
import type { OwnOrder, TraderEvent, WantedOrder } from '../../../../src/chapters/market/ports/market-trader.ts'
import type { Asset } from '../../../../src/chapters/wallets/core/assets.ts'
import { DyingFiles } from './dying-files.ts'
import { FakeSwapEngine, fakeChain } from './fake-swap-engine.ts'
import { BTC, LTC } from './market-orders.ts'
import { MemoryMarketFiles } from './memory-market-files.ts'
import { MemoryMarketFunds, type MemoryWallet, memoryWallet } from '../../wallets/kit/memory-market-funds.ts'
import { MortalClock, MortalFunds } from './mortal-process.ts'
import { MemoryMarket, type MemoryMember } from './memory-market-network.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { settle, VirtualClock } from '../../../kit/sim/virtual-clock.ts'

/** One whole coin of those with eight decimals. */
export const COIN = 100_000_000n
/** A coin of Ethereum's kind, whose claims cost gas. */
export const ETH: Asset = { coin: 'ETH', chain: 'eeeeeeee' }
/** Gas of a claim on its chain. */
export const GAS = 21n

/** What a test orders: 10 LTC at 0.01 BTC each for an hour, unless it says so. */
export type OrderRequest = Partial<WantedOrder>

/** An order of the interface. */
export function wanted(request: OrderRequest = {}): WantedOrder {
  const assets = { quantityAsset: LTC, priceAsset: BTC }
  const rest = { quantity: 10n * COIN, price: 1_000_000n, timeoutS: 3600, key: '' }
  return { side: 'ask', ...assets, ...rest, ...request }
}

/** A node: what outlives its process, and the process. */
export class FloorTrader {
  readonly name: string
  readonly disk = new MemoryMarketFiles()
  readonly funds: MemoryMarketFunds
  readonly events: TraderEvent[] = []
  files: DyingFiles
  member: MemoryMember
  swapEngine: FakeSwapEngine
  trader: Trader
  readonly #floor: TradingFloor
  /** Ends what the process does. */
  #end: () => void = () => undefined
  #starts = 0

  constructor(name: string, floor: TradingFloor, wallets: readonly MemoryWallet[]) {
    this.name = name
    this.#floor = floor
    this.funds = new MemoryMarketFunds(wallets)
    const parts = this.#make(Number.POSITIVE_INFINITY)
    this.files = parts.files
    this.member = parts.member
    this.swapEngine = parts.swapEngine
    this.trader = parts.trader
  }

  get id(): string {
    return this.member.trader
  }

  async start(): Promise<void> {
    await this.swapEngine.start()
    await this.trader.start()
  }

  /** As kill -9: nothing is written or said any more. */
  kill(): void {
    this.files.kill()
    this.#end()
    this.member.gone = true
    this.funds.restart()
  }

  /** A new process after kill(); `dies`: after so many writes. Wallets are locked, unless the test unlocks them. */
  async restart(dies = Number.POSITIVE_INFINITY): Promise<void> {
    Object.assign(this, this.#make(dies))
    await this.start()
  }

  unlock(): void {
    for (const coin of this.funds.wallets.keys()) this.funds.setUnlocked(coin, true)
  }

  lock(): void {
    for (const coin of this.funds.wallets.keys()) this.funds.setUnlocked(coin, false)
  }

  place(request: OrderRequest = {}): Promise<OwnOrder> {
    return this.trader.place(wanted(request))
  }

  /** An own order by its number. */
  order(number: number): OwnOrder {
    const order = this.trader.orders().find(({ terms }) => terms.number === number)
    if (order === undefined) throw new Error(`no order ${number} of ${this.name}`)
    return order
  }

  #make(dies: number): Pick<FloorTrader, 'files' | 'member' | 'swapEngine' | 'trader'> {
    const { market } = this.#floor
    const [clock, funds] = [new MortalClock(this.#floor.clock), new MortalFunds(this.funds)]
    this.#end = () => {
      clock.kill()
      funds.kill()
    }
    const files = new DyingFiles(this.disk, dies)
    const book = new OrderBook(clock)
    const member = market.join(this.name, book)
    for (const statement of this.#floor.known(this.name)) book.put(statement)
    const swapEngine = new FakeSwapEngine(member.trader, files, this.funds, () => clock.wallMs())
    const chains = { BTC: fakeChain(BTC), LTC: fakeChain(LTC), ETH: fakeChain(ETH, GAS) }
    const trader = new Trader({
      network: member,
      book,
      funds,
      swapEngine,
      files,
      clock,
      log: silentLog,
      chains: coin => (coin in chains ? chains[coin as keyof typeof chains] : null),
      random: new SeededRandom(this.#floor.seed++ + 1000 * ++this.#starts),
    })
    trader.watch(event => this.events.push(event))
    return { files, member, swapEngine, trader }
  }
}

/** The place where they meet. */
export class TradingFloor {
  readonly clock = new VirtualClock()
  readonly market = new MemoryMarket(this.clock)
  readonly traders: FloorTrader[] = []
  seed: number

  constructor(seed = 1) {
    this.seed = seed
  }

  /** A trader with 1,000 of each coin, unless wallets are given. */
  async trader(name: string, wallets?: readonly MemoryWallet[]): Promise<FloorTrader> {
    const rich = [BTC, LTC, ETH].map(asset => memoryWallet(asset, 1_000n * COIN))
    const trader = new FloorTrader(name, this, wallets ?? rich)
    this.traders.push(trader)
    await trader.start()
    return trader
  }

  /** What others have in their books: a new process hears it from them. */
  known(except: string): Iterable<ReturnType<MemoryMember['state']>> {
    const found = []
    for (const { name, member } of this.traders) {
      if (name === except) continue
      for (const pair of member.book.pairs()) {
        for (const side of ['ask', 'bid'] as const) found.push(...member.book.ticks(pair, side))
      }
    }
    return found
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await settle()
  }

  async stop(): Promise<void> {
    for (const { trader } of this.traders) await trader.stop()
  }
}
