// The service of the wallets, there from the first moment; what it works with (wallet-parts.ts, and the cryptography of
// the chains below it) is loaded when wallets are first asked for, or with the node where there are some.

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { errorText } from '../../../base/errors.ts'
import type { MarketWallets } from '../ports/market-funds.ts'
import type { WalletsService } from '../service/wallets-api.ts'
import type { Wallets } from '../service/wallets.ts'
import { OpenedAtFirstUse } from '../../../node/opened-at-first-use.ts'
import type { WalletPartsDeps } from './wallet-parts.ts'

const FOLDER = 'wallets'

/**
 * The service of the wallets, there from the first moment; what it works with (wallet-parts.ts, and the cryptography of
 * the chains below it) is loaded when wallets are first asked for, or with the node where there are some.
 */
export class WalletServices {
  readonly service: WalletsService
  readonly #deps: WalletPartsDeps
  readonly #wallets: OpenedAtFirstUse<Wallets>

  constructor(deps: WalletPartsDeps) {
    this.#deps = deps
    const wallets = new OpenedAtFirstUse(async () => (await import('./wallet-parts.ts')).startWallets(deps))
    this.#wallets = wallets
    this.service = {
      list: async () => (await wallets.open()).list(),
      create: async (...asked) => (await wallets.open()).create(...asked),
      balance: async identifier => (await wallets.open()).balance(identifier),
      transactions: async identifier => (await wallets.open()).transactions(identifier),
      transfer: async (...asked) => (await wallets.open()).transfer(...asked),
      raiseFee: async (...asked) => (await wallets.open()).raiseFee(...asked),
      fees: async (...asked) => (await wallets.open()).fees(...asked),
      unlock: async (...asked) => (await wallets.open()).unlock(...asked),
      lock: async identifier => (await wallets.open()).lock(identifier),
      exportSeed: async order => (await wallets.open()).exportSeed(order),
      restoreSeed: async (...asked) => (await wallets.open()).restoreSeed(...asked),
      setSpendKey: async order => (await wallets.open()).setSpendKey(order),
      audit: async limit => (await wallets.open()).audit(limit),
    }
  }

  /** What the market may do with them. AppErrors StateUnreadable, NotReady. */
  async market(): Promise<MarketWallets> {
    return (await this.#wallets.open()).market
  }

  /** The node has started: wallets that are there follow their chains. Never rejects. */
  async start(): Promise<void> {
    try {
      await access(join(this.#deps.stateDir, FOLDER))
      await (await this.#wallets.open()).list()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      this.#deps.log.error('the wallets could not be started', { error: errorText(error) })
    }
  }

  /** Ends them; keys that are open are wiped. */
  stop(limitMs: number): Promise<void> {
    return this.#wallets.stop(limitMs)
  }
}
