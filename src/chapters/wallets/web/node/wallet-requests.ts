// What users ask of wallets: requests by name. Each rejects with ApiError. Secrets go in bodies, never in addresses.

import type { Transfer, TransferFee, Wallet, WalletRoutes, WalletTransaction } from '../../client/routes.ts'
import { NodeApi } from '../../../../web/node/api.ts'
import { session } from '../../../../web/node/context.ts'

type Signal = AbortSignal | undefined

const api = new NodeApi<WalletRoutes>(session.node)

/** All wallets, also those that are not created. */
export async function walletsNow(signal?: Signal): Promise<Wallet[]> {
  return (await api.call('GET /wallets', { signal })).wallets
}

/** Creates a wallet; the words of the seed when it is the first, else ''. */
export async function createWallet(coin: string, password: string): Promise<string> {
  const request = { path: { identifier: coin }, parameters: { password } }
  const { seed_words: words = '' } = await api.call('PUT /wallets/{identifier}', request)
  return words
}

/** Keeps words of an older seed in the place of new ones, before the first wallet is created. */
export async function restoreSeed(words: string, password: string): Promise<void> {
  await api.call('POST /wallets/seed/restore', { parameters: { seed_words: words, password } })
}

/** The words of the seed. */
export async function exportSeed(password: string, spendKey: string): Promise<string> {
  const parameters = { password, ...(spendKey === '' ? {} : { spend_key: spendKey }) }
  return (await api.call('POST /wallets/seed/export', { parameters })).seed_words
}

/** Lets a wallet spend for some seconds. */
export async function unlock(coin: string, password: string, seconds: number, spendKey: string): Promise<void> {
  const parameters = { password, seconds, ...(spendKey === '' ? {} : { spend_key: spendKey }) }
  await api.call('POST /wallets/{identifier}/unlock', { path: { identifier: coin }, parameters })
}

/** Ends that. */
export async function lock(coin: string): Promise<void> {
  await api.call('POST /wallets/{identifier}/lock', { path: { identifier: coin } })
}

/** What came in and went out, the newest first. */
export async function historyOf(coin: string, signal?: Signal): Promise<WalletTransaction[]> {
  const request = { path: { identifier: coin }, signal }
  return (await api.call('GET /wallets/{identifier}/transactions', request)).transactions
}

/** What a transfer would cost. */
export function feesOf(coin: string, amount: string, destination: string): Promise<TransferFee> {
  const parameters = { amount_exact: amount, destination }
  return api.call('GET /wallets/{identifier}/fees', { path: { identifier: coin }, parameters })
}

/** Transfers. The same `key` never transfers twice. */
export function transfer(
  coin: string,
  order: { readonly amount: string; readonly destination: string; readonly spendKey: string; readonly key: string },
): Promise<Transfer> {
  const { amount, destination, spendKey, key } = order
  const spend = spendKey === '' ? {} : { spend_key: spendKey }
  const parameters = { amount_exact: amount, destination, idempotency_key: key, ...spend }
  return api.call('POST /wallets/{identifier}/transfer', { path: { identifier: coin }, parameters })
}

/** Makes a waiting transfer once more, with a higher fee. */
export async function raiseFee(coin: string, txid: string): Promise<void> {
  await api.call('POST /wallets/{identifier}/transactions/{txid}/fee', { path: { identifier: coin, txid } })
}
