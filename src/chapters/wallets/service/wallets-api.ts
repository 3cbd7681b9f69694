// What the interface asks of wallets (spec 2.9, 2.10, 4.8; decisions part 4). Amounts are numbers as the specification
// has them, and beside them exact decimal text. All of it rejects with UnknownWallet for an identifier that is none,
// and NotReady while the node starts.

/** Money of a wallet. */
export interface WalletBalance {
  readonly available: number
  readonly pending: number
  readonly currency: string
  readonly available_exact: string
  readonly pending_exact: string
  /** Of what is available: set aside for orders on the market, which transfers cannot spend. */
  readonly reserved: number
  readonly reserved_exact: string
}

/** A wallet as it is listed. */
export interface WalletRecord {
  readonly created: boolean
  readonly name: string
  readonly address: string
  readonly balance: WalletBalance
  readonly identifier: string
  readonly unlocked: boolean
  /** Of the chain; '' when it is not created. */
  readonly network: string
  /** Of the newest block that was read; -1 = none yet. */
  readonly height: number
  /** Blocks still to be read. */
  readonly behind: number
  /** A server for its chain is set: without one it cannot be created, nor see what is new. */
  readonly has_server: boolean
  /** Why it cannot be used, or not wholly; '' = nothing. */
  readonly problem: string
}

/** One line of a history. */
export interface WalletTransactionRecord {
  readonly currency: string
  readonly to: string
  readonly from: string
  readonly outgoing: boolean
  readonly description: string
  readonly timestamp: string
  readonly fee_amount: number
  readonly amount: number
  readonly id: string
  readonly amount_exact: string
  readonly fee_exact: string
  readonly confirmations: number
}

/** What to transfer. */
export interface TransferOrder {
  readonly amount: number | string
  readonly destination: string
  readonly fee_rate?: number
  readonly spend_key?: string
  readonly idempotency_key?: string
}

/** A transfer that was made. */
export interface TransferRecord {
  readonly txid: string
  /** False: the server could not be asked; it is sent again until a block has it. */
  readonly sent: boolean
  readonly fee_exact: string
}

/** What a transfer would cost. */
export interface FeeRecord {
  /** Of the smallest unit for a virtual byte; of chains of Ethereum's kind wei for one gas. */
  readonly fee_rate: number
  /** Of a transfer as it was asked about, else of a usual one. */
  readonly fee_exact: string
  readonly currency: string
}

/** A line of the log of all that concerns money. */
export interface AuditRecord {
  /** Unix time, seconds. */
  readonly time: number
  readonly action: string
  readonly wallet: string
  readonly outcome: string
  readonly amount: string
  readonly destination: string
  readonly txid: string
  /** SHA-256 of the line before, hexadecimal. */
  readonly previous: string
}

/** Wallets. */
export interface WalletsService {
  list(): Promise<WalletRecord[]>
  /**
   * The first one makes the seed, and answers its words. `fromHeight`: of an older seed, where its payments begin.
   * AppErrors WalletExists, NoWalletServer, WrongPassword.
   */
  create(
    identifier: string,
    password: string,
    fromHeight: number | null,
  ): Promise<{ created: true; seed_words?: string }>
  balance(identifier: string): Promise<WalletBalance>
  /** The newest first; none of a wallet that is not created. */
  transactions(identifier: string): Promise<WalletTransactionRecord[]>
  /**
   * AppErrors WalletNotCreated, InvalidParameter, InvalidAddress, WalletLocked, SpendKeyMissing, SpendLimitReached,
   * InsufficientFunds, TransferRefused, WalletServerFailed, StateConflict (the idempotency key is that of another
   * transfer).
   */
  transfer(identifier: string, order: TransferOrder): Promise<TransferRecord>
  /** Replaces a waiting transfer by one with a higher fee. AppErrors as transfer, and TransferNotFound. */
  raiseFee(
    identifier: string,
    txid: string,
    order: { readonly fee_rate?: number; readonly spend_key?: string },
  ): Promise<TransferRecord>
  fees(identifier: string, asked: Partial<Pick<TransferOrder, 'amount' | 'destination'>>): Promise<FeeRecord>
  /** AppErrors WalletNotCreated, WrongPassword, SpendKeyMissing, TooManyRequests. */
  unlock(
    identifier: string,
    order: { readonly password: string; readonly seconds: number; readonly spend_key?: string },
  ): Promise<{ unlocked: true; until: number }>
  lock(identifier: string): Promise<{ locked: true }>
  /** AppErrors SeedMissing, WrongPassword, SpendKeyMissing. */
  exportSeed(order: { readonly password: string; readonly spend_key?: string }): Promise<{ seed_words: string }>
  /** AppErrors SeedExists, InvalidParameter. */
  restoreSeed(words: string, password: string): Promise<{ restored: true }>
  /**
   * Demands a key beside the API key from now on; null: no more. AppErrors SeedMissing, WrongPassword, SpendKeyMissing.
   */
  setSpendKey(order: {
    readonly password: string
    readonly spend_key: string | null
    readonly present?: string
  }): Promise<{ required: boolean }>
  /** The newest last. */
  audit(limit: number): Promise<AuditRecord[]>
}

/** What routes of wallets use. */
export interface WalletRouteServices {
  readonly wallets: WalletsService
}
