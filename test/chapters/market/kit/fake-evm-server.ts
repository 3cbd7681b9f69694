// A server of a chain of Ethereum's kind in memory, as far as swaps ask it: honest unless a test gives an answer in its
// place.

import { type JsonRpc, RpcRefusal } from '../../../../src/chapters/wallets/ports/json-rpc.ts'
import {
  fundedData,
  LOCK_ADDRESS,
  LOCK_TOPICS,
  type LockEvent,
  lockId,
} from '../../../../src/chapters/market/chains/evm-contract.ts'
import { readEvmTransfer } from '../../../../src/chapters/wallets/core/evm-signing.ts'
import { LOCK_CODE } from '../../../../src/chapters/market/chains/hash-time-lock.ts'
import type { LegTerms } from '../../../../src/chapters/market/wire/types.ts'

type Answer = (parameters: readonly unknown[], honest: unknown) => unknown

interface FakeLog {
  readonly event: LockEvent
  readonly id: string
  readonly height: number
  readonly data: string
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
/** Hash of the block of a height. */
export const blockHash = (height: number): string => word(0xb10c000000 + height)
/** Hash of the transaction whose log is in the block of a height. */
export const txidAt = (height: number): string => word(0x7a000000 + height)

/**
 * A server of a chain of Ethereum's kind in memory, as far as swaps ask it: honest unless a test gives an answer in its
 * place.
 */
export class FakeEvmServer implements JsonRpc {
  height = 100
  time = 1_700_000_000
  baseFee = 1_000_000_000n
  tip = 1_000_000_000n
  chainId = 31_337
  code = LOCK_CODE
  balance = 10n ** 19n
  nonce = 0
  pending = 0
  /** Block from which on the contract is there. */
  madeAt = 0
  readonly states = new Map<string, number>()
  readonly logs: FakeLog[] = []
  readonly asked: { readonly method: string; readonly parameters: readonly unknown[] }[] = []
  readonly sent: string[] = []
  /** What is answered instead, by method. */
  readonly lies = new Map<string, Answer>()

  /** As if a block had it. */
  event(event: LockEvent, terms: LegTerms, height: number, secret = ''): void {
    const data = event === 'Funded' ? fundedData(terms) : `0x${secret}`
    this.logs.push({ event, id: lockId(terms), height, data })
    this.states.set(lockId(terms), { Funded: 1, Claimed: 2, Refunded: 3 }[event])
  }

  call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    this.asked.push({ method, parameters })
    const lie = this.lies.get(method)
    return Promise.resolve().then(() => {
      const honest = this.#answer(method, parameters)
      return lie === undefined ? honest : lie(parameters, honest)
    })
  }

  close(): void {}

  #answer(method: string, parameters: readonly unknown[]): unknown {
    const [first, second] = parameters
    const answers: Readonly<Record<string, () => unknown>> = {
      eth_chainId: () => hex(this.chainId),
      eth_getBlockByNumber: () => this.#block(first === 'latest' ? this.height : Number(first)),
      eth_maxPriorityFeePerGas: () => hex(this.tip),
      eth_getBalance: () => hex(this.balance),
      eth_getTransactionCount: () => hex(second === 'pending' ? Math.max(this.pending, this.nonce) : this.nonce),
      eth_getCode: () => (Number(second) >= this.madeAt ? this.code : '0x'),
      eth_call: () => this.#call(first as { data: string }, second),
      eth_getLogs: () => this.#logs(first as { fromBlock: string; toBlock: string; topics: string[] }),
      eth_getTransactionReceipt: () => this.#receipt(String(first)),
      eth_getTransactionByHash: () => (this.#isSent(String(first)) ? { hash: first } : null),
      eth_sendRawTransaction: () => this.sent.push(String(first)) && readEvmTransfer(String(first)).hash,
    }
    const answer = answers[method]
    if (answer === undefined) throw new RpcRefusal(-32_601, 'method not found')
    return answer()
  }

  #isSent(txid: string): boolean {
    return this.sent.some(raw => readEvmTransfer(raw).hash === txid)
  }

  #block(height: number): unknown {
    if (height > this.height) return null
    const timestamp = hex(this.time - this.height + height)
    return { number: hex(height), hash: blockHash(height), timestamp, baseFeePerGas: hex(this.baseFee) }
  }

  #call({ data }: { data: string }, at: unknown): unknown {
    return at === 'latest' ? '0x' : word(this.states.get(`0x${data.slice(10)}`) ?? 0)
  }

  #logs({ fromBlock, toBlock, topics }: { fromBlock: string; toBlock: string; topics: string[] }): unknown[] {
    const fits = ({ event, id, height }: FakeLog): boolean =>
      height >= Number(fromBlock) && height <= Number(toBlock) && LOCK_TOPICS[event] === topics[0] && id === topics[1]
    return this.logs.filter(fits).map(({ height, data }) => {
      const place = { blockNumber: hex(height), blockHash: blockHash(height), transactionHash: txidAt(height) }
      return { ...place, address: LOCK_ADDRESS, topics, data, removed: false }
    })
  }

  #receipt(txid: string): unknown {
    const log = this.logs.find(({ height }) => txidAt(height) === txid)
    if (log === undefined) return null
    const place = { blockNumber: hex(log.height), blockHash: blockHash(log.height), transactionHash: txid }
    return { ...place, status: '0x1', gasUsed: '0x5208', effectiveGasPrice: hex(this.baseFee) }
  }
}
