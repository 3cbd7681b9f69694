// The market put together: wallets, chains, swaps, book, trader, overlay, made in order and stopped in reverse. The one
// place where these meet; loaded when the market is first asked for (market-services.ts).

import { join } from 'node:path'
import type { AddressPolicy } from '../../../io/net/address-policy.ts'
import { HttpJsonRpc } from '../../wallets/io/json-rpc-http.ts'
import { MarketFolder } from '../io/market-folder.ts'
import type { NetworkStack } from '../../../io/net/network-stack.ts'
import { openNodeKey } from '../io/node-key.ts'
import { makeOverlayCrypto } from '../../overlay/io/overlay-crypto.ts'
import { MarketMesh } from '../core/market-mesh.ts'
import { OrderBook } from '../core/order-book.ts'
import { Swaps } from '../swap/swaps.ts'
import { Trader } from '../core/trader.ts'
import type { Identity } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketFiles } from '../ports/market-files.ts'
import type { MarketWallets } from '../../wallets/ports/market-funds.ts'
import type { Random } from '../../../ports/random.ts'
import type { MarketService } from '../service/market-api.ts'
import type { EventSink } from '../../../services/events/event-table.ts'
import type { MarketEventPayloads } from '../service/market-event-table.ts'
import { tellMarketEvents } from '../service/market-events.ts'
import { Market } from '../service/market.ts'
import type { OverlaysWithDht } from '../../overlay/wiring/overlay-parts.ts'
import { MarketOverlay } from './market-overlay.ts'
import { openOverlayKey } from '../../overlay/wiring/overlay-key.ts'
import type { MarketSettings } from './settings-market.ts'
import { StartedParts } from '../../../node/started-parts.ts'
import { SwapChains } from './swap-chains.ts'
import { walletSettingsOf } from '../../wallets/wiring/wallet-parts.ts'

/** Nobody is looked for at so many peers, and strangers are refused above so many. */
export const TARGET_PEERS = 30
/** Strangers are refused above so many peers. */
const MAX_PEERS = 80

/** Its folder in the state directory. */
export const MARKET_FOLDER = 'market'

/** What is there when the node has started. */
export interface LateMarketDeps {
  /** The overlays of the node; starts them. Rejects with AppErrors. */
  readonly overlay: { withDht(): Promise<OverlaysWithDht> }
}

/** What the market is made from. */
export interface MarketPartsDeps extends LateMarketDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  readonly stack: NetworkStack
  readonly events: EventSink<MarketEventPayloads>
  /** The wallets of the node, opened at the first call. AppErrors StateUnreadable, NotReady. */
  wallets(): Promise<MarketWallets>
  settings(): MarketSettings
}

/** It runs until stop(). */
export interface RunningMarket {
  readonly service: MarketService
  stop(): Promise<void>
}

/** Starts it. AppErrors StateUnreadable, DiskFull, DiskError; then nothing of it runs. */
export async function startMarket(deps: MarketPartsDeps): Promise<RunningMarket> {
  const started = new StartedParts(deps.log)
  try {
    const funds = await deps.wallets()
    const chains = makeChains(deps, funds)
    started.add('chains of swaps', () => Promise.resolve(chains.close()))
    const folder = join(deps.stateDir, MARKET_FOLDER)
    const files = new MarketFolder(folder)
    const swapEngine = await startSwaps(deps, { funds, chains, files, folder }, started)
    const book = new OrderBook(deps.clock)
    const network = await makeOverlay(deps, book, started)
    const trader = await startTrader(deps, { network, book, funds, swapEngine, files, chains }, started)
    // Not waited for: the market is there at once, peers come when they come.
    void network.start()
    const service = new Market({
      trader,
      book,
      funds,
      chain: coin => chains.demand(coin),
      peers: () => network.peers,
      standing: () => network.standing,
    })
    return { service, stop: () => started.stop(0) }
  } catch (error) {
    await started.stop(0)
    throw error
  }
}

/** Servers are asked as those of the wallets are (decision 0432). */
function makeChains({ policy, stack, settings }: MarketPartsDeps, wallets: MarketWallets): SwapChains {
  const { resolver, route } = stack.trackers
  return new SwapChains({
    wallets,
    makeRpc: url => new HttpJsonRpc(url, { policy, resolver, route }),
    server: coin => walletSettingsOf(settings()).server(coin),
  })
}

/** Those that run go on at once: nothing of them waits for a wallet or a peer. */
async function startSwaps(
  { clock, random, log }: MarketPartsDeps,
  parts: { funds: MarketWallets; chains: SwapChains; files: MarketFiles; folder: string },
  started: StartedParts,
): Promise<Swaps> {
  const { funds, chains, files, folder } = parts
  const seal = await openNodeKey(folder)
  const swaps = new Swaps({
    clock,
    random,
    files,
    seal,
    funds,
    log: log.part('swaps'),
    chain: asset => chains.ofAsset(asset),
  })
  started.add('swaps', () => Promise.resolve(swaps.stop()))
  await swaps.start()
  return swaps
}

/** With the identity of this node in the overlays, which it has also while they do not run. */
async function makeOverlay(deps: MarketPartsDeps, book: OrderBook, started: StartedParts): Promise<MarketOverlay> {
  const { clock, random, log, overlay, settings, stateDir } = deps
  const pair = await openOverlayKey(stateDir, makeOverlayCrypto(random))
  started.add('key of the market', () => Promise.resolve(pair.wipe()))
  const identity: Identity = {
    publicKey: pair.publicKey,
    mid: pair.mid,
    member: Buffer.from(pair.mid).toString('hex'),
    sign: message => pair.sign(message),
  }
  const network = new MarketOverlay({
    identity,
    book,
    clock,
    random,
    log,
    overlay,
    settings,
    peers: { target: TARGET_PEERS, most: MAX_PEERS },
    mesh: parts => new MarketMesh(parts),
  })
  started.add('overlay of the market', () => network.stop())
  return network
}

async function startTrader(
  { clock, random, log, events }: MarketPartsDeps,
  parts: {
    network: MarketOverlay
    book: OrderBook
    funds: MarketWallets
    swapEngine: Swaps
    files: MarketFiles
    chains: SwapChains
  },
  started: StartedParts,
): Promise<Trader> {
  const { chains, ...rest } = parts
  const trader = new Trader({ ...rest, clock, random, log, chains: coin => chains.of(coin) })
  started.add('trader', () => trader.stop())
  await trader.start()
  const ended = tellMarketEvents(trader, events)
  started.add('market events', () => Promise.resolve(ended()))
  return trader
}
