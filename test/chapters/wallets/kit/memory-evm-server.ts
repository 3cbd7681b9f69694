// The server of a chain of Ethereum's kind in memory: balances, transfers that wait, blocks that the test makes. One
// gas costs 2 Gwei.

import { Transaction } from 'ethers'
import { AppError } from '../../../../src/base/errors.ts'
import { type JsonRpc, RpcRefusal } from '../../../../src/chapters/wallets/ports/json-rpc.ts'

/** Wei for one gas. */
const GAS_PRICE = 2_000_000_000n
const GAS = 21_000n

interface State {
  readonly balances: Map<string, bigint>
  readonly nonces: Map<string, number>
}

/** JsonRpc of a chain that lives here. */
export class MemoryEvmServer implements JsonRpc {
  readonly chainId: bigint
  /** Those that no block has. */
  readonly waiting: Transaction[] = []
  /** Every transaction that was ever sent here, in its order. */
  readonly sent: string[] = []
  /** Set: every request fails as if nobody answered. */
  down = false
  /** Set: what is sent is refused with this text. */
  refuses = ''
  readonly #blocks: { readonly state: State; readonly transactions: Transaction[] }[]

  constructor(chainId = 31337n) {
    this.chainId = chainId
    this.#blocks = [{ state: { balances: new Map(), nonces: new Map() }, transactions: [] }]
  }

  balanceOf(address: string): bigint {
    return this.#state().balances.get(address.toLowerCase()) ?? 0n
  }

  /** A block in which somebody pays `wei`. */
  give(address: string, wei: bigint): void {
    this.mine()
    const { balances } = this.#state()
    balances.set(address.toLowerCase(), this.balanceOf(address) + wei)
  }

  /** A block with all that waits. */
  mine(): void {
    const { balances, nonces } = this.#state()
    const state = { balances: new Map(balances), nonces: new Map(nonces) }
    const transactions = this.waiting.splice(0)
    for (const { from, to, value, nonce } of transactions) {
      const [payer, payee] = [(from ?? '').toLowerCase(), (to ?? '').toLowerCase()]
      state.balances.set(payer, (state.balances.get(payer) ?? 0n) - value - GAS * GAS_PRICE)
      state.balances.set(payee, (state.balances.get(payee) ?? 0n) + value)
      state.nonces.set(payer, nonce + 1)
    }
    this.#blocks.push({ state, transactions })
  }

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    await Promise.resolve()
    if (this.down) throw new AppError('WalletServerFailed', 'Nobody answers.')
    const [first, second] = parameters as [string, string]
    const answers: Record<string, () => unknown> = {
      eth_chainId: () => hex(this.chainId),
      eth_gasPrice: () => hex(GAS_PRICE),
      eth_getCode: () => '0x',
      eth_getBlockByNumber: () => this.#block(first),
      eth_getBalance: () => hex(this.#at(second).balances.get(first.toLowerCase()) ?? 0n),
      eth_getTransactionCount: () => hex(this.#at(second).nonces.get(first.toLowerCase()) ?? 0),
      eth_getTransactionByHash: () => (this.#knows(first) ? {} : null),
      eth_getTransactionReceipt: () => this.#receipt(first),
      eth_sendRawTransaction: () => this.#take(first),
    }
    const answer = answers[method]
    if (answer === undefined) throw new RpcRefusal(-32_601, `no method ${method}`)
    return answer()
  }

  close(): void {}

  #take(raw: string): string {
    if (this.refuses !== '') throw new RpcRefusal(-32_000, this.refuses)
    const transaction = Transaction.from(raw)
    this.waiting.push(transaction)
    this.sent.push(transaction.hash ?? '')
    return transaction.hash ?? ''
  }

  #state(): State {
    return this.#blocks.at(-1)?.state ?? { balances: new Map(), nonces: new Map() }
  }

  #at(height: string): State {
    return (height === 'pending' ? undefined : this.#blocks[Number(height)]?.state) ?? this.#state()
  }

  #knows(hash: string): boolean {
    return [...this.waiting, ...this.#blocks.flatMap(({ transactions }) => transactions)].some(
      each => each.hash === hash,
    )
  }

  #block(at: string): unknown {
    const height = at === 'latest' ? this.#blocks.length - 1 : Number(at)
    const found = this.#blocks[height]
    if (found === undefined) return null
    const transactions = found.transactions.map(({ hash, from, to, value, nonce }) => {
      return { hash, from, to, value: hex(value), nonce: hex(nonce) }
    })
    const hash = `0x${(height + 1).toString(16).padStart(64, '0')}`
    return { number: hex(height), hash, timestamp: hex(1_700_000_000 + height), transactions }
  }

  #receipt(hash: string): unknown {
    const height = this.#blocks.findIndex(({ transactions }) => transactions.some(each => each.hash === hash))
    if (height < 0) return null
    const common = { transactionHash: hash, blockNumber: hex(height), blockHash: `0x${'0'.repeat(64)}`, status: '0x1' }
    return { ...common, gasUsed: hex(GAS), effectiveGasPrice: hex(GAS_PRICE) }
  }
}

function hex(value: bigint | number): string {
  return `0x${value.toString(16)}`
}
