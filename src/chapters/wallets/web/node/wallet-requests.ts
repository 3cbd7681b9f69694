// What users ask of wallets: requests by name. Each rejects with ApiError. Secrets go in bodies, never in addresses.

import type { FeeRecord, TransferRecord, WalletRecord, WalletTransactionRecord } from '../../service/wallets-api.ts'
import { session } from '../../../../web/node/context.ts'

type Signal = AbortSignal | undefined

/** All wallets, also those that are not created. */
export async function walletsNow(signal?: Signal): Promise<WalletRecord[]> {
  return (await session.api.ask<{ wallets: WalletRecord[] }>('GET', 'wallets', undefined, signal)).wallets
}

/** Creates a wallet; the words of the seed when it is the first, else ''. */
export async function createWallet(coin: string, password: string): Promise<string> {
  const { seed_words: words = '' } = await session.api.ask<{ seed_words?: string }>('PUT', `wallets/${coin}`, {
    password,
  })
  return words
}

/** Keeps words of an older seed in the place of new ones, before the first wallet is created. */
export async function restoreSeed(words: string, password: string): Promise<void> {
  await session.api.ask('POST', 'wallets/seed/restore', { seed_words: words, password })
}

/** The words of the seed. */
export async function exportSeed(password: string, spendKey: string): Promise<string> {
  const body = { password, ...(spendKey === '' ? {} : { spend_key: spendKey }) }
  return (await session.api.ask<{ seed_words: string }>('POST', 'wallets/seed/export', body)).seed_words
}

/** Lets a wallet spend for some seconds. */
export async function unlock(coin: string, password: string, seconds: number, spendKey: string): Promise<void> {
  const body = { password, seconds, ...(spendKey === '' ? {} : { spend_key: spendKey }) }
  await session.api.ask('POST', `wallets/${coin}/unlock`, body)
}

/** Ends that. */
export async function lock(coin: string): Promise<void> {
  await session.api.ask('POST', `wallets/${coin}/lock`, {})
}

/** What came in and went out, the newest first. */
export async function historyOf(coin: string, signal?: Signal): Promise<WalletTransactionRecord[]> {
  const path = `wallets/${coin}/transactions`
  return (await session.api.ask<{ transactions: WalletTransactionRecord[] }>('GET', path, undefined, signal))
    .transactions
}

/** What a transfer would cost. */
export function feesOf(coin: string, amount: string, destination: string): Promise<FeeRecord> {
  const query = new URLSearchParams({ amount_exact: amount, destination })
  return session.api.ask<FeeRecord>('GET', `wallets/${coin}/fees?${query}`)
}

/** Transfers. The same `key` never transfers twice. */
export function transfer(
  coin: string,
  order: { readonly amount: string; readonly destination: string; readonly spendKey: string; readonly key: string },
): Promise<TransferRecord> {
  const { amount, destination, spendKey, key } = order
  const body = { amount_exact: amount, destination, idempotency_key: key }
  return session.api.ask('POST', `wallets/${coin}/transfer`, spendKey === '' ? body : { ...body, spend_key: spendKey })
}

/** Makes a transfer that waits anew with a higher fee. */
export async function raiseFee(coin: string, txid: string): Promise<void> {
  await session.api.ask('POST', `wallets/${coin}/transactions/${txid}/fee`, {})
}
