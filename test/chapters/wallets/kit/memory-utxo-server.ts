// A server of a chain of Bitcoin's kind in memory (regtest of Bitcoin): its blocks are made by the test, it checks
// nothing, and it can be made to lie.

import { type JsonRpc, RpcRefusal } from '../../../../src/chapters/wallets/ports/json-rpc.ts'
import { COINS, type UtxoCoin, type UtxoNetwork } from '../../../../src/chapters/wallets/core/coins.ts'
import { readHeader, readTransaction } from '../../../../src/chapters/wallets/core/tx-reader.ts'
import { type BlockParts, makeBlock } from './made-block.ts'

const GENESIS =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000'
const BITS = 0x207fffff

/** Coin and network of the server. */
export function memoryCoin(): { coin: UtxoCoin; network: UtxoNetwork } {
  const coin = COINS.TBTC
  const network = coin.family === 'utxo' ? coin.networks['regtest'] : undefined
  if (coin.family !== 'utxo' || network === undefined) throw new Error('no such coin')
  return { coin, network }
}

/**
 * A server of a chain of Bitcoin's kind in memory (regtest of Bitcoin): its blocks are made by the test, it checks
 * nothing, and it can be made to lie.
 */
export class MemoryUtxoServer implements JsonRpc {
  /** Blocks by height, hexadecimal; the first is a header alone. */
  readonly blocks: string[] = [GENESIS]
  /** What waits, by id. */
  readonly pool = new Map<string, string>()
  /** How often each method was asked. */
  readonly asked = new Map<string, number>()
  /** Answers in the place of the server where it gives something; throwing is refusing. */
  lie: (method: string, parameters: readonly unknown[]) => unknown = () => undefined
  /** Fee rate it tells, coins for 1,000 virtual bytes. */
  rate = 0.0001
  #time = 1_700_000_000

  get height(): number {
    return this.blocks.length - 1
  }

  hash(height: number): string {
    return readHeader(Buffer.from((this.blocks[height] ?? '').slice(0, 160), 'hex')).hash
  }

  /** A block with what waits, or with these. */
  mine(count = 1, parts: Partial<BlockParts> = {}): void {
    for (let block = 0; block < count; block += 1) {
      this.#time += 10
      const transactions = parts.transactions ?? [...this.pool.values()]
      const made = { previous: this.hash(this.height), height: this.blocks.length, time: this.#time, bits: BITS }
      this.blocks.push(makeBlock({ ...made, work: 'sha256d', ...parts, transactions }))
      for (const raw of transactions) this.pool.delete(readTransaction(Buffer.from(raw, 'hex')).txid)
    }
  }

  /** A transaction waits. Its id. */
  wait(raw: string): string {
    const { txid } = readTransaction(Buffer.from(raw, 'hex'))
    this.pool.set(txid, raw)
    return txid
  }

  /** Takes the newest blocks away. */
  drop(count: number): void {
    this.blocks.splice(-count)
    // The next ones are others.
    this.#time += 1
  }

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1)
    const lie = this.lie(method, parameters)
    return lie === undefined ? this.#answer(method, parameters) : lie
  }

  #answer(method: string, [first]: readonly unknown[]): unknown {
    const found = this.blocks.find((_block, height) => this.hash(height) === first)
    if (method === 'getblockcount') return this.height
    if (method === 'getblockhash') return this.hash(first as number)
    if (method === 'getblockheader') return found?.slice(0, 160)
    if (method === 'getblock') return found
    if (method === 'getrawmempool') return [...this.pool.keys()]
    if (method === 'sendrawtransaction') return this.wait(first as string)
    if (method === 'getmempoolinfo') return { mempoolminfee: 0.00001 }
    if (method === 'estimatesmartfee') return { feerate: this.rate }
    const raw = this.pool.get(first as string)
    if (method === 'getrawtransaction' && raw !== undefined) return raw
    throw new RpcRefusal(-5, `none: ${method}`)
  }

  close(): void {
    this.pool.clear()
  }
}
