// How a wallet keeps up with its chain: one look at a time, which all who ask meanwhile share, none where the last one
// is young, and what went wrong with it for people to see. What waits and no server knows any more is sent again.

import { AppError, errorText } from '../../../base/errors.ts'
import { RpcRefusal } from '../ports/json-rpc.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'

/** A look this young is not repeated by refresh(), ms. */
const FRESH_MS = 300

/** What a wallet does with its chain. */
export interface WalletChain<Chain> {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** The chain as the server in force has it. Throws AppError NoWalletServer. */
  server(): Chain
  /** Brings the wallet up to it; answers in how many ms there is more to look at, null: not before somebody asks. */
  update(chain: Chain): Promise<number | null>
}

/** How a wallet keeps up with its chain: one look at a time, which all who ask meanwhile share. */
export class RefreshedWallet<Chain> {
  readonly #of: WalletChain<Chain>
  #problem = ''
  #looking: Promise<void> | null = null
  #lookedMs = -Infinity
  #stopped = false

  constructor(of: WalletChain<Chain>) {
    this.#of = of
  }

  /** Why the last look failed, for people; '' = it did not. */
  get problem(): string {
    return this.#problem
  }

  /** Looks at the chain, unless that was done just now or the wallet is stopped. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#stopped || this.#of.clock.now() - this.#lookedMs < FRESH_MS) return
    await this.#look()
  }

  /** The chain, by a look that began after the call. AppError WalletServerFailed: that look failed. */
  async current(): Promise<Chain> {
    await this.#looking
    await this.#look()
    if (this.#problem !== '') throw new AppError('WalletServerFailed', this.#problem)
    return this.#of.server()
  }

  /** Settles when the look under way has ended; none follows by itself. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#looking
  }

  async #look(): Promise<void> {
    this.#looking ??= this.#update().finally(() => {
      this.#looking = null
      this.#lookedMs = this.#of.clock.now()
    })
    await this.#looking
  }

  async #update(): Promise<void> {
    try {
      const againMs = await this.#of.update(this.#of.server())
      this.#problem = ''
      if (againMs !== null && !this.#stopped) this.#of.clock.after(againMs, () => void this.#look())
    } catch (error) {
      this.#problem = errorText(error)
    }
  }
}

/** Sends a transfer that waits; that the server does not take it is logged. AppError WalletServerFailed. */
export async function sendAgain(txid: string, send: () => Promise<void>, log: Log): Promise<void> {
  try {
    await send()
    log.info('a transfer was sent again', { txid })
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error
    log.warn('a transfer that waits is not taken', { txid, error: errorText(error) })
  }
}
