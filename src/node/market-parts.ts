// The market put together: wallets, chains, swaps, book, trader, overlay, made in order and stopped in reverse. The one place where these meet;
// loaded when the market is first asked for (market-services.ts).

import { AppError } from '../base/errors.ts'
import type { AddressPolicy } from '../io/address-policy.ts'
import type { NetworkStack } from '../io/network-stack.ts'
import type { Book } from '../market/book.ts'
import type { Communities } from '../overlay/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { MarketWallets } from '../ports/market-funds.ts'
import type { MarketTrader } from '../ports/market-trader.ts'
import type { Random } from '../ports/random.ts'
import type { EventHub } from '../services/events.ts'
import type { MarketService } from '../services/api.ts'
import { Market } from '../services/market.ts'
import type { Settings } from './settings-schema.ts'
import { StartedParts } from './started-parts.ts'

/** What is there when the node has started. */
export interface LateMarketDeps {
  /** The overlays of the node; starts them. Rejects with AppErrors. */
  readonly overlay: { communities(): Promise<Communities> }
}

/** What the market is made from. */
export interface MarketPartsDeps extends LateMarketDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  readonly stack: NetworkStack
  readonly events: Pick<EventHub, 'emit'>
  /** The wallets of the node, opened at the first call. AppErrors StateUnreadable, NotReady. */
  wallets(): Promise<MarketWallets>
  settings(): Settings
}

/** It runs until stop(). */
export interface RunningMarket {
  readonly service: MarketService
  stop(): Promise<void>
}

/** Starts it. AppErrors StateUnreadable, DiskFull, DiskError; then nothing of it runs. */
export async function startMarket(deps: MarketPartsDeps): Promise<RunningMarket> {
  const started = new StartedParts(deps.log)
  const funds = await deps.wallets()
  const service = new Market({
    ...{ trader: noTrader, book: noBook, funds, peers: () => 0 },
    chain: () => {
      throw new AppError('WalletNotCreated')
    },
  })
  return { service, stop: () => started.stop(0) }
}

const noBook: Pick<Book, 'pairs' | 'ticks' | 'crossing'> = { pairs: () => [], ticks: () => [], crossing: () => [] }
const noTrader: MarketTrader = {
  id: '0'.repeat(40),
  place: () => Promise.reject(new AppError('NotReady')),
  cancel: () => Promise.reject(new AppError('OrderNotFound')),
  orders: () => [],
  trades: () => [],
  fundsOf: () => 0n,
  watch: () => () => undefined,
}
