// A chain of Bitcoin's kind as a wallet reads it from a server's JSON-RPC (that of Bitcoin Core, Litecoin Core and
// bcoin). The server is asked for whole blocks, never for addresses: it learns nothing of the wallet. What it says is
// checked: which chain, hashes, links, work (decision 0432).

import { AppError, DecodeError } from '../../../base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../ports/json-rpc.ts'
import { unitsOfServer } from '../core/amounts.ts'
import { showsWork } from '../core/block-work.ts'
import type { UtxoCoin, UtxoNetwork } from '../core/coins.ts'
import {
  type ReadBlock,
  type ReadHeader,
  type ReadTransaction,
  readBlock,
  readHeader,
  readTransaction,
} from '../core/tx-reader.ts'
import type { SeenBlock } from '../core/utxo-ledger.ts'

const HASH = /^[0-9a-f]{64}$/
const HEX = /^(?:[0-9a-f]{2})+$/
const MAX_HEIGHT = 100_000_000
/** A fee that has a transfer in a block within so many. */
const TARGET_BLOCKS = 6
/** Bitcoin Core: the transaction is known, or in a block already. */
const ALREADY_KNOWN = -27

/**
 * A chain of Bitcoin's kind as a wallet reads it from a server's JSON-RPC (that of Bitcoin Core, Litecoin Core and
 * bcoin). Every method rejects with AppError WalletServerFailed for answers that cannot be.
 */
export class UtxoChain {
  readonly #rpc: JsonRpc
  readonly #coin: UtxoCoin
  readonly #network: UtxoNetwork
  #checked = false

  constructor(rpc: JsonRpc, coin: UtxoCoin, network: UtxoNetwork) {
    this.#rpc = rpc
    this.#coin = coin
    this.#network = network
  }

  /** Whether this is made of that server. */
  isOf(rpc: JsonRpc): boolean {
    return this.#rpc === rpc
  }

  /** Height of the newest block. The first time it also asks which chain that is. */
  async height(): Promise<number> {
    if (!this.#checked) {
      const first = await this.hashAt(0)
      if (first !== this.#network.genesis)
        throw failed(`The server has another chain than ${this.#coin.name}, ${this.#network.name}.`)
      this.#checked = true
    }
    const height = await this.#ask('getblockcount', [])
    if (!Number.isSafeInteger(height) || (height as number) < 0 || (height as number) > MAX_HEIGHT)
      throw failed('The server tells no height.')
    return height as number
  }

  async hashAt(height: number): Promise<string> {
    const hash = await this.#ask('getblockhash', [height])
    if (typeof hash !== 'string' || !HASH.test(hash)) throw failed(`The server tells no hash of block ${height}.`)
    return hash
  }

  /** The block at a height, whole. */
  async blockAt(height: number): Promise<ReadBlock> {
    return this.block(await this.hashAt(height), height)
  }

  /** The block of a hash, whole. `height`: its height, for the text of an error. */
  async block(hash: string, height: number): Promise<ReadBlock> {
    const block = this.#decoded(await this.#ask('getblock', [hash, false]), readBlock)
    if (block.hash !== hash) throw failed(`The server gives another block than the one asked for, at height ${height}.`)
    return block
  }

  /** The header of a hash. */
  async header(hash: string): Promise<ReadHeader> {
    const header = this.#decoded(await this.#ask('getblockheader', [hash, false]), readHeader)
    if (header.hash !== hash) throw failed('The server gives another header than the one asked for.')
    return header
  }

  /** Rejects unless a block follows the one before (null: it is not known) and shows work. */
  async checkLink(block: ReadHeader, height: number, before: Pick<SeenBlock, 'hash' | 'bits'> | null): Promise<void> {
    if (before !== null && block.previous !== before.hash)
      throw failed(`Block ${height} of the server does not follow the one before.`)
    if (!(await showsWork(block.header, block.bits, before?.bits ?? null, this.#network))) {
      throw failed(`Block ${height} of the server shows no work.`)
    }
  }

  /** Ids of the transactions that wait for a block. */
  async waiting(): Promise<string[]> {
    const ids = await this.#ask('getrawmempool', [])
    if (!Array.isArray(ids)) throw failed('The server tells no list of waiting transactions.')
    return (ids as unknown[]).filter((id): id is string => typeof id === 'string' && HASH.test(id))
  }

  /** One that waits; null: it is gone, or of a kind that pays no wallet here. */
  async transaction(txid: string): Promise<ReadTransaction | null> {
    try {
      const found = this.#decoded(await this.#ask('getrawtransaction', [txid]), readTransaction)
      return found.txid === txid ? found : null
    } catch (error) {
      if (error instanceof RpcRefusal || (error instanceof AppError && error.cause instanceof DecodeError)) return null
      throw error
    }
  }

  /** Sends. Rejects with RpcRefusal when the server does not take it; one that it has already is fine. */
  async send(raw: Uint8Array): Promise<void> {
    try {
      await this.#rpc.call('sendrawtransaction', [Buffer.from(raw).toString('hex')])
    } catch (error) {
      if (error instanceof RpcRefusal && (error.code === ALREADY_KNOWN || /already|txn-already/i.test(error.message)))
        return
      throw error
    }
  }

  /** What the chain asks for now, for 1,000 virtual bytes; within the bounds of the coin whatever the server says. */
  async rate(): Promise<bigint> {
    const { usualRate, highestRate } = this.#coin
    const least = (await this.#rateOf('getmempoolinfo', [], ['mempoolminfee'])) ?? 1000n
    const found = (await this.#rateOf('estimatesmartfee', [TARGET_BLOCKS], ['feerate', 'fee'])) ?? usualRate
    const rate = found > least ? found : least
    return rate > highestRate ? highestRate : rate < 1000n ? 1000n : rate
  }

  async #rateOf(method: string, parameters: readonly unknown[], names: readonly string[]): Promise<bigint | null> {
    try {
      const answer = ((await this.#rpc.call(method, parameters)) ?? {}) as Record<string, unknown>
      const value = names.map(name => answer[name]).find(each => typeof each === 'number')
      // Servers say -1 or 0 for what they do not know.
      const rate = unitsOfServer(value, this.#coin.decimals)
      return rate === null || rate === 0n ? null : rate
    } catch (error) {
      if (error instanceof RpcRefusal) return null
      throw error
    }
  }

  async #ask(method: string, parameters: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#rpc.call(method, parameters)
    } catch (error) {
      if (!(error instanceof RpcRefusal) || method === 'getrawtransaction') throw error
      throw failed(`The server refuses ${method}: ${error.message}`)
    }
  }

  #decoded<T>(value: unknown, read: (bytes: Uint8Array) => T): T {
    try {
      if (typeof value !== 'string' || !HEX.test(value)) throw new DecodeError('no hexadecimal text')
      return read(Buffer.from(value, 'hex'))
    } catch (error) {
      throw new AppError('WalletServerFailed', 'The server gives what cannot be read.', { cause: error })
    }
  }
}

function failed(text: string): AppError {
  return new AppError('WalletServerFailed', text)
}
