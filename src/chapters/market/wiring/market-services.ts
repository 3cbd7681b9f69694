// The service of the market, there from the first moment; what it works with (market-parts.ts: book, matching, swaps)
// is loaded when the market is first asked for, or with the node where there are orders or swaps of an earlier run.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../../../base/errors.ts'
import type { MarketService } from '../service/market-api.ts'
import { OpenedAtFirstUse } from '../../../node/opened-at-first-use.ts'
import type { LateMarketDeps, MarketPartsDeps, RunningMarket } from './market-parts.ts'

const FOLDER = 'market'
/** Is made when the market is first looked at, and says nothing of orders. */
const KEY_FILE = 'node.key'

/** What is there before the node has started. */
export type EarlyMarketDeps = Omit<MarketPartsDeps, keyof LateMarketDeps>

/** What is loaded when the market is first asked for. */
export type MarketStart = Pick<typeof import('./market-parts.ts'), 'startMarket'>

/**
 * The service of the market, there from the first moment; what it works with (market-parts.ts: book, matching, swaps)
 * is loaded when the market is first asked for, or with the node where there are orders or swaps of an earlier run.
 */
export class MarketServices {
  readonly service: MarketService
  readonly #deps: EarlyMarketDeps
  readonly #load: (() => Promise<MarketStart>) | undefined
  readonly #market = new OpenedAtFirstUse<RunningMarket>()

  /** `load`: what starts the market; tests replace it. */
  constructor(deps: EarlyMarketDeps, load?: () => Promise<MarketStart>) {
    this.#deps = deps
    this.#load = load
    const market = async (): Promise<MarketService> => (await this.#market.open()).service
    const trading = (): Promise<MarketService> => {
      if (deps.settings().market_community.enabled) return market()
      return Promise.reject(new AppError('MarketOff'))
    }
    this.service = {
      standing: async () => (await market()).standing(),
      asks: async () => (await market()).asks(),
      bids: async () => (await market()).bids(),
      placeAsk: async order => (await trading()).placeAsk(order),
      placeBid: async order => (await trading()).placeBid(order),
      orders: async () => (await market()).orders(),
      transactions: async () => (await market()).transactions(),
      cancel: async number => (await market()).cancel(number),
      explain: async number => (await market()).explain(number),
      payments: async (...asked) => (await market()).payments(...asked),
      fees: async asked => (await market()).fees(asked),
    }
  }

  /**
   * The node has started: orders and swaps of an earlier run go on, whatever the settings say of new ones. Never
   * rejects.
   */
  async start(late: LateMarketDeps): Promise<void> {
    this.#market.ready(() => this.#make(late))
    try {
      const names = await readdir(join(this.#deps.stateDir, FOLDER))
      if (names.some(name => !name.startsWith(KEY_FILE))) await this.#market.open()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      this.#deps.log.error('the market could not be started', { error: errorText(error) })
    }
  }

  /** Ends it: swaps go on with the next start. */
  stop(limitMs: number): Promise<void> {
    return this.#market.stop(limitMs)
  }

  async #make(late: LateMarketDeps): Promise<RunningMarket> {
    const { startMarket } = await (this.#load?.() ?? import('./market-parts.ts'))
    return startMarket({ ...this.#deps, ...late })
  }
}
