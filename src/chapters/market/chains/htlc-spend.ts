// Transactions of a swap's own key on a chain of Bitcoin's kind: out of its deposit (P2WPKH) into contracts, out of a
// contract with the secret or after its lock, and what is left out of the deposit. Replaceable (BIP 125), signed after
// BIP 143, low S (BIP 146).

import { createECDH } from 'node:crypto'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import { AppError } from '../../../base/errors.ts'
import { feeOf, type SpendableCoin } from '../../wallets/core/coin-selection.ts'
import { htlcOutput, htlcScript, type HtlcTerms, SECRET_BYTES } from './htlc-script.ts'
import { readTransaction } from '../../wallets/core/tx-reader.ts'
import type { Payment } from '../../wallets/core/utxo-signing.ts'

/** Says that a transaction with a higher fee may take its place; it also lets the lock time count (BIP 65). */
const REPLACEABLE = 0xfffffffd
const WEIGHT_OF_VBYTE = 4
/** Version, lock time, one count of inputs and of outputs; marker and flag. */
const OVERHEAD_WEIGHT = (4 + 4 + 1 + 1) * WEIGHT_OF_VBYTE + 2
const INPUT_WEIGHT = 41 * WEIGHT_OF_VBYTE
const OUTPUT_WEIGHT = 9 * WEIGHT_OF_VBYTE
/** With its length; the longest that is made. */
const SIGNATURE_BYTES = 1 + 72

/** A signed transaction. */
export interface SignedSpend {
  readonly raw: string
  readonly txid: string
  readonly fee: bigint
}

/** Money in a contract, and the branch that takes it: a secret (64 hexadecimal digits), or null = back. */
export interface ContractSpend {
  readonly terms: HtlcTerms
  readonly txid: string
  readonly index: number
  readonly amount: bigint
  readonly secret: string | null
  /** Script that gets all but the fee. */
  readonly payTo: Uint8Array
  readonly fee: bigint
}

/** The compressed public key of 32 bytes. AppError InvalidParameter: they are no key. */
export function publicKeyOf(key: Uint8Array): Uint8Array {
  try {
    const curve = createECDH('secp256k1')
    curve.setPrivateKey(key)
    return Uint8Array.from(curve.getPublicKey(null, 'compressed'))
  } catch {
    throw new AppError('InvalidParameter', 'The key of the swap is none.')
  }
}

/** The script of a key's deposit. */
export function depositScript(key: Uint8Array): Uint8Array {
  return p2wpkh(publicKeyOf(key)).script
}

/** Virtual bytes of a spend of the contract that pays one script, its signature as long as it can be. */
export function contractSpendSize(terms: HtlcTerms, claim: boolean, payTo: Uint8Array): number {
  const branch = claim ? 1 + SECRET_BYTES + 2 : 1
  const witness = 1 + SIGNATURE_BYTES + branch + 1 + htlcScript(terms).length
  return sizeOf([witness], [payTo])
}

/** Virtual bytes of a spend of so many coins of a deposit that pays these scripts. */
export function depositSpendSize(coins: number, scripts: readonly Uint8Array[]): number {
  return sizeOf(
    Array.from({ length: coins }, () => 1 + SIGNATURE_BYTES + 1 + 33),
    scripts,
  )
}

function sizeOf(witnesses: readonly number[], scripts: readonly Uint8Array[]): number {
  const inputs = witnesses.reduce((sum, bytes) => sum + INPUT_WEIGHT + bytes, 0)
  const outputs = scripts.reduce((sum, { length }) => sum + OUTPUT_WEIGHT + length * WEIGHT_OF_VBYTE, 0)
  return Math.ceil((OVERHEAD_WEIGHT + inputs + outputs) / WEIGHT_OF_VBYTE)
}

/**
 * Takes the money of a contract with the secret, or back: then no block before the lock is over can have it. AppErrors
 * InvalidParameter, InsufficientFunds.
 */
export function spendContract(key: Uint8Array, spend: ContractSpend): SignedSpend {
  const { terms, txid, index, amount, secret, payTo, fee } = spend
  const own = secret === null ? terms.refundKey : terms.claimKey
  if (Buffer.from(publicKeyOf(key)).toString('hex') !== own)
    throw new AppError('InvalidParameter', 'The key of the swap is not that of the contract.')
  if (fee < 0n || amount <= fee) throw new AppError('InsufficientFunds')
  const witnessScript = htlcScript(terms)
  const options = { allowUnknownInputs: true, allowUnknownOutputs: true, disableScriptCheck: true }
  const transaction = new Transaction({ ...options, lockTime: secret === null ? terms.lockS : 0 })
  const witnessUtxo = { amount, script: htlcOutput(terms) }
  transaction.addInput({ txid, index, witnessUtxo, witnessScript, sequence: REPLACEABLE })
  transaction.addOutput({ script: payTo, amount: amount - fee })
  transaction.signIdx(key, 0)
  const [, signature] = transaction.getInput(0).partialSig?.[0] ?? []
  if (signature === undefined) throw new Error('a contract was not signed')
  const branch = secret === null ? [new Uint8Array(0)] : [Uint8Array.from(Buffer.from(secret, 'hex')), Uint8Array.of(1)]
  transaction.updateInput(0, { finalScriptWitness: [signature, ...branch, witnessScript] })
  return signedOf(transaction, fee)
}

/** Pays out of the coins of a deposit; all that is not paid is its fee. AppError InsufficientFunds. */
export function spendDeposit(
  key: Uint8Array,
  coins: readonly SpendableCoin[],
  payments: readonly Payment[],
): SignedSpend {
  const fee = sumOf(coins) - sumOf(payments)
  if (fee < 0n) throw new AppError('InsufficientFunds')
  const script = depositScript(key)
  const transaction = new Transaction({ allowUnknownOutputs: true })
  for (const { txid, index, value } of coins)
    transaction.addInput({ txid, index, witnessUtxo: { amount: value, script }, sequence: REPLACEABLE })
  for (const { script: to, value } of payments) transaction.addOutput({ script: to, amount: value })
  transaction.sign(key)
  transaction.finalize()
  return signedOf(transaction, fee)
}

function signedOf(transaction: Transaction, fee: bigint): SignedSpend {
  const raw = transaction.extract()
  return { raw: Buffer.from(raw).toString('hex'), txid: readTransaction(raw).txid, fee }
}

/** A sum of money. */
export function sumOf(values: readonly { readonly value: bigint }[]): bigint {
  return values.reduce((sum, { value }) => sum + value, 0n)
}

/**
 * What is paid out of a deposit to put `amount` under a contract: change comes back to the deposit where it is worth
 * `keep`, else it goes to the fee. AppError InsufficientFunds: says what is missing.
 */
export function fundingPayments(
  coins: readonly SpendableCoin[],
  contract: Payment,
  deposit: Uint8Array,
  { rate, keep }: { readonly rate: bigint; readonly keep: bigint },
): Payment[] {
  const have = sumOf(coins)
  const least = contract.value + feeOf(depositSpendSize(coins.length, [contract.script]), rate)
  if (have < least) {
    const text = `Insufficient funds: the deposit of the swap has ${have} of the ${least} that its contract needs.`
    throw new AppError('InsufficientFunds', text)
  }
  const change = have - contract.value - feeOf(depositSpendSize(coins.length, [contract.script, deposit]), rate)
  return change >= keep ? [contract, { script: deposit, value: change }] : [contract]
}
