// The ledger of a wallet on a chain of Ethereum's kind. Servers have no list of an address's payments: blocks that
// changed balance or count of transfers are found by halving, and read whole. Where a server no longer knows old
// states, the sum is right and lines are missing.

import { AppError } from '../../../base/errors.ts'
import type { EvmBlock, EvmChain } from './wallet-evm-chain.ts'

/** A transfer of this node. Amounts as decimal text in what is stored. */
export interface OwnTransfer {
  readonly hash: string
  readonly raw: string
  readonly nonce: number
  readonly to: string
  readonly value: bigint
  readonly gasLimit: bigint
  readonly maxFee: bigint
  readonly tip: bigint | null
  /** Unix time, seconds. */
  readonly time: number
}

/** A payment in a block. */
export interface EvmLine {
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly fee: bigint
  readonly nonce: number
  readonly height: number
  readonly time: number
}

/** The state of the address at a block. */
export interface EvmMark {
  readonly height: number
  readonly hash: string
  readonly balance: bigint
  readonly nonce: number
}

/** Everything of it that is stored. */
export interface EvmFacts {
  readonly marks: readonly EvmMark[]
  readonly lines: readonly EvmLine[]
  readonly own: readonly OwnTransfer[]
}

/** Blocks that may be taken back. */
const MAX_REORG = 100
const KEPT_MARKS = 256
/** Blocks read in one go. */
const MAX_BLOCKS = 2_000

/** What a wallet on a chain of Ethereum's kind knows. */
export class EvmLedger {
  readonly #address: string
  #marks: EvmMark[]
  #lines: EvmLine[]
  #own: OwnTransfer[]
  /** What others pay and no block has. */
  pending = 0n

  constructor(address: string, { marks, lines, own }: EvmFacts = { marks: [], lines: [], own: [] }) {
    this.#address = address.toLowerCase()
    this.#marks = [...marks]
    this.#lines = [...lines]
    this.#own = [...own]
  }

  get mark(): EvmMark | null {
    return this.#marks.at(-1) ?? null
  }

  get lines(): readonly EvmLine[] {
    return this.#lines
  }

