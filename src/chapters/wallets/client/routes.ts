// The routes of wallets by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { walletExtraRoutes } from '../http/wallet-extras.ts'
import type { walletRoutes } from '../http/wallets.ts'

/** Every route of the chapter. */
export type WalletRoutes = RoutesOf<[...typeof walletRoutes, ...typeof walletExtraRoutes]>

/** A wallet as it is listed. */
export type Wallet = ReplyOf<WalletRoutes, 'GET /wallets'>['wallets'][number]

/** What came in or went out. */
export type WalletTransaction = ReplyOf<WalletRoutes, 'GET /wallets/{identifier}/transactions'>['transactions'][number]

/** What a transfer costs. */
export type TransferFee = ReplyOf<WalletRoutes, 'GET /wallets/{identifier}/fees'>

/** A transfer that was made. */
export type Transfer = ReplyOf<WalletRoutes, 'POST /wallets/{identifier}/transfer'>
