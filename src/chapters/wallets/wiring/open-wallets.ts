// The wallets of a node, and what the market may do with them.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { SharedKey } from '../../../node/shared-parts.ts'
import type { MarketWallets } from '../ports/market-funds.ts'
import type { WalletRouteServices } from '../service/wallets-api.ts'
import { walletsSettingsOf } from './settings-wallets.ts'
import { WalletServices } from './wallet-services.ts'

/** The wallets as the market has them, opened at the first call. Rejects with AppErrors StateUnreadable, NotReady. */
export const walletFunds = new SharedKey<() => Promise<MarketWallets>>('the funds of wallets')

/** Keys that are open must be wiped, and what was sent be written down. */
const KEPT = 0.1

/** Opens the chapter. */
export function openWallets({ stateDir, clock, random, policy, stack, log, settings, shared }: Kernel): OpenedChapter {
  const wallets = new WalletServices({
    stateDir,
    clock,
    random,
    policy,
    stack,
    log: log.part('wallets'),
    settings: () => walletsSettingsOf(settings.values),
  })
  shared.offer(walletFunds, () => wallets.market())
  const services: WalletRouteServices = { wallets: wallets.service }
  return { services, start: () => wallets.start(), stop: limitMs => wallets.stop(limitMs), kept: KEPT }
}