  facts(): EvmFacts {
    return { marks: this.#marks, lines: this.#lines, own: this.#own }
  }

  /** Own transfers that no block has, the newest for each number, by number. */
  waiting(): OwnTransfer[] {
    const used = this.mark?.nonce ?? 0
    const byNonce = new Map<number, OwnTransfer>()
    for (const each of this.#own) if (each.nonce >= used) byNonce.set(each.nonce, each)
    return [...byNonce.values()].sort((a, b) => a.nonce - b.nonce)
  }

  /** The number of the next transfer. */
  get nextNonce(): number {
    return Math.max(this.mark?.nonce ?? 0, ...this.waiting().map(({ nonce }) => nonce + 1))
  }

  /** What can be spent: without what is on its way. */
  get available(): bigint {
    const out = this.waiting().reduce((sum, { value, gasLimit, maxFee }) => sum + value + gasLimit * maxFee, 0n)
    const left = (this.mark?.balance ?? 0n) - out
    return left > 0n ? left : 0n
  }

  add(transfer: OwnTransfer): void {
    this.#own.push(transfer)
  }

  forget(hash: string): void {
    this.#own = this.#own.filter(each => each.hash !== hash)
  }

  /** Of this node, by its hash. */
  ownTransfer(hash: string): OwnTransfer | null {
    return this.#own.find(each => each.hash === hash) ?? null
  }

  /** Reads what is new. `from`: where it begins; null = now. True when something changed. */
  async update(chain: EvmChain, from: number | null): Promise<boolean> {
    const head = await chain.head()
    const before = this.mark
    await this.#findFork(chain, head.height)
    const known = this.mark
    if (known?.height === head.height && known.hash === head.hash) {
      await this.#notePending(chain, known)
      return known !== before
    }
    const end = await this.#stateAt(chain, head.height, head)
    const added = [...(await this.#anchors(chain, known, head.height, from)), end]
    let low = known
    for (const high of added) {
      if (low !== null) await this.#readChanges(chain, low, high)
      low = high
    }
    this.#marks.push(...added)
    this.#marks.splice(0, Math.max(0, this.#marks.length - KEPT_MARKS))
    await this.#notePending(chain, end)
    return true
  }

  async #notePending(chain: EvmChain, { balance }: EvmMark): Promise<void> {
    const pending = this.waiting().length > 0 ? 0n : (await chain.balance(this.#address, 'pending')) - balance
    this.pending = pending > 0n ? pending : 0n
  }

  /** States to go back to when blocks are taken back: where it begins, and one that is deep enough. */
  async #anchors(chain: EvmChain, known: EvmMark | null, height: number, from: number | null): Promise<EvmMark[]> {
    const deep = Math.max(0, height - MAX_REORG)
    const heights = known === null ? [Math.min(from ?? deep, deep), deep] : [deep]
    const wanted = [...new Set(heights)].filter(at => at < height && at > (known?.height ?? -1))
    const anchors: EvmMark[] = []
    for (const at of wanted) anchors.push(await this.#stateAt(chain, at, null))
    return anchors
  }

  /** Goes back to the newest mark that the chain still has. */
  async #findFork(chain: EvmChain, height: number): Promise<void> {
    const top = this.mark
    if (top === null) return
    const kept = [...this.#marks]
    for (let mark = kept.at(-1); mark !== undefined; mark = kept.at(-1)) {
      if (mark.height <= height && (await chain.block(mark.height))?.hash === mark.hash) break
      kept.pop()
    }
    const lowest = kept.at(-1)?.height ?? Number.NEGATIVE_INFINITY
    if (top.height - lowest > 2 * MAX_REORG) {
      const text = 'The server shows another chain than before, or far less of it. Nothing was changed.'
      throw new AppError('WalletServerFailed', text)
    }
    this.#lines = this.#lines.filter(line => line.height <= lowest)
    this.#marks = kept
  }

  async #stateAt(chain: EvmChain, height: number, known: EvmBlock | null): Promise<EvmMark> {
    const block = known ?? (await chain.block(height))
    if (block === null) throw new AppError('WalletServerFailed', `The server has no block ${height}.`)
    const [balance, nonce] = await Promise.all([
      chain.balance(this.#address, height),
      chain.nonce(this.#address, height),
    ])
    return { height, hash: block.hash, balance, nonce }
  }

  /** Reads the blocks between two states that changed something. */
  async #readChanges(chain: EvmChain, start: EvmMark, end: EvmMark): Promise<void> {
    const blocks: number[] = []
    const ranges: [EvmMark, EvmMark][] = [[start, end]]
    while (ranges.length > 0 && blocks.length < MAX_BLOCKS) {
      const [low, high] = ranges.pop() ?? [end, end]
      if (low.height >= high.height || (low.balance === high.balance && low.nonce === high.nonce)) continue
      if (low.height + 1 === high.height) {
        blocks.push(high.height)
        continue
      }
      const middle = await this.#stateOrNull(chain, Math.floor((low.height + high.height) / 2))
      if (middle !== null) ranges.push([low, middle], [middle, high])
    }
    for (const height of blocks.sort((a, b) => a - b)) await this.#readBlock(chain, height)
  }

  /** Null: the server does not know that state any more. */
  async #stateOrNull(chain: EvmChain, height: number): Promise<EvmMark | null> {
    try {
      return await this.#stateAt(chain, height, null)
    } catch (error) {
      if (error instanceof AppError && error.code === 'WalletServerFailed') return null
      throw error
    }
  }

  async #readBlock(chain: EvmChain, height: number): Promise<void> {
    const block = await chain.block(height, true)
    for (const { hash, from, to, value, nonce } of block?.transactions ?? []) {
      if ((from !== this.#address && to !== this.#address) || this.#lines.some(line => line.hash === hash)) continue
      const receipt = await chain.receipt(hash)
      const paid = receipt?.succeeded === false ? 0n : value
      const fee = from === this.#address ? (receipt?.fee ?? 0n) : 0n
      this.#lines.push({ hash, from, to, value: paid, fee, nonce, height, time: block?.time ?? 0 })
    }
  }
}
