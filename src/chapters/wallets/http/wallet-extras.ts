// Routes of wallets that the specification does not have: locks, fees, the seed, the audit log. They translate names
// and nothing else.

import { routeWith } from '../../../http/route.ts'
import type { WalletRouteServices } from '../service/wallets-api.ts'
import {
  AuditParameters,
  AuditReply,
  DEFAULT_UNLOCK_S,
  ExportSeedParameters,
  ExportSeedReply,
  FeesParameters,
  FeesReply,
  LockReply,
  RaiseFeeParameters,
  RemoveSpendKeyParameters,
  RestoreSeedParameters,
  RestoreSeedReply,
  SetSpendKeyParameters,
  SpendKeyReply,
  TransferReply,
  UnlockParameters,
  UnlockReply,
} from './wallet-schemas.ts'
import { walletOf } from './wallets.ts'

const route = routeWith<WalletRouteServices>()

const common = { kind: 'json', tag: 'wallets', scope: 'spend' } as const
const ONE = '/wallets/{identifier}'
const SAMPLE = '/wallets/TBTC'
const SAMPLE_ID = 'ab'.repeat(32)
const EXTRA = 'The whole route is extra.'
const AUDIT_LINES = 100
const PASSWORD = { password: 'correct horse' } as const

const unlock = route({
  ...common,
  id: 'wallets.unlock',
  method: 'POST',
  path: `${ONE}/unlock`,
  summary: 'Unlocks a wallet for a while',
  choices: [EXTRA, 'After a restart every wallet is locked: it is paid and shown, and does not spend.'],
  parameters: UnlockParameters,
  reply: UnlockReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'UnknownWallet', 'WalletNotCreated', 'WrongPassword'] as const),
    ...(['SpendKeyMissing', 'SeedMissing', 'TooManyRequests', 'DiskFull', 'DiskError', 'NotReady'] as const),
  ],
  sample: { path: `${SAMPLE}/unlock`, body: PASSWORD, status: 200 },
  run: ({ services }, { path, parameters: { seconds = DEFAULT_UNLOCK_S, ...order } }) =>
    services.wallets.unlock(walletOf(path), { ...order, seconds }),
})

const lock = route({
  ...common,
  id: 'wallets.lock',
  method: 'POST',
  path: `${ONE}/lock`,
  summary: 'Locks a wallet',
  choices: [EXTRA],
  parameters: null,
  reply: LockReply,
  errors: ['UnknownWallet', 'WalletNotCreated', 'NotReady'],
  sample: { path: `${SAMPLE}/lock`, status: 200 },
  run: ({ services }, { path }) => services.wallets.lock(walletOf(path)),
})

const fees = route({
  ...common,
  id: 'wallets.fees',
  method: 'GET',
  path: `${ONE}/fees`,
  summary: 'What a transfer costs now',
  choices: [EXTRA, 'With amount and destination: of that transfer; else of a usual one.'],
  parameters: FeesParameters,
  reply: FeesReply,
  errors: [
    ...(['InvalidParameter', 'UnknownWallet', 'WalletNotCreated', 'InvalidAddress', 'InsufficientFunds'] as const),
    ...(['WalletServerFailed', 'NoWalletServer', 'NotReady'] as const),
  ],
  sample: { path: `${SAMPLE}/fees`, status: 200 },
  run: ({ services }, { path, parameters: { destination, amount, amount_exact } }) => {
    const sum = amount_exact ?? amount
    if (destination === undefined || sum === undefined) return services.wallets.fees(walletOf(path), {})
    return services.wallets.fees(walletOf(path), { destination, amount: sum })
  },
})

const raiseFee = route({
  ...common,
  id: 'wallets.raiseFee',
  method: 'POST',
  path: `${ONE}/transactions/{txid}/fee`,
  summary: 'Sends a transfer that waits anew, with a higher fee',
  choices: [
    EXTRA,
    'The recipient gets the same; which of the two a block takes, the other is void (BIP 125; the same number on Ethereum).',
  ],
  parameters: RaiseFeeParameters,
  reply: TransferReply,
  errors: [
    ...(['InvalidParameter', 'UnknownWallet', 'WalletNotCreated', 'TransferNotFound', 'StateConflict'] as const),
    ...(['WalletLocked', 'SpendKeyMissing', 'SpendLimitReached', 'InsufficientFunds', 'TransferRefused'] as const),
    ...([
      'WalletServerFailed',
      'NoWalletServer',
      'InvalidSetting',
      'TooManyRequests',
      'DiskFull',
      'DiskError',
    ] as const),
    ...(['NotReady'] as const),
  ],
  sample: { path: `${SAMPLE}/transactions/${SAMPLE_ID}/fee`, body: { fee_rate: 20 }, status: 200 },
  run: ({ services }, { path, parameters }) =>
    services.wallets.raiseFee(walletOf(path), path['txid'] ?? '', parameters),
})

