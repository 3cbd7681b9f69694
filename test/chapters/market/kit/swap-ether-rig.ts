// A chain of anvil with our side of swaps on it: deposits that are paid, terms, and what the chain itself says of
// balances and receipts.

import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../../../../src/base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../../../../src/chapters/wallets/ports/json-rpc.ts'
import type { FoundFunding, SignedTransaction } from '../../../../src/chapters/market/ports/swap-chain.ts'
import { EvmSwapChain } from '../../../../src/chapters/market/chains/swap-evm-chain.ts'
import { chainTag } from '../../../../src/chapters/wallets/core/assets.ts'
import type { LegTerms } from '../../../../src/chapters/market/wire/types.ts'
import { startAnvil } from '../../wallets/kit/anvil-chain.ts'
import type { RpcChain } from '../../wallets/kit/rpc-chain.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** What anvil says of a mined transaction. */
export interface MinedFacts {
  readonly succeeded: boolean
  readonly gas: bigint
  readonly fee: bigint
}

/**
 * A chain of anvil with our side of swaps on it: deposits that are paid, terms, and what the chain itself says of
 * balances and receipts.
 */
export class SwapEtherRig {
  readonly chain: RpcChain
  readonly #rich: string

  private constructor(chain: RpcChain, rich: string) {
    this.chain = chain
    this.#rich = rich
  }

  static async start(): Promise<SwapEtherRig> {
    const chain = await startAnvil()
    return new SwapEtherRig(chain, (await chain.call<string[]>('eth_accounts'))[0] ?? '')
  }

  /** A fresh object, as after a restart. */
  swaps(chainId = 31_337n): EvmSwapChain {
    const rpc = rpcOf(this.chain)
    return new EvmSwapChain({ asset: { coin: 'TETH', chain: chainTag('TETH', '31337') }, chainId }, { rpc: () => rpc })
  }

  /** Terms that end `lasts` seconds after the newest block; both addresses are new. */
  async terms(amount: bigint, lasts: number, changed: Partial<LegTerms> = {}): Promise<[LegTerms, string]> {
    const secret = randomBytes(32)
    const hash = createHash('sha256').update(secret).digest('hex')
    const lockS = (await this.time()) + lasts
    const asset = { coin: 'TETH', chain: chainTag('TETH', '31337') } as const
    const [claimKey, refundKey] = [newAddress(), newAddress()]
    return [{ asset, hash, amount, lockS, claimKey, refundKey, ...changed }, secret.toString('hex')]
  }

  /** The time of the newest block. */
  async time(): Promise<number> {
    const { timestamp } = await this.chain.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    return Number(timestamp)
  }

  async balance(address: string): Promise<bigint> {
    return BigInt(await this.chain.call<string>('eth_getBalance', address, 'latest'))
  }

  /** Pays out of anvil's money; in a block when it settles. */
  async pay(to: string, value: bigint): Promise<void> {
    await this.call(to, '0x', value)
  }

  /** A new key whose deposit has what the role needs, or `amount`. */
  async deposit(need: bigint): Promise<Uint8Array> {
    const key = randomBytes(32)
    await this.pay(this.swaps().depositAddress(key), need)
    return key
  }

  async mine(blocks: number): Promise<void> {
    await this.chain.call('anvil_mine', `0x${blocks.toString(16)}`)
  }

  /** The next block has this time. */
  async mineAt(time: number): Promise<void> {
    await this.chain.call('evm_setNextBlockTimestamp', time)
    await this.mine(1)
  }

  /** Sends without being asked whether it would succeed, as who does not care. */
  async force({ raw, txid }: SignedTransaction): Promise<void> {
    await this.chain.call('eth_sendRawTransaction', raw)
    await this.settled(txid)
  }

  /** Any call by anvil's own account, with gas enough; its transaction, in a block whether it succeeds or not. */
  async call(to: string | null, data: string, value = 0n): Promise<string> {
    return this.settled(await this.callLater(to, data, value))
  }

  /** The same, in the next block whenever that is. */
  callLater(to: string | null, data: string, value = 0n): Promise<string> {
    const target = to === null ? {} : { to }
    const order = { from: this.#rich, ...target, data, value: `0x${value.toString(16)}`, gas: '0x200000' }
    return this.chain.call<string>('eth_sendTransaction', order)
  }

  /** The transaction, when a block has it: anvil answers before. */
  async settled(txid: string): Promise<string> {
    await waitFor('a block has the transaction', async () => (await this.mined(txid)) !== null)
    return txid
  }

  /** Sends by `swaps`, and is settled. */
  async send(swaps: EvmSwapChain, transaction: SignedTransaction): Promise<void> {
    await swaps.send(transaction)
    await this.settled(transaction.txid)
  }

  /** Makes a contract of its creation code; its address in small letters. */
  async make(creation: string): Promise<string> {
    const txid = await this.call(null, `0x${creation}`)
    const receipt = await this.chain.call<{ contractAddress: string }>('eth_getTransactionReceipt', txid)
    return receipt.contractAddress.toLowerCase()
  }

  /** Under the terms, from a deposit of its own which is paid for that. */
  async fund(terms: LegTerms): Promise<{ key: Uint8Array; sent: SignedTransaction; found: FoundFunding }> {
    const swaps = this.swaps()
    const key = await this.deposit(await swaps.depositNeed('fund', terms.amount))
    const [sent] = (await swaps.makeFunding(terms, key, terms.refundKey)).funding
    if (sent === undefined) throw new Error('no funding')
    await this.send(swaps, sent)
    const found = await swaps.findFunding(terms, 0, null)
    if (found === null) throw new Error('the funding is not found')
    return { key, sent, found }
  }

  /** Null: no block has it. */
  async mined(txid: string): Promise<MinedFacts | null> {
    const receipt = await this.chain.call<Record<string, string> | null>('eth_getTransactionReceipt', txid)
    if (receipt === null) return null
    const gas = BigInt(receipt['gasUsed'] ?? 0)
    return { succeeded: receipt['status'] === '0x1', gas, fee: gas * BigInt(receipt['effectiveGasPrice'] ?? 0) }
  }

  async stop(): Promise<void> {
    await this.chain.stop()
  }
}

/** A chain as our node asks it. */
export function rpcOf({ url }: RpcChain): JsonRpc {
  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await reply.json()) as { result?: unknown; error?: { code: number; message: string } }
    if (error !== undefined) throw new RpcRefusal(error.code, error.message)
    return result
  }
  return { call, close: () => {} }
}

/** An address that nobody has used. */
export function newAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`
}

/** The code of the AppError; '' when it does not reject. */
export async function refusalOf(made: Promise<unknown>): Promise<string> {
  try {
    await made
    return ''
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}
