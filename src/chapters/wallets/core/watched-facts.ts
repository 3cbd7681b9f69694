// What is watched on a chain of Bitcoin's kind, and what a transaction says of it: outputs that pay a script, the input
// that spends an output, the transaction of an id. For blocks that were read a mark of 32 bits for each such thing
// tells later which of them are worth another look.

import { readEnding, type ReadTransaction } from './tx-reader.ts'

/** Witnesses that are larger are no contract's. */
const MAX_WITNESS_BYTES = 1_024
/** Output scripts that are watched: P2WPKH and P2WSH, as they begin and how many digits they have. */
const WATCHED_SCRIPTS: Readonly<Record<string, number>> = { '0014': 44, '0020': 68 }
const SCATTER = 0x9e3779b1

/** Something that is watched: `script <hexadecimal>`, `spent <txid>:<index>` or `tx <txid>`. */
export type WatchKey = `script ${string}` | `spent ${string}:${number}` | `tx ${string}`

/** What a transaction says of a key. */
export interface WatchedFact {
  readonly txid: string
  /** Of the output, or of the input. */
  readonly index: number
  /** Of the output; 0n of anything else. */
  readonly value: bigint
  /** Height of its block; null: it waits. */
  readonly height: number | null
  /** It cannot be spent for some blocks: it pays a miner, or comes out of an extension block. */
  readonly young: boolean
  /** What all its outputs have. */
  readonly paid: bigint
  readonly inputs: number
  readonly sequence: number
  readonly lockTime: number
  /** Of the input that spends; empty where it is too large for a contract. */
  readonly witness: readonly Uint8Array[]
}

/** The mark of a key. */
export function markOf(key: WatchKey): number {
  const [kind = '', thing = ''] = key.split(' ')
  if (kind === 'script') return scriptMark(thing)
  const [txid = '', index] = thing.split(':')
  return index === undefined ? idMark(txid) : spentMark(txid, Number(index))
}

const idMark = (txid: string): number => Number.parseInt(txid.slice(0, 8), 16)
const scriptMark = (script: string): number => Number.parseInt(script.slice(4, 12), 16)
const spentMark = (txid: string, index: number): number =>
  (Number.parseInt(txid.slice(8, 16), 16) ^ Math.imul(index + 1, SCATTER)) >>> 0

/** Marks of all that could be watched in these transactions. */
export function marksOf(transactions: readonly ReadTransaction[]): Uint32Array {
  const marks: number[] = []
  for (const { txid, inputs, outputs } of transactions) {
    marks.push(idMark(txid))
    for (const input of inputs) marks.push(spentMark(input.txid, input.index))
    for (const { script } of outputs) if (isWatchable(script)) marks.push(scriptMark(script))
  }
  return Uint32Array.from(marks)
}

function isWatchable(script: string): boolean {
  return WATCHED_SCRIPTS[script.slice(0, 4)] === script.length
}

/** What a transaction says of the keys that are watched. */
export function factsIn(
  tx: ReadTransaction,
  height: number | null,
  watched: (key: WatchKey) => boolean,
): [WatchKey, WatchedFact][] {
  const keys: [WatchKey, number][] = []
  if (watched(`tx ${tx.txid}`)) keys.push([`tx ${tx.txid}`, 0])
  for (const [index, { script }] of tx.outputs.entries())
    if (isWatchable(script) && watched(`script ${script}`)) keys.push([`script ${script}`, index])
  for (const [index, input] of tx.inputs.entries()) {
    const key: WatchKey = `spent ${input.txid}:${input.index}`
    if (watched(key)) keys.push([key, index])
  }
  if (keys.length === 0) return []
  const make = factMaker(tx, height)
  return keys.map(([key, index]) => [key, make(key, index)])
}

function factMaker(tx: ReadTransaction, height: number | null): (key: WatchKey, index: number) => WatchedFact {
  const { lockTime, witnesses, extension } = readEnding(tx)
  const paid = tx.outputs.reduce((sum, { value }) => sum + value, 0n)
  const all = { txid: tx.txid, height, young: tx.coinbase || extension, paid, inputs: tx.inputs.length, lockTime }
  return (key, index) => {
    const spends = key.startsWith('spent ')
    const value = key.startsWith('script ') ? (tx.outputs[index]?.value ?? 0n) : 0n
    const sequence = spends ? (tx.inputs[index]?.sequence ?? 0) : 0
    return { ...all, index, value, sequence, witness: spends ? smallWitness(witnesses[index] ?? []) : [] }
  }
}

/** A copy: the bytes that were read belong to a whole block. */
function smallWitness(items: readonly Uint8Array[]): Uint8Array[] {
  const size = items.reduce((sum, { length }) => sum + length, 0)
  return size > MAX_WITNESS_BYTES ? [] : items.map(item => Uint8Array.from(item))
}
