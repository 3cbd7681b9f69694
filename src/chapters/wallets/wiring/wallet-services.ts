// The service of the wallets, there from the first moment; what it works with (wallet-parts.ts, and the cryptography of
// the chains below it) is loaded when wallets are first asked for, or with the node where there are some.

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../../../base/errors.ts'
import type { MarketWallets } from '../ports/market-funds.ts'
import type { WalletsService } from '../service/wallets-api.ts'
import type { Wallets } from '../service/wallets.ts'
import type { WalletPartsDeps } from './wallet-parts.ts'

const FOLDER = 'wallets'

/**
 * The service of the wallets, there from the first moment; what it works with (wallet-parts.ts, and the cryptography of
 * the chains below it) is loaded when wallets are first asked for, or with the node where there are some.
 */
export class WalletServices {
  readonly service: WalletsService
  readonly #deps: WalletPartsDeps
  #starting: Promise<Wallets> | null = null
  #stopped = false

  constructor(deps: WalletPartsDeps) {
    this.#deps = deps
    this.service = {
      list: async () => (await this.#open()).list(),
      create: async (...asked) => (await this.#open()).create(...asked),
      balance: async identifier => (await this.#open()).balance(identifier),
      transactions: async identifier => (await this.#open()).transactions(identifier),
      transfer: async (...asked) => (await this.#open()).transfer(...asked),
      raiseFee: async (...asked) => (await this.#open()).raiseFee(...asked),
      fees: async (...asked) => (await this.#open()).fees(...asked),
      unlock: async (...asked) => (await this.#open()).unlock(...asked),
      lock: async identifier => (await this.#open()).lock(identifier),
      exportSeed: async order => (await this.#open()).exportSeed(order),
      restoreSeed: async (...asked) => (await this.#open()).restoreSeed(...asked),
      setSpendKey: async order => (await this.#open()).setSpendKey(order),
      audit: async limit => (await this.#open()).audit(limit),
    }
  }

  /** What the market may do with them. AppErrors StateUnreadable, NotReady. */
  async market(): Promise<MarketWallets> {
    return (await this.#open()).market
  }

  /** The node has started: wallets that are there follow their chains. Never rejects. */
  async start(): Promise<void> {
    try {
      await access(join(this.#deps.stateDir, FOLDER))
      await (await this.#open()).list()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      this.#deps.log.error('the wallets could not be started', { error: errorText(error) })
    }
  }

  /** Ends them; keys that are open are wiped. */
  async stop(): Promise<void> {
    this.#stopped = true
    const wallets = await this.#starting?.catch(() => null)
    await wallets?.stop()
  }

  #open(): Promise<Wallets> {
    if (this.#stopped) return Promise.reject(new AppError('NotReady', 'The node is stopping.'))
    this.#starting ??= this.#make().catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  async #make(): Promise<Wallets> {
    const { startWallets } = await import('./wallet-parts.ts')
    return startWallets(this.#deps)
  }
}
