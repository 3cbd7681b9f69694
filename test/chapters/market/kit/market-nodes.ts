// Built nodes that trade on real chains: wallets that are created and paid, peers in the market's overlay, orders, and
// what the chains themselves say of balances and fees. Blocks are mined while anybody waits.

import assert from 'node:assert/strict'
import { readBlock } from '../../../../src/chapters/wallets/core/tx-reader.ts'
import { startAnvil } from '../../wallets/kit/anvil-chain.ts'
import { freePort } from '../../../kit/free-port.ts'
import { type NodeProcess, startNode, type StartNodeOptions } from '../../../kit/nodes/node-process.ts'
import type { RpcChain } from '../../wallets/kit/rpc-chain.ts'
import { startSwapBcoin, startSwapLitecoin, type SwapTestChain } from './swap-utxo-chains.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { PASSWORD, unitsOf, WalletClient } from '../../wallets/kit/wallet-client.ts'

/** Coins of the tests. */
export const COINS_OF_TESTS = ['TLTC', 'TBTC', 'TETH'] as const
/** One of them. */
export type TestCoin = (typeof COINS_OF_TESTS)[number]
/** Decimal places. */
export const PLACES: Readonly<Record<TestCoin, number>> = { TLTC: 8, TBTC: 8, TETH: 18 }

/** Between two blocks while somebody waits, ms. */
const MINING_PACE_MS = 700

/** A trade as the interface shows it. */
export interface Trade {
  readonly trader_id: string
  readonly transaction_number: number
  readonly order_number: number
  readonly quantity_exact: string
  readonly status: string
  readonly step: string
  readonly waits_for: string
  readonly payment_complete: boolean
}
/** An order as the interface shows it. */
export interface Order {
  readonly order_number: number
  readonly status: string
  readonly traded_quantity_exact: string
  readonly reserved_quantity_exact: string
}
/** A payment as the interface shows it. */
export interface Payment {
  readonly kind: string
  readonly payment_id: string
  readonly currency: TestCoin
  readonly amount_exact: string
  readonly fee_exact: string
  readonly theirs: boolean
}
/** What is traded. */
export interface OrderRequest {
  readonly price_exact: string
  readonly quantity_exact: string
  readonly price_type: TestCoin
  readonly quantity_type: TestCoin
  readonly timeout?: number
}
/** Units by coin. */
export type Units = Record<TestCoin, bigint>

interface Statistics {
  readonly dispersy_statistics: { readonly lan_address: string }
}
interface Communities {
  readonly dispersy_community_statistics: readonly { readonly classification: string; readonly candidates: number }[]
}

/** The three chains. */
export class MarketChains {
  readonly litecoin: SwapTestChain
  readonly bitcoin: SwapTestChain
  readonly ether: RpcChain
  readonly #rich: string
  #mining: Promise<void> | null = null
  #minedAt = 0

  private constructor(litecoin: SwapTestChain, bitcoin: SwapTestChain, ether: RpcChain, rich: string) {
    this.litecoin = litecoin
    this.bitcoin = bitcoin
    this.ether = ether
    this.#rich = rich
  }

  /** Starts them: 1,371 blocks on each of Bitcoin's kind. */
  static async start(): Promise<MarketChains> {
    const [litecoin, bitcoin, ether] = await Promise.all([startSwapLitecoin(), startSwapBcoin(), startAnvil()])
    const [rich = ''] = await ether.call<string[]>('eth_accounts')
    return new MarketChains(litecoin, bitcoin, ether, rich)
  }

  /** Settings of a node whose wallets are on them. */
  settings(): Record<string, string | number> {
    return {
      'wallets.tltc_server': this.litecoin.rpc.url,
      'wallets.tltc_network': 'regtest',
      'wallets.tbtc_server': this.bitcoin.rpc.url,
      'wallets.tbtc_network': 'regtest',
      'wallets.teth_server': this.ether.url,
      'wallets.teth_chain_id': 31_337,
    }
  }

  /** A block on each; one round at a time. */
  mine(): Promise<void> {
    this.#mining ??= Promise.all([this.litecoin.mine(1), this.bitcoin.mine(1), this.ether.call('anvil_mine', '0x1')])
      .then(() => undefined)
      .finally(() => {
        this.#mining = null
      })
    return this.#mining
  }

