// The market of a node, over its wallets and overlays.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { overlayParts } from '../../overlay/wiring/open-overlay.ts'
import { walletFunds } from '../../wallets/wiring/open-wallets.ts'
import type { MarketRouteServices } from '../service/market-api.ts'
import type { MarketEventPayloads } from '../service/market-event-table.ts'
import { MarketServices } from './market-services.ts'
import { marketSettingsOf } from './settings-market.ts'

/** Opens the chapter. */
export function openMarket(kernel: Kernel): OpenedChapter {
  const { stateDir, clock, random, policy, stack, events, log, settings, shared } = kernel
  const market = new MarketServices({
    stateDir,
    clock,
    random,
    policy,
    stack,
    events: events.of<MarketEventPayloads>(),
    log: log.part('market'),
    settings: () => marketSettingsOf(settings.values),
    wallets: shared.take(walletFunds),
  })
  const services: MarketRouteServices = { market: market.service }
  return {
    services,
    start: () => market.start({ overlay: shared.take(overlayParts) }),
    stop: limitMs => market.stop(limitMs),
  }
}
