// Wallets put together; loaded when wallets are first asked for, or with the node where there are some
// (wallet-services.ts).

import { join } from 'node:path'
import type { AddressPolicy } from '../../../io/net/address-policy.ts'
import { HttpJsonRpc } from '../io/json-rpc-http.ts'
import type { NetworkStack } from '../../../io/net/network-stack.ts'
import { WalletFolder } from '../io/wallet-files.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { WalletSettings } from '../service/wallet-set.ts'
import { Wallets } from '../service/wallets.ts'
import type { WalletsSettings } from './settings-wallets.ts'

/** The folder of the wallets, in the state directory. */
export const WALLETS_FOLDER = 'wallets'

/** What wallets are made from. */
export interface WalletPartsDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  readonly stack: NetworkStack
  settings(): WalletsSettings
}

/** Makes and reads them. AppError StateUnreadable. */
export async function startWallets(deps: WalletPartsDeps): Promise<Wallets> {
  const { stateDir, clock, random, log, policy, stack, settings } = deps
  const { resolver, route } = stack.trackers
  const wallets = new Wallets({
    clock,
    random,
    log,
    files: new WalletFolder(join(stateDir, WALLETS_FOLDER)),
    makeRpc: url => new HttpJsonRpc(url, { policy, resolver, route }),
    settings: () => walletSettingsOf(settings()),
  })
  await wallets.start()
  return wallets
}

/** WalletsSettings of the wallets in their words. */
export function walletSettingsOf({ wallets }: WalletsSettings): WalletSettings {
  const servers = {
    BTC: wallets.btc_server,
    TBTC: wallets.tbtc_server,
    LTC: wallets.ltc_server,
    TLTC: wallets.tltc_server,
    ETH: wallets.eth_server,
    TETH: wallets.teth_server,
  }
  return {
    server: id => servers[id].reveal(),
    network: id => (id === 'TBTC' ? wallets.tbtc_network : wallets.tltc_network),
    chainId: () => wallets.teth_chain_id,
    transferLimits: wallets.transfer_limits,
    dayLimits: wallets.day_limits,
  }
}
