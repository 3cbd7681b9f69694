// Chains of Bitcoin's kind for tests of swaps, with all their rules in force (1,360 blocks and more) and a clock that
// can be moved: litecoind as TLTC, bcoin as TBTC, both regtest.

import { COINS, type UtxoCoin, type UtxoNetwork } from '../../../../src/chapters/wallets/core/coins.ts'
import { addressOfScript, scriptOfAddress } from '../../../../src/chapters/wallets/core/addresses.ts'
import { formatAmount } from '../../../../src/chapters/wallets/core/amounts.ts'
import { depositScript, spendDeposit } from '../../../../src/chapters/market/chains/htlc-spend.ts'
import { readBlock, readHeader, readTransaction } from '../../../../src/chapters/wallets/core/tx-reader.ts'
import { addressForBcoin, startBcoin } from '../../wallets/kit/bcoin-chain.ts'
import { type BlockParts, makeBlock } from '../../wallets/kit/made-block.ts'
import { type RpcChain, startLitecoind } from '../../wallets/kit/rpc-chain.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** BIP 65 holds in regtest from 1,351 on. */
const FIRST_BLOCKS = 1_360
const DAY_S = 86_400
/** Blocks after which the median of eleven is where the clock is. */
const MEDIAN_BLOCKS = 11
const KIT_KEY = new Uint8Array(32).fill(0x4b)
const KIT_FEE = 20_000n

/** A chain and what a test does with it. */
export interface SwapTestChain {
  /** `url` for the settings of a node. */
  readonly rpc: RpcChain
  readonly coin: UtxoCoin
  readonly network: UtxoNetwork
  /** Blocks with what waits. Their hashes. */
  mine(blocks: number): Promise<string[]>
  /**
   * Pays an address, or an output script; it waits for a block. The id of the transaction. Refuses what is no address
   * of this chain.
   */
  fund(target: string | Uint8Array, amount: bigint): Promise<string>
  /** Moves the clock of the chain and mines eleven blocks: its median time is later by at least so many seconds. */
  pass(seconds: number): Promise<void>
  height(): Promise<number>
  /** Median time past of the newest block, as its own server says. */
  medianTime(): Promise<number>
  /** Ids of what waits. */
  waiting(): Promise<string[]>
  /**
   * Offers a block with exactly these transactions (hexadecimal), made by the test: why it is refused, null: it is
   * taken. Not where blocks have extensions.
   */
  offer(transactions: readonly string[]): Promise<string | null>
  /**
   * Takes the newest blocks back by one more block, all of them empty but the first, which has these transactions. Not
   * where blocks have extensions.
   */
  fork(depth: number, transactions?: readonly string[]): Promise<void>
  stop(): Promise<void>
}

function utxoOf(id: 'TLTC' | 'TBTC'): { coin: UtxoCoin; network: UtxoNetwork } {
  const coin = COINS[id]
  if (coin.family !== 'utxo') throw new Error('another kind of coin')
  const network = coin.networks['regtest']
  if (network === undefined) throw new Error('no regtest')
  return { coin, network }
}

abstract class TestChain implements SwapTestChain {
  readonly rpc: RpcChain
  readonly coin: UtxoCoin
  readonly network: UtxoNetwork
  #ahead = 0

  constructor(rpc: RpcChain, id: 'TLTC' | 'TBTC') {
    this.rpc = rpc
    const { coin, network } = utxoOf(id)
    this.coin = coin
    this.network = network
  }

  abstract mine(blocks: number): Promise<string[]>
  abstract fund(target: string | Uint8Array, amount: bigint): Promise<string>

