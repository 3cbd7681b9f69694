// The interface of a wallet of one coin, as the service of all wallets uses it, and what each is made with.

import type { HDKey } from '@scure/bip32'
import type { Clock } from '../../../ports/clock.ts'
import type { JsonRpc } from '../ports/json-rpc.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { SentTransfer, SentTransfers } from './wallet-sent.ts'

/** One line of a history, in the smallest unit. */
export interface HistoryLine {
  readonly txid: string
  readonly outgoing: boolean
  readonly amount: bigint
  readonly fee: bigint
  readonly to: string
  readonly from: string
  /** Unix time, seconds. */
  readonly time: number
  readonly confirmations: number
}

/** The wallet's state on its chain. */
export interface ChainFacts {
  /** For people. */
  readonly network: string
  /** Name of the chain as chainTag of src/chapters/wallets/core/assets.ts takes it. */
  readonly chain: string
  readonly height: number
  readonly behind: number
  readonly problem: string
}

/** A transfer that was read: its destination is one, its amount is above dust. */
export interface CheckedTransfer {
  readonly destination: string
  readonly amount: bigint
  /** As the interface has it; null: what the chain asks for now. */
  readonly rate: bigint | null
  /** '' = none. */
  readonly key: string
}

/** What the service does at points of a transfer; when one of the first two rejects, nothing is sent. */
export interface TransferHooks {
  /**
   * The cost is known, nothing is signed. `total`: what leaves the wallet in all, `more`: of that, what did not leave
   * already.
   */
  approve(total: bigint, more: bigint): void
  /** Signed and kept, not sent. */
  record(transfer: SentTransfer): Promise<void>
  /** So much has just left the balance: what was approved as `more`. */
  left(units: bigint): void
  /** It is in the balance again: nothing was sent. */
  back(): void
}

/** The result of a transfer. */
export interface MadeTransfer {
  readonly txid: string
  readonly fee: bigint
  readonly sent: boolean
}

/** A wallet of one coin. */
export interface CoinWallet {
  /** The one to show. */
  readonly address: string
  facts(): ChainFacts
  balance(): { readonly available: bigint; readonly pending: bigint }
  /** The newest first. */
  history(): HistoryLine[]
  /** Reads what is new on the chain. Never rejects: facts().problem says what is wrong. */
  refresh(): Promise<void>
  /** Throws AppErrors InvalidAddress, InvalidParameter (dust). */
  check(destination: string, amount: bigint): void
  /** The transfers that left, for limits and repeated requests. */
  readonly sent: Pick<SentTransfers, 'since' | 'repeated' | 'isOfMarket'>
  send(key: HDKey, transfer: CheckedTransfer, hooks: TransferHooks): Promise<MadeTransfer>
  raiseFee(key: HDKey, txid: string, rate: bigint | null, hooks: TransferHooks): Promise<MadeTransfer>
  /** What a transfer costs: the rate, and the whole of one. */
  price(asked: { readonly destination: string; readonly amount: bigint } | null): Promise<{ rate: bigint; fee: bigint }>
  stop(): Promise<void>
}

/** What wallets are made with. */
export interface CoinWalletDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The server in force. Throws AppError NoWalletServer. */
  rpc(): JsonRpc
  /** Keeps the wallet's text. */
  save(text: string): Promise<void>
}
