// Asks a server of a chain of Ethereum's kind about the contract of swaps: its code, its state, its logs, and whether a
// call would succeed. Impossible answers are refused; facts are read each time, so that a reorganisation takes back
// what its blocks said.

import { AppError } from '../../../base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../../wallets/ports/json-rpc.ts'
import { LOCK_ADDRESS, LOCK_TOPICS, type LockEvent, type LockState, readState, stateCall } from './evm-contract.ts'
import { LOCK_CODE } from './hash-time-lock.ts'
import { type EvmBlock, EvmChain } from '../../wallets/service/wallet-evm-chain.ts'

const HASH = /^0x[0-9a-f]{64}$/i
const QUANTITY = /^0x[0-9a-f]{1,12}$/i
/** Blocks of one question for logs: many servers answer no more. */
const LOG_BLOCKS = 1_000
/** Questions for one log: four weeks of blocks every 12 seconds. */
const MAX_QUESTIONS = 200
/** Blocks read before the one that is meant: servers are not at the same height. */
const LOG_SLACK = 64
/** What a node says of a call that fails, and not of itself. */
const FAILED_CALL = /revert|out of gas|invalid opcode|insufficient (funds|balance)|intrinsic gas|gas floor/i

/** A log of the contract in a block. */
export interface LockLog {
  readonly txid: string
  readonly height: number
  readonly data: string
}

/** A call as it is tried. */
export interface TriedCall {
  readonly from: string
  readonly to: string | null
  readonly value: bigint
  readonly data?: string
  readonly gasLimit: bigint
}

/**
 * What a server of a chain of Ethereum's kind says of the contract of swaps: its code, its state, its logs; and whether
 * a call would succeed. Methods reject with AppError WalletServerFailed.
 */
export class EvmSwapServer {
  readonly chain: EvmChain
  readonly #rpc: JsonRpc

  constructor(rpc: JsonRpc, chainId: bigint) {
    this.#rpc = rpc
    this.chain = new EvmChain(rpc, chainId)
  }

  /** Whether the contract is there at a block. Other code than ours at its address cannot be. */
  async hasContract(height: number): Promise<boolean> {
    const code = await this.#ask('eth_getCode', [LOCK_ADDRESS, hex(height)])
    if (code === '0x') return false
    if (typeof code === 'string' && code.toLowerCase() === LOCK_CODE) return true
    throw failed('The server shows other code at the address of the contract of swaps.')
  }

  /** How the contract holds something at a block. */
  async stateAt(id: string, height: number): Promise<LockState> {
    if (!(await this.hasContract(height))) return 'none'
    const answer = await this.#ask('eth_call', [{ to: LOCK_ADDRESS, data: stateCall(id) }, hex(height)])
    const state = typeof answer === 'string' ? readState(answer) : null
    if (state === null) throw failed('The server tells no state of the contract of swaps.')
    return state
  }

  /**
   * The log of an event that is known to be in the chain that ends with `head`; each happens once for an id. Its block
   * is asked for again, and its receipt must be of a transaction that succeeded.
   */
  async log(event: LockEvent, id: string, fromHeight: number, head: EvmBlock): Promise<LockLog> {
    const first = Math.max(0, fromHeight - LOG_SLACK, head.height - LOG_BLOCKS * MAX_QUESTIONS)
    for (let from = first; from <= head.height; from += LOG_BLOCKS) {
      const log = await this.#logIn(event, id, from, Math.min(head.height, from + LOG_BLOCKS - 1))
      if (log !== null) return log
    }
    throw failed('The server shows a state of the contract of swaps without the log of it.')
  }

  async #logIn(event: LockEvent, id: string, from: number, to: number): Promise<LockLog | null> {
    const topics = [LOCK_TOPICS[event], id]
    const filter = { address: LOCK_ADDRESS, topics, fromBlock: hex(from), toBlock: hex(to) }
    const found = await this.#ask('eth_getLogs', [filter])
    if (!Array.isArray(found)) throw failed('The server gives no list of logs.')
    const logs = (found as unknown[]).map(each => readLog(each, topics, from, to)).filter(each => each !== null)
    const [log, another] = logs
    if (log === undefined) return null
    if (another !== undefined) throw failed('The server shows an event twice which can happen once.')
    const receipt = await this.chain.receipt(log.txid)
    const block = await this.chain.block(log.height)
    const fits = receipt?.succeeded === true && receipt.height === log.height && receipt.blockHash === log.blockHash
    if (!fits || block?.hash !== log.blockHash) throw failed('The server shows a log that its block does not have.')
    return { txid: log.txid, height: log.height, data: log.data }
  }

  /** Tries a transaction on the newest state. AppError TransferRefused: it would fail. */
  async attempt({ from, to, value, data, gasLimit }: TriedCall): Promise<void> {
    const call = { from, ...(to === null ? {} : { to }), value: hex(value), gas: hex(gasLimit), data: data ?? '0x' }
    try {
      await this.#rpc.call('eth_call', [call, 'latest'])
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error
      if (error.code !== 3 && !FAILED_CALL.test(error.message)) throw refused('eth_call', error)
      throw new AppError('TransferRefused', `The chain does not take this transaction now: ${error.message}`)
    }
  }

  async #ask(method: string, parameters: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#rpc.call(method, parameters)
    } catch (error) {
      throw error instanceof RpcRefusal ? refused(method, error) : error
    }
  }
}

/** Null: its block was taken back. */
function readLog(
  value: unknown,
  topics: readonly string[],
  from: number,
  to: number,
): (LockLog & { blockHash: string }) | null {
  const log = (value ?? {}) as Record<string, unknown>
  if (log['removed'] === true) return null
  const [txid, blockHash, address, data] = ['transactionHash', 'blockHash', 'address', 'data'].map(name => log[name])
  const number = log['blockNumber']
  const height = typeof number === 'string' && QUANTITY.test(number) ? Number(number) : -1
  const asked = Array.isArray(log['topics']) && topics.every((topic, at) => (log['topics'] as unknown[])[at] === topic)
  const ours = typeof address === 'string' && address.toLowerCase() === LOCK_ADDRESS
  if (
    !isHash(txid) ||
    !isHash(blockHash) ||
    typeof data !== 'string' ||
    !ours ||
    !asked ||
    height < from ||
    height > to
  ) {
    throw failed('The server gives other logs than those asked for.')
  }
  return { txid, blockHash, height, data }
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

function refused(method: string, { message }: RpcRefusal): AppError {
  return failed(`The server refuses ${method}: ${message}`)
}

function failed(text: string): AppError {
  return new AppError('WalletServerFailed', text)
}