  async pass(seconds: number): Promise<void> {
    this.#ahead += seconds + 1
    const newest = readHeader(Buffer.from(await this.#headerOf(await this.height()), 'hex')).time
    await this.rpc.call('setmocktime', Math.max(Math.floor(Date.now() / 1000), newest) + this.#ahead)
    await this.mine(MEDIAN_BLOCKS)
  }

  async #headerOf(height: number): Promise<string> {
    return this.rpc.call<string>('getblockheader', await this.rpc.call<string>('getblockhash', height), false)
  }

  async height(): Promise<number> {
    return this.rpc.call<number>('getblockcount')
  }

  async medianTime(): Promise<number> {
    const hash = await this.rpc.call<string>('getbestblockhash')
    const { mediantime } = await this.rpc.call<{ mediantime: number }>('getblockheader', hash, true)
    return mediantime
  }

  async waiting(): Promise<string[]> {
    return this.rpc.call<string[]>('getrawmempool')
  }

  async offer(transactions: readonly string[]): Promise<string | null> {
    const height = await this.height()
    const time = (await this.medianTime()) + 1
    return this.#submit(await this.#headerOf(height), { height: height + 1, time, transactions })
  }

  async fork(depth: number, transactions: readonly string[] = []): Promise<void> {
    const height = (await this.height()) - depth
    let header = await this.#headerOf(height)
    for (let block = 1; block <= depth + 1; block += 1) {
      const time = readHeader(Buffer.from(header, 'hex')).time + 1
      const parts = { height: height + block, time, transactions: block === 1 ? transactions : [] }
      const raw = this.#make(header, parts)
      await this.rpc.call('submitblock', raw).catch((error: Error) => error.message)
      header = raw.slice(0, 160)
    }
    const newest = readHeader(Buffer.from(header, 'hex')).hash
    await waitFor('the blocks are taken back', async () => (await this.rpc.call('getbestblockhash')) === newest)
  }

  #make(header: string, parts: Pick<BlockParts, 'height' | 'time' | 'transactions'>): string {
    const { bits, hash: previous } = readHeader(Buffer.from(header, 'hex'))
    return makeBlock({ previous, bits, work: this.network.work, ...parts })
  }

  async #submit(header: string, parts: Pick<BlockParts, 'height' | 'time' | 'transactions'>): Promise<string | null> {
    const raw = this.#make(header, parts)
    const said = await this.rpc.call<string | null>('submitblock', raw).catch((error: Error) => error.message)
    const taken = (await this.rpc.call<string>('getbestblockhash')) === readBlock(Buffer.from(raw, 'hex')).hash
    return taken ? null : (said ?? 'refused')
  }

  async stop(): Promise<void> {
    await this.rpc.stop()
  }
}

class LitecoinTestChain extends TestChain {
  #miner = ''

  async mine(blocks: number): Promise<string[]> {
    if (this.#miner === '') this.#miner = await this.rpc.call<string>('getnewaddress', '', 'bech32')
    return this.rpc.call<string[]>('generatetoaddress', blocks, this.#miner)
  }

  async fund(target: string | Uint8Array, amount: bigint): Promise<string> {
    const address = typeof target === 'string' ? target : addressOfScript(target, this.network)
    return this.rpc.call<string>('sendtoaddress', address, formatAmount(amount, this.coin.decimals))
  }
}

class BcoinTestChain extends TestChain {
  readonly #script = depositScript(KIT_KEY)
  #nextCoin = 1

  async mine(blocks: number): Promise<string[]> {
    const address = addressForBcoin(addressOfScript(this.#script, this.network))
    return this.rpc.call<string[]>('generatetoaddress', blocks, address)
  }

  async fund(target: string | Uint8Array, amount: bigint): Promise<string> {
    const script = typeof target === 'string' ? scriptOfAddress(target, this.network) : target
    const hash = await this.rpc.call<string>('getblockhash', this.#nextCoin++)
    const [reward] = readBlock(Buffer.from(await this.rpc.call<string>('getblock', hash, false), 'hex')).transactions
    const value = reward?.outputs[0]?.value ?? 0n
    const coin = { txid: reward?.txid ?? '', index: 0, value, script: '' }
    const change = { script: this.#script, value: value - amount - KIT_FEE }
    const { raw } = spendDeposit(KIT_KEY, [coin], [{ script, value: amount }, change])
    const { txid } = readTransaction(Buffer.from(raw, 'hex'))
    await this.rpc.call('sendrawtransaction', raw)
    await waitFor('bcoin has the payment', async () => (await this.waiting()).includes(txid))
    return txid
  }
}

/**
 * Nobody's blocks are later than the clock of this machine, and the median of their times is less than a minute behind
 * it.
 */
async function begin(chain: TestChain): Promise<SwapTestChain> {
  await chain.mine(FIRST_BLOCKS - (await chain.height()))
  await chain.rpc.call('setmocktime', Math.floor(Date.now() / 1000) - 30)
  await chain.mine(MEDIAN_BLOCKS)
  return chain
}

/** litecoind. `extension: false`: its blocks have none, so that `offer` can be used. */
export async function startSwapLitecoin(options: { readonly extension?: boolean } = {}): Promise<SwapTestChain> {
  const time = Math.floor(Date.now() / 1000) - DAY_S
  const rpc = await startLitecoind(500, { ...options, time })
  try {
    const chain = await begin(new LitecoinTestChain(rpc, 'TLTC'))
    await rpc.call('setmocktime', 0)
    return chain
  } catch (error) {
    await rpc.stop()
    throw error
  }
}

/** bcoin. It does not replace what waits, and says nothing when it refuses: what it took is in `waiting`. */
export async function startSwapBcoin(): Promise<SwapTestChain> {
  const rpc = await startBcoin()
  try {
    await rpc.call('setmocktime', Math.floor(Date.now() / 1000) - DAY_S)
    const chain = await begin(new BcoinTestChain(rpc, 'TBTC'))
    await rpc.call('setmocktime', Math.floor(Date.now() / 1000))
    return chain
  } catch (error) {
    await rpc.stop()
    throw error
  }
}
