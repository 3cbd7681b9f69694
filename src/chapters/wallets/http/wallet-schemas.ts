// JSON schemas of wallets and their seed (spec 2.9, 2.10, 4.8; decisions part 4).

import { Type } from '@sinclair/typebox'

/** Of POST /wallets/{identifier}/unlock. */
export const DEFAULT_UNLOCK_S = 900
const MAX_UNLOCK_S = 86_400

const Exact = (description: string) => Type.String({ description: `extra: ${description}, as exact decimal text` })
const Coins = (description: string) => Type.Number({ description })
const Password = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'the password of the seed, up to 1024 characters',
})
const SpendKey = Type.Optional(
  Type.String({ maxLength: 1024, description: 'extra: the spend key, where one is demanded' }),
)
const FeeRate = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'extra: smallest units for a virtual byte, of ETH and TETH wei for one gas; default: what the chain asks for',
  }),
)
const Words = Type.String({ maxLength: 512, description: 'the words of the seed (BIP 39)' })

const Balance = Type.Object({
  available: Coins('what can be spent'),
  pending: Coins('what others pay and no block has yet'),
  currency: Type.String({ description: 'the identifier' }),
  available_exact: Exact('available'),
  pending_exact: Exact('pending'),
  reserved: Coins('extra: of what is available, set aside for orders on the market; transfers cannot spend it'),
  reserved_exact: Exact('reserved'),
})

const Wallet = Type.Object({
  created: Type.Boolean(),
  name: Type.String(),
  address: Type.String({ description: 'to be paid to; empty when it is not created' }),
  balance: Balance,
  identifier: Type.String({ description: 'extra: BTC, TBTC, LTC, TLTC, ETH or TETH' }),
  unlocked: Type.Boolean({ description: 'extra: it can spend' }),
  network: Type.String({ description: 'extra: the chain; empty when it is not created' }),
  height: Type.Integer({ description: 'extra: of the newest block that was read; -1 = none' }),
  behind: Type.Integer({ minimum: 0, description: 'extra: blocks still to be read' }),
  has_server: Type.Boolean({ description: 'extra: a server for its chain is set; without one it cannot be created' }),
  problem: Type.String({ description: 'extra: why it cannot be used, or not wholly; empty = nothing' }),
})

const Line = Type.Object({
  currency: Type.String(),
  to: Type.String({ description: 'addresses, with commas between' }),
  from: Type.String({ description: 'addresses, with commas between; may be empty' }),
  outgoing: Type.Boolean(),
  description: Type.String(),
  timestamp: Type.String({ description: 'Unix time, seconds' }),
  fee_amount: Coins('fee of an outgoing one'),
  amount: Coins('without the fee'),
  id: Type.String({ description: 'of the transaction' }),
  amount_exact: Exact('amount'),
  fee_exact: Exact('fee_amount'),
  confirmations: Type.Integer({ minimum: 0, description: 'extra: blocks from the one that has it on; 0 = it waits' }),
})

/** GET /wallets. */
export const WalletsReply = Type.Object({ wallets: Type.Array(Wallet) })
/** Body of PUT /wallets/{identifier}. */
export const CreateWalletParameters = Type.Object({
  password: Password,
  from_height: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000_000,
      description: 'extra: of a seed that was restored: height of the block from which on it may have been paid',
    }),
  ),
})
/** PUT /wallets/{identifier}. */
export const CreateWalletReply = Type.Object({
  created: Type.Boolean(),
  seed_words: Type.Optional(
    Type.String({ description: 'extra: of the first wallet: the words of the new seed, shown now. Write them down' }),
  ),
})
/** GET /wallets/{identifier}/balance. */
export const BalanceReply = Type.Object({ balance: Balance })
/** GET /wallets/{identifier}/transactions. */
export const TransactionsReply = Type.Object({ transactions: Type.Array(Line) })

