// A chain of Ethereum's kind as a wallet reads it from a server's JSON-RPC (execution-apis). Balances cannot be checked
// here as blocks of Bitcoin's kind can: what is checked is which chain it is, that answers fit each other, and that no
// fee is beyond reason.

import { AppError } from '../../../base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../ports/json-rpc.ts'

const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const HASH = /^0x[0-9a-f]{64}$/i
/** More wei than there will be for long. */
export const MAX_WEI = 10n ** 30n
const MAX_HEIGHT = 10n ** 12n
const GWEI = 1_000_000_000n
/** No transfer is worth more for one gas. */
export const HIGHEST_FEE = 2_000n * GWEI
const HIGHEST_TIP = 50n * GWEI
const USUAL_TIP = GWEI
/** The gas of a transfer to an address without code. */
export const PLAIN_GAS = 21_000n
/** Of a transfer to a contract that takes money. */
const MOST_GAS = 200_000n

/** The head of a block. */
export interface EvmBlock {
  readonly height: number
  readonly hash: string
  /** Unix time, seconds. */
  readonly time: number
  /** Null: of before EIP-1559. */
  readonly baseFee: bigint | null
  readonly transactions: readonly EvmTransaction[]
}

/** A transaction in a block. Addresses in small letters. */
export interface EvmTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly nonce: number
}

/** What became of a transaction. */
export interface EvmReceipt {
  readonly height: number
  readonly blockHash: string
  readonly fee: bigint
  readonly succeeded: boolean
}

/** What one gas costs now. */
export interface EvmFees {
  readonly maxFee: bigint
  readonly tip: bigint | null
}

/**
 * A chain of Ethereum's kind as a wallet reads it from a server's JSON-RPC (execution-apis). Methods reject with
 * AppError WalletServerFailed for what cannot be.
 */
export class EvmChain {
  readonly #rpc: JsonRpc
  readonly #chainId: bigint
  #checked = false

  constructor(rpc: JsonRpc, chainId: bigint) {
    this.#rpc = rpc
    this.#chainId = chainId
  }

  /** Whether this is made of that server. */
  isOf(rpc: JsonRpc): boolean {
    return this.#rpc === rpc
  }

