// Routes of wallets that the specification has (4.8; decisions part 4). They translate names and nothing else.

import { AppError } from '../../../base/errors.ts'
import { routeWith } from '../../../http/route.ts'
import type { WalletRouteServices } from '../service/wallets-api.ts'
import {
  BalanceReply,
  CreateWalletParameters,
  CreateWalletReply,
  TransactionsReply,
  TransferParameters,
  TransferReply,
  WalletsReply,
} from './wallet-schemas.ts'

const route = routeWith<WalletRouteServices>()

const common = { kind: 'json', tag: 'wallets', scope: 'spend' } as const
const ONE = '/wallets/{identifier}'
const SAMPLE = '/wallets/TBTC'

/** The wallet of a path. */
export function walletOf(path: Readonly<Record<string, string>>): string {
  return path['identifier'] ?? ''
}

/** The exact text, else the number. AppError MissingParameter: neither. */
export function amountOf({ amount, amount_exact }: { amount?: number; amount_exact?: string }): number | string {
  const found = amount_exact ?? amount
  if (found === undefined) throw new AppError('MissingParameter', 'The parameter amount is missing.')
  return found
}

const list = route({
  ...common,
  id: 'wallets.list',
  method: 'GET',
  path: '/wallets',
  summary: 'All wallets, also those that are not created',
  choices: [
    'A list, as the specification has it. Balances are read from the chain. Money is counted in whole smallest units; numbers are what is ' +
      'nearest to them, the exact text stands beside (extra: `available_exact`, `pending_exact`).',
    'Available is what can be spent: payments in a block, and our own change. Pending is what others pay and no block has.',
  ],
  parameters: null,
  reply: WalletsReply,
  errors: ['NotReady', 'StateUnreadable'],
  sample: { path: '/wallets', status: 200 },
  run: async ({ services }) => ({ wallets: await services.wallets.list() }),
})

const create = route({
  ...common,
  id: 'wallets.create',
  method: 'PUT',
  path: ONE,
  summary: 'Creates a wallet',
  choices: [
    'The first wallet makes the seed of all and encrypts it with this password; each later one must give the same: else 403 `WrongPassword`.',
    'A wallet that exists: 409 `WalletExists`. Without a server in the settings: 409 `NoWalletServer`.',
    'A wallet that was just created is unlocked for 15 minutes. Extra: `from_height`, and `seed_words` in the answer of the first.',
  ],
  parameters: CreateWalletParameters,
  reply: CreateWalletReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'UnknownWallet', 'WalletExists', 'NoWalletServer'] as const),
    ...(['WrongPassword', 'TooManyRequests', 'StateUnreadable', 'DiskFull', 'DiskError', 'NotReady'] as const),
  ],
  sample: { path: SAMPLE, body: { password: 'correct horse' }, status: 200 },
  run: ({ services }, { path, parameters: { password, from_height } }) =>
    services.wallets.create(walletOf(path), password, from_height ?? null),
})

const balance = route({
  ...common,
  id: 'wallets.balance',
  method: 'GET',
  path: `${ONE}/balance`,
  summary: 'The balance of a wallet',
  choices: [
    'In an object `balance`, as the record in the list. Of a wallet that is not created 0. Extra: `available_exact`, `pending_exact`.',
  ],
  parameters: null,
  reply: BalanceReply,
  errors: ['UnknownWallet', 'NotReady'],
  sample: { path: `${SAMPLE}/balance`, status: 200 },
  run: async ({ services }, { path }) => ({ balance: await services.wallets.balance(walletOf(path)) }),
})

const transactions = route({
  ...common,
  id: 'wallets.transactions',
  method: 'GET',
  path: `${ONE}/transactions`,
  summary: 'What came in and went out',
  choices: [
    'The newest first; none of a wallet that is not created. Extra: `amount_exact`, `fee_exact`, `confirmations`.',
  ],
  parameters: null,
  reply: TransactionsReply,
  errors: ['UnknownWallet', 'NotReady'],
  sample: { path: `${SAMPLE}/transactions`, status: 200 },
  run: async ({ services }, { path }) => ({ transactions: await services.wallets.transactions(walletOf(path)) }),
})

const transfer = route({
  ...common,
  id: 'wallets.transfer',
  method: 'POST',
  path: `${ONE}/transfer`,
  summary: 'Transfers money',
  choices: [
    'The address and the amount are checked before anything is signed: wrong checksums and addresses of other chains are 400 `InvalidAddress`; ' +
      'too many decimal places, nothing, less than the chain carries 400 `InvalidParameter`; too much 400 `InsufficientFunds`.',
    'The fee comes on top of the amount. A transfer is kept on the disk before it is sent, and is sent again until a block has it; its fee may be raised.',
    'Extra: `amount_exact`, `fee_rate`, `spend_key`, `idempotency_key`; in the answer `sent`, `fee_exact`.',
  ],
  parameters: TransferParameters,
  reply: TransferReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'UnknownWallet', 'WalletNotCreated', 'InvalidAddress'] as const),
    ...(['WalletLocked', 'SpendKeyMissing', 'SpendLimitReached', 'InsufficientFunds', 'TransferRefused'] as const),
    ...(['WalletServerFailed', 'NoWalletServer', 'StateConflict', 'InvalidSetting', 'TooManyRequests'] as const),
    ...(['DiskFull', 'DiskError', 'NotReady'] as const),
  ],
  sample: { path: `${SAMPLE}/transfer`, body: { amount: 0.25, destination: 'tb1q' }, status: 200 },
  run: ({ services }, { path, parameters }) => {
    const { amount, amount_exact, ...order } = parameters
    const sum = amountOf({
      ...(amount === undefined ? {} : { amount }),
      ...(amount_exact === undefined ? {} : { amount_exact }),
    })
    return services.wallets.transfer(walletOf(path), { ...order, amount: sum })
  },
})

/** Every route of this file. */
export const walletRoutes = [list, create, balance, transactions, transfer] as const