  /** The same, but not oftener than chains of tests stand: many blocks in a second move their clocks ahead. */
  async mineSometimes(): Promise<void> {
    if (performance.now() - this.#minedAt < MINING_PACE_MS) return
    this.#minedAt = performance.now()
    await this.mine()
  }

  /** Pays an address of a wallet. */
  async pay(coin: TestCoin, address: string, units: bigint): Promise<void> {
    if (coin === 'TLTC') await this.litecoin.fund(address, units)
    else if (coin === 'TBTC') await this.bitcoin.fund(address, units)
    else {
      const value = `0x${units.toString(16)}`
      await this.ether.call('eth_sendTransaction', { from: this.#rich, to: address, value })
    }
  }

  /** Time passes on all chains. */
  async pass(seconds: number): Promise<void> {
    await Promise.all([this.litecoin.pass(seconds), this.bitcoin.pass(seconds)])
    await this.ether.call('evm_increaseTime', seconds)
    await this.ether.call('anvil_mine', '0x1')
  }

  async heights(): Promise<Record<TestCoin, number>> {
    const ether = Number(await this.ether.call<string>('eth_blockNumber'))
    return { TLTC: await this.litecoin.height(), TBTC: await this.bitcoin.height(), TETH: ether }
  }

  /**
   * Fees of all transactions in blocks above `from`, as the chains reckon them, with the number of these transactions.
   */
  async feesSince(from: Record<TestCoin, number>): Promise<Units> {
    const to = await this.heights()
    const [TLTC, TBTC, TETH] = await Promise.all([
      sumOf(from.TLTC, to.TLTC, height => this.#feesOfBlock(this.litecoin, height)),
      sumOf(from.TBTC, to.TBTC, height => this.#feesOfBlock(this.bitcoin, height)),
      sumOf(from.TETH, to.TETH, height => this.#gasOfBlock(height)),
    ])
    return { TLTC, TBTC, TETH }
  }

  /** What the miner took beyond its subsidy, which is halved every 150 blocks in regtest. */
  async #feesOfBlock({ rpc }: SwapTestChain, height: number): Promise<bigint> {
    const hash = await rpc.call<string>('getblockhash', height)
    const raw = await rpc.call<string>('getblock', hash, false)
    const [reward] = readBlock(Buffer.from(raw, 'hex')).transactions
    const taken = (reward?.outputs ?? []).reduce((sum, { value }) => sum + value, 0n)
    return taken - (5_000_000_000n >> BigInt(Math.floor(height / 150)))
  }

  async #gasOfBlock(height: number): Promise<bigint> {
    const block = await this.ether.call<{ transactions: string[] }>(
      'eth_getBlockByNumber',
      `0x${height.toString(16)}`,
      false,
    )
    let sum = 0n
    for (const txid of block.transactions) {
      const receipt = await this.ether.call<Record<string, string>>('eth_getTransactionReceipt', txid)
      sum += BigInt(receipt['gasUsed'] ?? 0) * BigInt(receipt['effectiveGasPrice'] ?? 0)
    }
    return sum
  }

  async stop(): Promise<void> {
    await Promise.all([this.litecoin.stop(), this.bitcoin.stop(), this.ether.stop()])
  }
}

async function sumOf(from: number, to: number, of: (height: number) => Promise<bigint>): Promise<bigint> {
  let sum = 0n
  for (let height = from + 1; height <= to; height++) sum += await of(height)
  return sum
}

/** A node that trades. */
export class MarketNode {
  readonly chains: MarketChains
  readonly name: string
  node: NodeProcess
  readonly #options: StartNodeOptions

  private constructor(chains: MarketChains, name: string, node: NodeProcess, options: StartNodeOptions) {
    this.chains = chains
    this.name = name
    this.node = node
    this.#options = options
  }

  /** Starts it in a folder of its own. `at`: overlay address of another one; null: it is the first. */
  static async start(
    chains: MarketChains,
    name: string,
    stateDir: string,
    at: string | null,
    cli?: string,
  ): Promise<MarketNode> {
    const settings = {
      ...chains.settings(),
      'ipv8.start': 'always',
      'ipv8.address': '127.0.0.1',
      'ipv8.walk_interval': 0.5,
      // Where it was before a restart the others find it again.
      'ipv8.port': await freePort(),
      'tunnel_community.enabled': false,
      ...(at === null ? {} : { 'ipv8.bootstrap_override': at }),
    }
    const options = { settings, stateDir, ...(cli === undefined ? {} : { cli }) }
    const made = new MarketNode(chains, name, await startNode(options), options)
    await made.node.get('/market/orders')
    return made
  }

  wallet(coin: TestCoin): WalletClient {
    return new WalletClient(this.node, coin)
  }

  /** Where its overlays are. */
  async overlayAddress(): Promise<string> {
    const isThere = ({ dispersy_statistics: { lan_address: at } }: Statistics): boolean => /:[1-9]/.test(at ?? '')
    return (await this.node.until<Statistics>('/statistics/dispersy', isThere)).dispersy_statistics.lan_address
  }

  /** Waits until it has peers in the overlay of the market. */
  async hasPeers(): Promise<void> {
    await this.node.until<Communities>('/statistics/communities', ({ dispersy_community_statistics: rows }) =>
      rows.some(({ classification, candidates }) => /Market/.test(classification) && candidates > 0),
    )
  }

  /** Creates a wallet of each coin, and pays them. */
  async createWallets(paid: Partial<Units>): Promise<void> {
    for (const coin of COINS_OF_TESTS) await this.wallet(coin).create()
    const heights = await this.chains.heights()
    for (const [coin, units] of Object.entries(paid) as [TestCoin, bigint][]) {
      const { address } = await this.wallet(coin).until(
        ({ height, problem }) => height >= heights[coin] && problem === '',
      )
      await this.chains.pay(coin, address, units)
    }
    await this.chains.mine()
    for (const [coin, units] of Object.entries(paid) as [TestCoin, bigint][]) {
      await this.wallet(coin).until(({ balance }) => unitsOf(balance.available_exact, PLACES[coin]) === units)
    }
  }

  /** What every wallet has, when all of them have read all blocks and nothing waits. */
  async units(): Promise<Units> {
    const heights = await this.chains.heights()
    const found: [TestCoin, bigint][] = []
    for (const coin of COINS_OF_TESTS) {
      const { balance } = await this.wallet(coin).until(
        record => record.height >= heights[coin] && record.problem === '' && record.balance.pending_exact === '0',
      )
      found.push([coin, unitsOf(balance.available_exact, PLACES[coin])])
    }
    return Object.fromEntries(found) as Units
  }

  async place(side: 'ask' | 'bid', request: OrderRequest): Promise<number> {
    const reply = await this.node.request('PUT', `/market/${side}s`, request)
    assert.equal(reply.status, 200, `${this.name}: ${reply.body.toString()}`)
    return reply.json<{ order_number: number }>().order_number
  }

  async order(number: number): Promise<Order> {
    const { orders } = await this.node.get<{ orders: Order[] }>('/market/orders')
    const found = orders.find(({ order_number }) => order_number === number)
    assert.ok(found !== undefined, `${this.name} has no order ${number}`)
    return found
  }

  async trades(): Promise<Trade[]> {
    return (await this.node.get<{ transactions: Trade[] }>('/market/transactions')).transactions
  }

  /** The newest trade of an order, when it is so; blocks are mined while it is not. */
  async untilTrade(order: number, done: (trade: Trade) => boolean, limitMs = 120_000): Promise<Trade> {
    let last: Trade | undefined
    await waitFor(
      `a trade of order ${order} of ${this.name}`,
      async () => {
        last = (await this.trades()).findLast(({ order_number }) => order_number === order)
        if (last !== undefined && done(last)) return true
        await this.chains.mineSometimes()
        return false
      },
      limitMs,
      () => JSON.stringify(last),
    )
    return last as Trade
  }

  async payments({ trader_id, transaction_number }: Trade): Promise<Payment[]> {
    const path = `/market/transactions/${trader_id}/${transaction_number}/payments`
    return (await this.node.get<{ payments: Payment[] }>(path)).payments
  }

  /** Ends at once, as a machine without power. */
  async kill(): Promise<void> {
    await this.node.kill('SIGKILL')
  }

  /** Starts again on the same state: all wallets are locked. */
  async restart(): Promise<void> {
    this.node = await startNode(this.#options)
  }

  async unlock(): Promise<void> {
    for (const coin of COINS_OF_TESTS) {
      const reply = await this.wallet(coin).ask('POST', '/unlock', { password: PASSWORD, seconds: 3_600 })
      assert.equal(reply.status, 200, reply.body.toString())
    }
  }

  async stop(): Promise<void> {
    await this.node.stop()
  }
}

/** Fees of our own transactions among payments, by coin. */
export function feesOf(payments: readonly Payment[]): Units {
  const fees: Units = { TLTC: 0n, TBTC: 0n, TETH: 0n }
  for (const { theirs, currency, fee_exact } of payments) {
    if (!theirs) fees[currency] += unitsOf(fee_exact, PLACES[currency])
  }
  return fees
}
