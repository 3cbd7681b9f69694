// Makes and signs a transfer on a chain of Bitcoin's kind: native segwit inputs (BIP 143), replaceable (BIP 125).

import type { HDKey } from '@scure/bip32'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import { AppError } from '../../../base/errors.ts'
import type { SpendableCoin } from './coin-selection.ts'

/** Says that a transaction with a higher fee may take its place. */
const REPLACEABLE = 0xfffffffd

/** The place of a coin's key in the account: m/84'/coin'/0'/chain/index. */
export interface KeyPlace {
  /** 0 = addresses that are shown, 1 = change. */
  readonly chain: 0 | 1
  readonly index: number
}

/** A coin of ours. */
export interface OwnCoin extends SpendableCoin {
  readonly place: KeyPlace
}

/** What is paid. */
export interface Payment {
  readonly script: Uint8Array
  readonly value: bigint
}

/** The script of a place, made of the account's public key. `branch`: its child of that chain, where it is at hand. */
export function scriptOfPlace(
  account: HDKey,
  { chain, index }: KeyPlace,
  branch = account.deriveChild(chain),
): Uint8Array {
  const { publicKey } = branch.deriveChild(index)
  if (publicKey === null) throw new Error('an account without a key')
  return p2wpkh(publicKey).script
}

/** The signed transaction, ready to be sent. Child keys are wiped before it returns. */
export function signTransfer(account: HDKey, coins: readonly OwnCoin[], payments: readonly Payment[]): Uint8Array {
  const spent = coins.reduce((sum, { value }) => sum + value, 0n)
  const paid = payments.reduce((sum, { value }) => sum + value, 0n)
  if (paid > spent) throw new AppError('InsufficientFunds')
  const transaction = new Transaction({ allowUnknownOutputs: true })
  for (const { txid, index, value, script } of coins) {
    const witnessUtxo = { amount: value, script: Buffer.from(script, 'hex') }
    transaction.addInput({ txid, index, witnessUtxo, sequence: REPLACEABLE })
  }
  for (const { script, value } of payments) transaction.addOutput({ script, amount: value })
  for (const [input, { place }] of coins.entries()) signOne(transaction, input, account, place)
  transaction.finalize()
  return transaction.extract()
}

function signOne(transaction: Transaction, input: number, account: HDKey, { chain, index }: KeyPlace): void {
  const branch = account.deriveChild(chain)
  const key = branch.deriveChild(index)
  try {
    if (key.privateKey === null) throw new AppError('WalletLocked')
    transaction.signIdx(key.privateKey, input)
  } finally {
    key.wipePrivateData()
    branch.wipePrivateData()
  }
}
