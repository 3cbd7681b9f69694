// The seed of all wallets and its words (BIP 39), and the keys made of it (BIP 32, 44, 84). What is secret here is
// bytes, which their holder wipes; the words are text while they are shown.

import { HDKey } from '@scure/bip32'
import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeed } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { AppError } from '../../../base/errors.ts'

/** Bytes of the seed (BIP 39). */
const SEED_BYTES = 64
/** 24 words. */
export const NEW_ENTROPY_BYTES = 32
/** Of 12, 15, 18, 21 and 24 words. */
const ENTROPY_BYTES: readonly number[] = [16, 20, 24, 28, 32]

/** The entropy behind the words: to show them again, and to make keys. */
export interface SeedSecret {
  readonly entropy: Uint8Array
  readonly seed: Uint8Array
}

/** Of entropy that was drawn. */
export async function seedOfEntropy(entropy: Uint8Array): Promise<SeedSecret> {
  return { entropy, seed: await mnemonicToSeed(entropyToMnemonic(entropy, wordlist)) }
}

/** Of words that the owner wrote down, in any case and spacing. AppError InvalidParameter: they are not such words. */
export function seedOfWords(words: string): Promise<SeedSecret> {
  const clean = words.trim().toLowerCase().split(/\s+/).join(' ')
  try {
    return seedOfEntropy(mnemonicToEntropy(clean, wordlist))
  } catch {
    const text =
      'The words are not a seed: 12 to 24 words of the English list of BIP 39, the last of which checks the others.'
    return Promise.reject(new AppError('InvalidParameter', text))
  }
}

/** The words. */
export function wordsOfSeed({ entropy }: SeedSecret): string {
  return entropyToMnemonic(entropy, wordlist)
}

/** One run of bytes, to be sealed. */
export function encodeSeed({ entropy, seed }: SeedSecret): Uint8Array {
  return Buffer.concat([seed, entropy])
}

/** The other way; null: these are not such bytes. They are copied: slice() of a Buffer would be wiped with it. */
export function decodeSeed(bytes: Uint8Array): SeedSecret | null {
  if (!ENTROPY_BYTES.includes(bytes.length - SEED_BYTES)) return null
  return { seed: Uint8Array.from(bytes.subarray(0, SEED_BYTES)), entropy: Uint8Array.from(bytes.subarray(SEED_BYTES)) }
}

/** Overwrites it. */
export function wipeSeed({ entropy, seed }: SeedSecret): void {
  entropy.fill(0)
  seed.fill(0)
}

/** The account of a chain of Bitcoin's kind, native segwit (BIP 84). Its holder wipes it. */
export function utxoAccount(seed: Uint8Array, coinType: number): HDKey {
  return derive(seed, `m/84'/${coinType}'/0'`)
}

/** The key of a chain of Ethereum's kind (BIP 44, coin type 60): the one that others' wallets show first. */
export function evmKey(seed: Uint8Array): HDKey {
  return derive(seed, "m/44'/60'/0'/0/0")
}

function derive(seed: Uint8Array, path: string): HDKey {
  const master = HDKey.fromMasterSeed(seed)
  try {
    return master.derive(path)
  } finally {
    master.wipePrivateData()
  }
}
