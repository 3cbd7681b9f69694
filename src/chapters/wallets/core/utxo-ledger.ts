// The ledger of a wallet on a chain of Bitcoin's kind: the transactions that pay it or that it paid with, their blocks,
// and what follows: coins, balances, histories. Pure. Blocks come in order and go in reverse; which of two conflicting
// transfers counts is worked out each time.

import type { OwnCoin, KeyPlace } from './utxo-signing.ts'
import { type ReadBlock, type ReadTransaction, readTransaction } from './tx-reader.ts'

/** Coins of a block's own reward may be spent after so many blocks. */
const MATURITY = 100
/** Blocks whose hashes are remembered: deeper reorganisations are not followed. */
const KEPT_BLOCKS = 288
/** Addresses looked for beyond the last one that was paid (BIP 44). */
export const GAP = 20

/** A block that was taken in. */
export interface SeenBlock {
  readonly height: number
  readonly hash: string
  readonly bits: number
}

/** A transaction of ours, as it is stored. */
export interface StoredTransaction {
  /** Hexadecimal. */
  readonly raw: string
  readonly height: number | null
  /** Unix time, seconds: of its block, else when it was first seen. */
  readonly time: number
  /** Grows with each transaction. */
  readonly order: number
  /** This node made it. */
  readonly own: boolean
}

/** Everything that is stored of the chain. */
export interface StoredLedger {
  readonly blocks: readonly SeenBlock[]
  readonly transactions: readonly StoredTransaction[]
}

/** One line of a history. Amounts in the smallest unit. */
export interface LedgerEntry {
  readonly txid: string
  readonly outgoing: boolean
  readonly amount: bigint
  readonly fee: bigint
  /** Scripts, hexadecimal. */
  readonly to: readonly string[]
  readonly from: readonly string[]
  readonly height: number | null
  readonly time: number
  readonly own: boolean
}

/** What follows from the transactions that count. */
export interface LedgerView {
  readonly available: bigint
  readonly pending: bigint
  /** Spendable now. */
  readonly coins: readonly OwnCoin[]
  /** The newest first. */
  readonly entries: readonly LedgerEntry[]
  /** Ids of those that count. */
  readonly live: ReadonlySet<string>
}

interface Entry {
  readonly tx: ReadTransaction
  height: number | null
  time: number
  readonly order: number
  readonly own: boolean
}

/**
 * The ledger of a wallet on a chain of Bitcoin's kind: the transactions that pay it or that it paid with, their blocks,
 * and what follows: coins, balances, histories.
 */
export class UtxoLedger {
  readonly #scriptOf: (place: KeyPlace) => Uint8Array
  readonly #places = new Map<string, KeyPlace>()
  readonly #known: [number, number] = [0, 0]
  readonly #used: [number, number] = [-1, -1]
  readonly #transactions = new Map<string, Entry>()
  readonly #blocks: SeenBlock[] = []
  #order = 0
  #view: LedgerView | null = null