  /** The newest block. The first time it also asks which chain that is. */
  async head(): Promise<EvmBlock> {
    if (!this.#checked) {
      const id = await this.#quantity('eth_chainId', [], MAX_WEI)
      if (id !== this.#chainId) throw failed(`The server has the chain ${id}, not ${this.#chainId}.`)
      this.#checked = true
    }
    const block = await this.#block('latest', false)
    if (block === null) throw failed('The server has no block.')
    return block
  }

  /** The block of a height; null: there is none (yet, or any more). */
  block(height: number, whole = false): Promise<EvmBlock | null> {
    return this.#block(hex(height), whole)
  }

  balance(address: string, at: number | 'pending'): Promise<bigint> {
    return this.#quantity('eth_getBalance', [address, at === 'pending' ? at : hex(at)], MAX_WEI)
  }

  async nonce(address: string, at: number | 'pending'): Promise<number> {
    const block = at === 'pending' ? at : hex(at)
    return Number(await this.#quantity('eth_getTransactionCount', [address, block], MAX_HEIGHT))
  }

  /** Null: no block has it. */
  async receipt(hash: string): Promise<EvmReceipt | null> {
    const found = (await this.#asked('eth_getTransactionReceipt', [hash])) as Record<string, unknown> | null
    if (found === null || typeof found !== 'object' || typeof found['blockHash'] !== 'string') return null
    const [height, gas, price] = ['blockNumber', 'gasUsed', 'effectiveGasPrice'].map(name => wei(found[name], MAX_WEI))
    if (typeof height !== 'bigint' || found['transactionHash'] !== hash) throw failed('The server gives no receipt.')
    return {
      height: Number(height),
      blockHash: found['blockHash'],
      fee: (gas ?? 0n) * (price ?? 0n),
      succeeded: found['status'] !== '0x0',
    }
  }

  /** Whether the server knows a transaction. */
  async knows(hash: string): Promise<boolean> {
    return ((await this.#asked('eth_getTransactionByHash', [hash])) ?? null) !== null
  }

  /** Sends. Rejects with RpcRefusal when it is not taken; one that is known is fine. */
  async send(raw: string): Promise<void> {
    try {
      await this.#rpc.call('eth_sendRawTransaction', [raw])
    } catch (error) {
      if (error instanceof RpcRefusal && /already ?(known|imported)|known transaction/i.test(error.message)) return
      throw error
    }
  }

  /** What one gas costs, with room for two doublings of six blocks. */
  async fees(head: EvmBlock): Promise<EvmFees> {
    if (head.baseFee === null) return { maxFee: await this.#quantity('eth_gasPrice', [], HIGHEST_FEE), tip: null }
    const tip = await this.#tip()
    const maxFee = head.baseFee * 2n + tip
    if (maxFee > HIGHEST_FEE) throw failed('The server asks for a fee beyond reason.')
    return { maxFee, tip }
  }

  /** Gas of a transfer. */
  async gas(from: string, to: string, value: bigint): Promise<bigint> {
    if ((await this.#asked('eth_getCode', [to, 'latest'])) === '0x') return PLAIN_GAS
    const asked = [{ from, to, value: `0x${value.toString(16)}` }]
    const gas = await this.#quantity('eth_estimateGas', asked, MOST_GAS)
    return gas + gas / 5n > MOST_GAS ? MOST_GAS : gas + gas / 5n
  }

  async #tip(): Promise<bigint> {
    try {
      const tip = wei(await this.#rpc.call('eth_maxPriorityFeePerGas', []), MAX_WEI)
      return tip === null ? USUAL_TIP : tip > HIGHEST_TIP ? HIGHEST_TIP : tip
    } catch (error) {
      if (error instanceof RpcRefusal) return USUAL_TIP
      throw error
    }
  }

  async #quantity(method: string, parameters: readonly unknown[], most: bigint): Promise<bigint> {
    const value = wei(await this.#asked(method, parameters), most)
    if (value === null) throw failed(`The server answers ${method} with what cannot be.`)
    return value
  }

  async #asked(method: string, parameters: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#rpc.call(method, parameters)
    } catch (error) {
      if (error instanceof RpcRefusal) throw failed(`The server refuses ${method}: ${error.message}`)
      throw error
    }
  }

  async #block(at: string, whole: boolean): Promise<EvmBlock | null> {
    const found = (await this.#asked('eth_getBlockByNumber', [at, whole])) as Record<string, unknown> | null
    if (found === null || typeof found !== 'object') return null
    const { number, hash, timestamp, baseFeePerGas, transactions } = found
    const [height, time] = [wei(number, MAX_HEIGHT), wei(timestamp, MAX_HEIGHT)]
    if (height === null || time === null || typeof hash !== 'string' || !HASH.test(hash))
      throw failed('The server gives no block.')
    const asked = at.startsWith('0x') ? BigInt(at) : height
    if (asked !== height) throw failed('The server gives another block than the one asked for.')
    const list = whole && Array.isArray(transactions) ? (transactions as unknown[]).flatMap(readOne) : []
    const baseFee = baseFeePerGas === undefined ? null : wei(baseFeePerGas, MAX_WEI)
    return { height: Number(height), hash, time: Number(time), baseFee, transactions: list }
  }
}

function readOne(value: unknown): EvmTransaction[] {
  const { hash, from, to, value: sum, nonce } = (value ?? {}) as Record<string, unknown>
  const [amount, count] = [wei(sum, MAX_WEI), wei(nonce, MAX_HEIGHT)]
  if (typeof hash !== 'string' || typeof from !== 'string' || amount === null || count === null) return []
  const recipient = typeof to === 'string' ? to.toLowerCase() : ''
  return [{ hash, from: from.toLowerCase(), to: recipient, value: amount, nonce: Number(count) }]
}

function wei(value: unknown, most: bigint): bigint | null {
  if (typeof value !== 'string' || !QUANTITY.test(value)) return null
  const number = BigInt(value)
  return number > most ? null : number
}

function hex(height: number): string {
  return `0x${height.toString(16)}`
}

function failed(text: string): AppError {
  return new AppError('WalletServerFailed', text)
}
