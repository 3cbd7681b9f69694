// Addresses of chains of Bitcoin's kind: from text to the script that is paid and back (BIP 173, BIP 350, Base58Check),
// and what is dust.

import { Address, OutScript } from '@scure/btc-signer'
import { AppError } from '../../../base/errors.ts'
import { type Coin, COINS, type UtxoCoin, type UtxoNetwork } from './coins.ts'

/** The longest address of any kind, with room. */
const MAX_ADDRESS_LENGTH = 128
/** The address that is dearest to spend from: P2PKH, which has no witness. */
const LARGEST_SCRIPT = 25

/** The script that an address means. AppError InvalidAddress says what is wrong with it. */
export function scriptOfAddress(text: string, network: UtxoNetwork): Uint8Array {
  const script = tryScript(text, network)
  if (script !== null) return script
  const other = chainOf(text)
  if (other !== null) throw new AppError('InvalidAddress', `This is an address of another chain: ${other}.`)
  throw new AppError('InvalidAddress', 'This is no address of this chain; is it complete, every letter right?')
}

function tryScript(text: string, network: UtxoNetwork): Uint8Array | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null
  try {
    return OutScript.encode(Address(network).decode(text))
  } catch {
    return null
  }
}

/** Whose address that is. */
function chainOf(text: string): string | null {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return 'Ethereum'
  for (const coin of Object.values(COINS)) {
    if (coin.family !== 'utxo') continue
    for (const network of Object.values(coin.networks)) {
      if (tryScript(text, network) !== null) return `${coin.name}, ${network.name}`
    }
  }
  return null
}

/** The address of a script, '' for one that has none. */
export function addressOfScript(script: Uint8Array, network: UtxoNetwork): string {
  try {
    return Address(network).encode(OutScript.decode(script))
  } catch {
    return ''
  }
}

/** The least that can be paid to any address of a coin. */
export function leastPayment(coin: Coin): bigint {
  return coin.family === 'evm' ? 1n : dustLimit(new Uint8Array(LARGEST_SCRIPT), coin)
}

/** The least that an output of this script may have to be relayed (Bitcoin Core, GetDustThreshold). */
export function dustLimit(script: Uint8Array, { dustRate }: UtxoCoin): bigint {
  const [version = 0, push = 0] = script
  const witness = (version === 0 || (version >= 0x51 && version <= 0x60)) && push + 2 === script.length
  const bytes = 8 + 1 + script.length + (witness ? 67 : 148)
  return (BigInt(bytes) * dustRate + 999n) / 1000n
}
