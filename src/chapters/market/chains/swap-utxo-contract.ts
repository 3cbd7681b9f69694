// Contracts of swaps as a chain of Bitcoin's kind shows them: where one is funded, and how it ended, in blocks and
// among what waits. What blocks say comes first.

import { AppError } from '../../../base/errors.ts'
import type { FoundEnd, FoundFunding } from '../ports/swap-chain.ts'
import { htlcOutput, readHtlcEnd } from './htlc-script.ts'
import type { WatchedFact, WatchKey } from '../../wallets/core/watched-facts.ts'
import type { LegTerms } from '../wire/types.ts'
import type { SwapBlocks } from './swap-utxo-blocks.ts'

const PLACE = /^([0-9a-f]{64}):(\d{1,5})$/

/** Reads the text of a place: which output it is. AppError InvalidParameter. */
export function readPlace(place: string): { readonly txid: string; readonly index: number } {
  const [, txid, index] = PLACE.exec(place) ?? []
  if (txid === undefined) throw new AppError('InvalidParameter', 'The place of a contract is none.')
  return { txid, index: Number(index) }
}

/** The key of what spends a place. */
export function spendOf(place: string): WatchKey {
  const { txid, index } = readPlace(place)
  return `spent ${txid}:${index}`
}

/**
 * The funding of exactly the amount: the oldest in blocks, else one that waits. What cannot be spent at once is none.
 */
export async function findFunding(
  blocks: SwapBlocks,
  terms: LegTerms,
  fromHeight: number,
  hint: string | null,
): Promise<FoundFunding | null> {
  const key: WatchKey = `script ${Buffer.from(htlcOutput(terms)).toString('hex')}`
  const fits = ({ value, young }: WatchedFact): boolean => value === terms.amount && !young
  const found = await blocks.first(key, fromHeight, hint, fits)
  if (found === null) return null
  const { txid, index, height } = found
  return { place: `${txid}:${index}`, txid, confirmations: blocks.depth(height), height }
}

/** What took the money; null: it is there. AppError WalletServerFailed: the server shows an end that cannot be. */
export async function findEnd(
  blocks: SwapBlocks,
  terms: LegTerms,
  funding: FoundFunding,
  fromHeight: number,
): Promise<FoundEnd | null> {
  const spend = await blocks.first(spendOf(funding.place), fromHeight, null)
  if (spend === null) return null
  const end = readHtlcEnd(spend.witness, terms, spend)
  if (end !== null) return { ...end, txid: spend.txid, confirmations: blocks.depth(spend.height) }
  // Ids of transactions do not cover witnesses: that is made up, or of another contract.
  throw new AppError('WalletServerFailed', 'The server shows an end of a contract that no chain would take.')
}