/** Body of POST /wallets/{identifier}/transfer. */
export const TransferParameters = Type.Object({
  amount: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'a number above 0, of coins' })),
  destination: Type.String({ minLength: 1, maxLength: 128, description: 'an address of the chain' }),
  amount_exact: Type.Optional(
    Type.String({ maxLength: 80, description: 'extra: in the place of amount: exact decimal text' }),
  ),
  fee_rate: FeeRate,
  spend_key: SpendKey,
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'extra: a text of your own; with the same one a transfer is made once',
    }),
  ),
})
/** Answers of transfers. */
export const TransferReply = Type.Object({
  txid: Type.String(),
  sent: Type.Boolean({ description: 'extra: false = the server could not be asked; it is sent again by itself' }),
  fee_exact: Exact('the fee, of ETH and TETH the most that it can be'),
})
/** Body of POST /wallets/{identifier}/transactions/{txid}/fee. */
export const RaiseFeeParameters = Type.Object({ fee_rate: FeeRate, spend_key: SpendKey })
/** Query of GET /wallets/{identifier}/fees. */
export const FeesParameters = Type.Object({
  amount: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'a number above 0, of coins' })),
  amount_exact: Type.Optional(
    Type.String({ maxLength: 80, description: 'in the place of amount: exact decimal text' }),
  ),
  destination: Type.Optional(Type.String({ maxLength: 128, description: 'an address of the chain' })),
})
/** GET /wallets/{identifier}/fees. */
export const FeesReply = Type.Object({
  fee_rate: Type.Integer({ description: 'smallest units for a virtual byte; wei for one gas' }),
  fee_exact: Type.String({ description: 'of the transfer that was asked about, else of a usual one' }),
  currency: Type.String(),
})
/** Body of POST /wallets/{identifier}/unlock. */
export const UnlockParameters = Type.Object({
  password: Password,
  seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_UNLOCK_S,
      description: `time until it is locked again, ${DEFAULT_UNLOCK_S} by default`,
    }),
  ),
  spend_key: SpendKey,
})
/** POST /wallets/{identifier}/unlock. */
export const UnlockReply = Type.Object({
  unlocked: Type.Boolean(),
  until: Type.Integer({ description: 'Unix time, seconds' }),
})
/** POST /wallets/{identifier}/lock. */
export const LockReply = Type.Object({ locked: Type.Boolean() })

/** Body of POST /wallets/seed/export. */
export const ExportSeedParameters = Type.Object({ password: Password, spend_key: SpendKey })
/** POST /wallets/seed/export. */
export const ExportSeedReply = Type.Object({ seed_words: Words })
/** Body of POST /wallets/seed/restore. */
export const RestoreSeedParameters = Type.Object({ seed_words: Words, password: Password })
/** POST /wallets/seed/restore. */
export const RestoreSeedReply = Type.Object({ restored: Type.Boolean() })
/** Body of PUT /wallets/seed/spendkey. */
export const SetSpendKeyParameters = Type.Object({
  password: Password,
  new_key: Type.String({
    minLength: 8,
    maxLength: 1024,
    description: 'the key to demand from now on, 8 characters or more',
  }),
  spend_key: SpendKey,
})
/** Body of DELETE /wallets/seed/spendkey. */
export const RemoveSpendKeyParameters = Type.Object({ password: Password, spend_key: SpendKey })
/** PUT and DELETE /wallets/seed/spendkey. */
export const SpendKeyReply = Type.Object({ required: Type.Boolean({ description: 'a spend key is demanded' }) })

/** Query of GET /wallets/audit. */
export const AuditParameters = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'lines at most, 100 by default' })),
})
/** GET /wallets/audit. */
export const AuditReply = Type.Object({
  audit: Type.Array(
    Type.Object({
      time: Type.Integer({ description: 'Unix time, seconds' }),
      action: Type.String(),
      wallet: Type.String(),
      outcome: Type.String({ description: 'done, signed, or the code of the refusal' }),
      amount: Type.String(),
      destination: Type.String(),
      txid: Type.String(),
      previous: Type.String({ description: 'SHA-256 of the line before' }),
    }),
  ),
})
