// Layers of many cells of one circuit at a worker: the texts are copied into shared memory and back, which costs a
// tenth of what sealing them does. Few cells stay on the main thread: a message to a worker and back takes longer than
// they do (decision 0373).

import { HANDED_KEY_BYTES } from '../io/layer-nonce.ts'
import { canHandOver, type HandedLayerKey } from '../io/overlay-primitives.ts'
import type { Slot } from '../../../ports/arena.ts'
import { LAYER_BYTES, LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../ports/overlay-crypto.ts'
import type { CellText } from '../ports/overlay-crypto-pool.ts'
import type { SharedArena } from '../../../pools/arena.ts'
import { BATCH_CELLS, BATCH_KEYS_BYTES, CELL_ROOM_BYTES } from './seal-slot.ts'
import type { WorkerPool } from '../../../pools/pool.ts'

/**
 * From so many layers (cells times keys) on, a worker saves the main thread more than asking it costs; measured,
 * decision 0373.
 */
export const WORTH_A_WORKER = 96
/** Most keys of a batch. */
const MOST_KEYS = 8

/** Where the texts of a batch are, and how far they reach, before and after. */
interface Place {
  readonly cell: CellText
  /** Of the text in the slot, before. */
  readonly start: number
  readonly end: number
}

/** Batches of cells over the slots of an arena. */
export class CellBatches {
  readonly #arena: SharedArena
  readonly #pool: Pick<WorkerPool, 'run'>
  readonly #worth: number

  constructor(arena: SharedArena, pool: Pick<WorkerPool, 'run'>, worth = WORTH_A_WORKER) {
    this.#arena = arena
    this.#pool = pool
    this.#worth = worth
  }

  /** One answer a cell. What is little, too large, or finds no memory is done here: cells are not refused. */
  async run(keys: readonly LayerKey[], cells: readonly CellText[], open: boolean): Promise<readonly boolean[]> {
    const parts: (readonly CellText[])[] = []
    for (let at = 0; at < cells.length; at += BATCH_CELLS) parts.push(cells.slice(at, at + BATCH_CELLS))
    return (await Promise.all(parts.map(part => this.#runPart(keys, part, open)))).flat()
  }

  async #runPart(keys: readonly LayerKey[], cells: readonly CellText[], open: boolean): Promise<readonly boolean[]> {
    const handed = keys.filter(canHandOver)
    const most = CELL_ROOM_BYTES - (open ? 0 : keys.length * LAYER_BYTES)
    const fits = handed.length === keys.length && keys.length <= MOST_KEYS && cells.every(c => c.end - c.start <= most)
    if (!fits || keys.length * cells.length < this.#worth) return workHere(keys, cells, open)
    for (const cell of cells) if (!open) checkReach(cell, keys.length)
    const slot = this.#arena.lease()
    if (slot === null) return workHere(keys, cells, open)
    try {
      return await this.#work(slot, handed, cells, open)
    } finally {
      slot.bytes.fill(0, 0, BATCH_KEYS_BYTES)
      this.#arena.release(slot)
    }
  }

  async #work(
    slot: Slot,
    keys: readonly HandedLayerKey[],
    cells: readonly CellText[],
    open: boolean,
  ): Promise<readonly boolean[]> {
    const uses = open ? 0 : cells.length
    if (!keys.every((key, i) => key.handOver(slot.bytes, i * HANDED_KEY_BYTES, uses)))
      return workHere(keys, cells, open)
    const places = cells.map((cell, i) => copyIn(slot.bytes, cell, i, open ? 0 : keys.length))
    const request = {
      at: slot.offset,
      keys: keys.length,
      open,
      cells: places.flatMap(({ start, end }) => [start, end]),
    }
    const { fine } = await this.#pool.run('seal.layers', request)
    return places.map((place, i) => {
      if (fine[i] !== 1) return false
      copyOut(slot.bytes, place, open ? -keys.length : keys.length)
      return true
    })
  }
}

function copyIn(bytes: Uint8Array, cell: CellText, number: number, layers: number): Place {
  const start = BATCH_KEYS_BYTES + number * CELL_ROOM_BYTES + layers * LAYER_HEAD_BYTES
  bytes.set(cell.bytes.subarray(cell.start, cell.end), start)
  return { cell, start, end: start + cell.end - cell.start }
}

/** `layers` were put on; below 0: taken off. */
function copyOut(bytes: Uint8Array, { cell, start, end }: Place, layers: number): void {
  const head = layers * LAYER_HEAD_BYTES
  cell.bytes.set(bytes.subarray(start - head, end + layers * LAYER_TAG_BYTES), cell.start - head)
}

function checkReach({ bytes, start, end }: CellText, layers: number): void {
  if (start < layers * LAYER_HEAD_BYTES || end < start || end + layers * LAYER_TAG_BYTES > bytes.length)
    throw new RangeError('no room for the layers')
}

function workHere(keys: readonly LayerKey[], cells: readonly CellText[], open: boolean): readonly boolean[] {
  return cells.map(({ bytes, start, end }) =>
    // A wiped key zeroes the text, also under layers of others.
    keys.every((key, i) => {
      const [head, tail] = [i * LAYER_HEAD_BYTES, i * LAYER_TAG_BYTES]
      return open ? key.open(bytes, start + head, end - tail) : key.seal(bytes, start - head, end + tail)
    }),
  )
}
