// Addresses and signed transfers of chains of Ethereum's kind (EIP-55, EIP-155, EIP-1559). The key stays in the bytes
// of its HDKey: ethers alone would make texts of it.

import type { HDKey } from '@scure/bip32'
import { getAddress, ZeroAddress } from 'ethers'
import { Signature, Transaction, computeAddress, recoverAddress, getBytes } from 'ethers'
import { AppError } from '../../../base/errors.ts'

/** A transfer as it is signed. Amounts in wei. */
export interface EvmTransfer {
  readonly chainId: bigint
  readonly nonce: number
  /** Null: `data` is the code of a new contract. */
  readonly to: string | null
  readonly value: bigint
  /** A call, 0x and hexadecimal. */
  readonly data?: string
  readonly gasLimit: bigint
  /** The most for one gas, the tip within it; of chains before EIP-1559 tip is null and this the price. */
  readonly maxFee: bigint
  readonly tip: bigint | null
}

/** A signed transfer. */
export interface SignedTransfer {
  readonly hash: string
  /** 0x and hexadecimal. */
  readonly raw: string
}

/** The address of a key, with its checksum. */
export function evmAddressOf({ publicKey }: HDKey): string {
  if (publicKey === null) throw new Error('no key')
  return computeAddress(`0x${Buffer.from(publicKey).toString('hex')}`)
}

/** The address with its checksum. AppError InvalidAddress: not an address, a wrong checksum, or the zero address. */
export function checkEvmAddress(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new AppError('InvalidAddress', 'This is no address of this chain: 0x and 40 hexadecimal digits.')
  }
  const address = withChecksum(text)
  if (address === ZeroAddress) throw new AppError('InvalidAddress', 'Nobody has the key of this address.')
  return address
}

function withChecksum(text: string): string {
  try {
    return getAddress(text)
  } catch {
    throw new AppError('InvalidAddress', 'The checksum of the address is wrong: a letter is not what it was.')
  }
}

/** Signs. AppError WalletLocked: the key was wiped. */
export function signEvmTransfer(key: HDKey, transfer: EvmTransfer): SignedTransfer {
  const { chainId, nonce, to, value, data = '0x', gasLimit, maxFee, tip } = transfer
  const fees =
    tip === null ? { type: 0, gasPrice: maxFee } : { type: 2, maxFeePerGas: maxFee, maxPriorityFeePerGas: tip }
  const unsigned = Transaction.from({ chainId, nonce, to, value, data, gasLimit, ...fees })
  if (key.privateKey === null) throw new AppError('WalletLocked')
  const bytes = Buffer.from(key.sign(getBytes(unsigned.unsignedHash)))
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32, 64)].map(part => `0x${part.toString('hex')}`)
  const own = evmAddressOf(key)
  for (const yParity of [0, 1] as const) {
    const signature = Signature.from({ r: r ?? '', s: s ?? '', yParity })
    if (recoverAddress(unsigned.unsignedHash, signature) !== own) continue
    unsigned.signature = signature
    return { hash: unsigned.hash ?? '', raw: unsigned.serialized }
  }
  throw new Error('a signature that is not ours')
}

/** Reads back what was signed: by whom (small letters) and what. Throws for what is no signed transaction. */
export function readEvmTransfer(raw: string): EvmTransfer & { readonly hash: string; readonly from: string } {
  const read = Transaction.from(raw)
  if (read.from === null || read.hash === null) throw new Error('it is not signed')
  const { chainId, nonce, to, value, data, gasLimit } = read
  const legacy = read.type !== 2
  const maxFee = (legacy ? read.gasPrice : read.maxFeePerGas) ?? 0n
  const tip = legacy ? null : (read.maxPriorityFeePerGas ?? 0n)
  const from = read.from.toLowerCase()
  return { hash: read.hash, from, chainId, nonce, to: to?.toLowerCase() ?? null, value, data, gasLimit, maxFee, tip }
}