const exportSeed = route({
  ...common,
  id: 'wallets.exportSeed',
  method: 'POST',
  path: '/wallets/seed/export',
  summary: 'The words of the seed',
  choices: [EXTRA],
  parameters: ExportSeedParameters,
  reply: ExportSeedReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'SeedMissing', 'WrongPassword', 'SpendKeyMissing'] as const),
    ...(['TooManyRequests', 'DiskFull', 'DiskError', 'NotReady'] as const),
  ],
  sample: { path: '/wallets/seed/export', body: PASSWORD, status: 200 },
  run: ({ services }, { parameters }) => services.wallets.exportSeed(parameters),
})

const restoreSeed = route({
  ...common,
  id: 'wallets.restoreSeed',
  method: 'POST',
  path: '/wallets/seed/restore',
  summary: 'Takes the seed of words that were written down',
  choices: [
    EXTRA,
    'Only where there is no seed yet. Wallets are created after that; `from_height` says where their payments begin.',
  ],
  parameters: RestoreSeedParameters,
  reply: RestoreSeedReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'SeedExists', 'TooManyRequests', 'StateUnreadable'] as const),
    ...(['DiskFull', 'DiskError', 'NotReady'] as const),
  ],
  sample: { path: '/wallets/seed/restore', body: { ...PASSWORD, seed_words: 'abandon about' }, status: 200 },
  run: ({ services }, { parameters: { seed_words, password } }) => services.wallets.restoreSeed(seed_words, password),
})

const SPEND_KEY_ERRORS = [
  ...(['MissingParameter', 'InvalidParameter', 'SeedMissing', 'WrongPassword', 'SpendKeyMissing'] as const),
  ...(['TooManyRequests', 'DiskFull', 'DiskError', 'NotReady'] as const),
] as const

const setSpendKey = route({
  ...common,
  id: 'wallets.setSpendKey',
  method: 'PUT',
  path: '/wallets/seed/spendkey',
  summary: 'Demands a key beside the API key for whatever spends',
  choices: [
    EXTRA,
    'From then on transfers, raised fees, unlocking and the words of the seed need the parameter spend_key: else 403 `SpendKeyMissing`.',
  ],
  parameters: SetSpendKeyParameters,
  reply: SpendKeyReply,
  errors: SPEND_KEY_ERRORS,
  sample: { path: '/wallets/seed/spendkey', body: { ...PASSWORD, new_key: 'battery staple' }, status: 200 },
  run: ({ services }, { parameters: { password, new_key, spend_key } }) =>
    services.wallets.setSpendKey({
      password,
      spend_key: new_key,
      ...(spend_key === undefined ? {} : { present: spend_key }),
    }),
})

const removeSpendKey = route({
  ...common,
  id: 'wallets.removeSpendKey',
  method: 'DELETE',
  path: '/wallets/seed/spendkey',
  summary: 'Demands no spend key any more',
  choices: [EXTRA],
  parameters: RemoveSpendKeyParameters,
  reply: SpendKeyReply,
  errors: SPEND_KEY_ERRORS,
  sample: { path: '/wallets/seed/spendkey', body: { ...PASSWORD, spend_key: 'battery staple' }, status: 200 },
  run: ({ services }, { parameters: { password, spend_key } }) =>
    services.wallets.setSpendKey({
      password,
      spend_key: null,
      ...(spend_key === undefined ? {} : { present: spend_key }),
    }),
})

const audit = route({
  ...common,
  id: 'wallets.audit',
  method: 'GET',
  path: '/wallets/audit',
  summary: 'What was done with wallets, and what was refused',
  choices: [EXTRA, 'Lines are only added, the newest last; each has the hash of the one before.'],
  parameters: AuditParameters,
  reply: AuditReply,
  errors: ['InvalidParameter', 'DiskError', 'NotReady'],
  sample: { path: '/wallets/audit', query: 'limit=3', status: 200 },
  run: async ({ services }, { parameters: { limit } }) => ({
    audit: await services.wallets.audit(limit ?? AUDIT_LINES),
  }),
})

/** Every route of this file. */
export const walletExtraRoutes = [
  ...[unlock, lock, fees, raiseFee, exportSeed, restoreSeed],
  ...[setSpendKey, removeSpendKey, audit],
] as const