  /** `scriptOf`: script of a place of the account. */
  constructor(scriptOf: (place: KeyPlace) => Uint8Array, stored: StoredLedger = { blocks: [], transactions: [] }) {
    this.#scriptOf = scriptOf
    this.#watchMore()
    this.#blocks.push(...stored.blocks)
    for (const { raw, height, time, order, own } of stored.transactions) {
      const tx = readTransaction(Buffer.from(raw, 'hex'))
      this.#transactions.set(tx.txid, { tx, height, time, order, own })
      this.#order = Math.max(this.#order, order)
    }
    // Places follow from each other: the first pass may find what widens the second.
    for (const { tx } of [...this.#transactions.values()]) this.#noteUse(tx)
  }

  /** The newest block that was taken in. */
  get tip(): SeenBlock | null {
    return this.#blocks.at(-1) ?? null
  }

  /** Of a height that is remembered. */
  blockAt(height: number): SeenBlock | null {
    const first = this.#blocks[0]
    return first === undefined ? null : (this.#blocks[height - first.height] ?? null)
  }

  /** The lowest height that is remembered. */
  get lowest(): number {
    return this.#blocks[0]?.height ?? 0
  }

  /** The first place of a chain that was not paid yet. */
  unused(chain: 0 | 1): KeyPlace {
    return { chain, index: this.#used[chain] + 1 }
  }

  /** Starts with a block as it is: what was before does not count. */
  begin(block: SeenBlock): void {
    this.#blocks.splice(0, this.#blocks.length, block)
  }

  /** Takes in the block that follows the tip. True when something of it is ours. */
  connect(height: number, block: ReadBlock): boolean {
    let ours = false
    for (const tx of block.transactions) {
      if (!this.#concerns(tx)) continue
      ours = true
      const known = this.#transactions.get(tx.txid)
      this.#put(tx, { height, time: block.time, own: known?.own ?? false })
    }
    this.#blocks.push({ height, hash: block.hash, bits: block.bits })
    if (this.#blocks.length > KEPT_BLOCKS) this.#blocks.shift()
    this.#view = null
    return ours
  }

  /** Forgets the blocks above `height`: their transactions wait again; rewards of these blocks are gone. */
  disconnectAbove(height: number): void {
    while ((this.tip?.height ?? -1) > height) this.#blocks.pop()
    for (const [txid, entry] of this.#transactions) {
      if (entry.height === null || entry.height <= height) continue
      if (entry.tx.coinbase) this.#transactions.delete(txid)
      else entry.height = null
    }
    this.#view = null
  }

  /** A transaction that waits for a block. True when it is ours and new. `own`: this node made it. */
  seen(tx: ReadTransaction, time: number, own = false): boolean {
    if (this.#transactions.has(tx.txid) || tx.coinbase || !this.#concerns(tx)) return false
    this.#put(tx, { height: null, time, own })
    return true
  }

  /** Forgets those that wait for a block, are not of this node, and that the server no longer has. */
  dropMissing(waiting: ReadonlySet<string>): boolean {
    let changed = false
    for (const [txid, { height, own }] of this.#transactions) {
      if (height !== null || own || waiting.has(txid)) continue
      this.#transactions.delete(txid)
      changed = true
    }
    if (changed) this.#view = null
    return changed
  }

  /** Forgets a transfer of this node that no server took. */
  forget(txid: string): void {
    this.#transactions.delete(txid)
    this.#view = null
  }

  /** The transaction of an id. */
  transaction(txid: string): (ReadTransaction & { readonly height: number | null; readonly own: boolean }) | null {
    const entry = this.#transactions.get(txid)
    return entry === undefined ? null : { ...entry.tx, height: entry.height, own: entry.own }
  }

  /** Transfers of this node that count and wait for a block. */
  waiting(): ReadTransaction[] {
    const { live } = this.view()
    return [...this.#transactions.values()]
      .filter(({ tx, own, height }) => own && height === null && live.has(tx.txid))
      .sort((a, b) => a.order - b.order)
      .map(({ tx }) => tx)
  }

  /** The place of the key of a script; null: it is not ours. */
  placeOf(script: string): KeyPlace | null {
    return this.#places.get(script) ?? null
  }

  /** What to store. */
  stored(): StoredLedger {
    const transactions = [...this.#transactions.values()].map(({ tx, height, time, order, own }) => {
      return { raw: Buffer.from(tx.raw).toString('hex'), height, time, order, own }
    })
    return { blocks: [...this.#blocks], transactions }
  }

  /** Balances, coins and the history as they are now. */
  view(): LedgerView {
    this.#view ??= this.#makeView()
    return this.#view
  }

  #put(tx: ReadTransaction, { height, time, own }: { height: number | null; time: number; own: boolean }): void {
    const known = this.#transactions.get(tx.txid)
    this.#order += 1
    // A copy: the bytes of a whole block would stay with it.
    const kept = known?.tx ?? { ...tx, raw: Uint8Array.from(tx.raw) }
    this.#transactions.set(tx.txid, { tx: kept, height, time, order: known?.order ?? this.#order, own })
    this.#noteUse(tx)
    this.#view = null
  }

  #noteUse({ outputs }: ReadTransaction): void {
    for (const { script } of outputs) {
      const place = this.#places.get(script)
      if (place === undefined || place.index <= this.#used[place.chain]) continue
      this.#used[place.chain] = place.index
    }
    this.#watchMore()
  }

  #watchMore(): void {
    for (const chain of [0, 1] as const) {
      while (this.#known[chain] <= this.#used[chain] + GAP) {
        const place = { chain, index: this.#known[chain] }
        this.#places.set(Buffer.from(this.#scriptOf(place)).toString('hex'), place)
        this.#known[chain] += 1
      }
    }
  }

  #concerns({ inputs, outputs }: ReadTransaction): boolean {
    return outputs.some(({ script }) => this.#places.has(script)) || inputs.some(input => this.#spent(input) !== null)
  }

  /** Our output that an input spends. */
  #spent({ txid, index }: { txid: string; index: number }): { script: string; value: bigint } | null {
    const output = this.#transactions.get(txid)?.tx.outputs[index]
    return output !== undefined && this.#places.has(output.script) ? output : null
  }

  /**
   * Those that count: of two that spend the same, the one in a block, else the newer one; never what spends one that
   * does not count.
   */
  #live(): Entry[] {
    const sorted = [...this.#transactions.values()].sort((a, b) =>
      (a.height === null) === (b.height === null) ? b.order - a.order : a.height === null ? 1 : -1,
    )
    const taken = new Set<string>()
    const live: Entry[] = []
    for (const entry of sorted) {
      // All rewards of blocks name the same input, which is none.
      const points = entry.tx.coinbase ? [] : entry.tx.inputs.map(({ txid, index }) => `${txid}:${index}`)
      if (points.some(point => taken.has(point))) continue
      for (const point of points) taken.add(point)
      live.push(entry)
    }
    return withoutOrphans(live, txid => this.#transactions.has(txid))
  }

  #makeView(): LedgerView {
    const live = this.#live()
    const spent = new Set(live.flatMap(({ tx }) => tx.inputs.map(({ txid, index }) => `${txid}:${index}`)))
    const height = this.tip?.height ?? 0
    const coins: OwnCoin[] = []
    let pending = 0n
    for (const entry of live) {
      const trusted = entry.height !== null || (entry.own && this.#allOurs(entry.tx))
      const mature = !entry.tx.coinbase || (entry.height !== null && height - entry.height + 1 > MATURITY)
      for (const [index, { script, value }] of entry.tx.outputs.entries()) {
        const place = this.#places.get(script)
        if (place === undefined || spent.has(`${entry.tx.txid}:${index}`)) continue
        if (trusted && mature) coins.push({ txid: entry.tx.txid, index, value, script, place })
        else pending += value
      }
    }
    const available = coins.reduce((sum, { value }) => sum + value, 0n)
    const entries = live.map(entry => this.#entryOf(entry)).sort(newestFirst)
    return { available, pending, coins, entries, live: new Set(live.map(({ tx }) => tx.txid)) }
  }

  #allOurs({ inputs }: ReadTransaction): boolean {
    return inputs.every(input => this.#spent(input) !== null)
  }

  #entryOf({ tx, height, time, own }: Entry): LedgerEntry {
    const spent = tx.inputs.map(input => this.#spent(input)).filter(output => output !== null)
    const paidIn = sumOf(spent)
    const ours = tx.outputs.filter(({ script }) => this.#places.has(script))
    const others = tx.outputs.filter(({ script }) => !this.#places.has(script))
    const common = { txid: tx.txid, height, time, own }
    if (paidIn === 0n) {
      return { ...common, outgoing: false, amount: sumOf(ours), fee: 0n, to: ours.map(scriptOf), from: [] }
    }
    // What others paid beside us, as in a transaction that several made, cannot be seen from here: the fee counts only
    // when all is ours.
    const fee = spent.length === tx.inputs.length ? paidIn - sumOf(tx.outputs) : 0n
    const away = paidIn - sumOf(ours) - fee
    const from = [...new Set(spent.map(scriptOf))]
    // To ourselves: the shown address that was paid, not the change.
    const toSelf = ours.filter(({ script }) => this.#places.get(script)?.chain === 0)
    const to = others.length > 0 ? others : toSelf
    return {
      ...common,
      outgoing: true,
      amount: others.length > 0 ? away : sumOf(toSelf),
      fee,
      to: to.map(scriptOf),
      from,
    }
  }
}

function scriptOf({ script }: { readonly script: string }): string {
  return script
}

function sumOf(outputs: readonly { readonly value: bigint }[]): bigint {
  return outputs.reduce((sum, { value }) => sum + value, 0n)
}

function newestFirst(a: LedgerEntry, b: LedgerEntry): number {
  const [left, right] = [a.height ?? Number.POSITIVE_INFINITY, b.height ?? Number.POSITIVE_INFINITY]
  if (left !== right) return left > right ? -1 : 1
  return b.time - a.time
}

/** Without those that spend an output of one that is known and does not count. */
function withoutOrphans(live: readonly Entry[], known: (txid: string) => boolean): Entry[] {
  let rest = [...live]
  for (;;) {
    const ids = new Set(rest.map(({ tx }) => tx.txid))
    const fine = rest.filter(
      ({ tx, height }) => height !== null || tx.inputs.every(({ txid }) => ids.has(txid) || !known(txid)),
    )
    if (fine.length === rest.length) return rest
    rest = fine
  }
}
