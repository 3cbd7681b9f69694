// Slots of shared memory (SharedArrayBuffer), lent one owner at a time. It does not grow and does not clear: a lent
// slot holds whatever was there. Invariant: freeCount + lent slots = slotCount; while anybody waits, freeCount is 0.

import { AppError } from '../base/errors.ts'
import type { Arena, Slot } from '../ports/arena.ts'

/** Slot size of the block arena: one block of the wire, bytes. */
const BLOCK_SLOT_BYTES = 16 * 1024
/** Slot size of the range arena (stream and upload reads), bytes. */
const RANGE_SLOT_BYTES = 256 * 1024
/**
 * Default size of the block arena, bytes: 16 MiB already kept two workers busy, twice that leaves room for slow peers.
 */
const BLOCK_ARENA_BYTES = 32 * 1024 * 1024
/** Default size of the range arena, bytes: 64 readers at work at a time. */
const RANGE_ARENA_BYTES = 16 * 1024 * 1024
/** How many may wait for a slot; ten thousand readers are a mistake somewhere, not load. */
const MAX_WAITERS = 10_000

interface Waiter {
  readonly resolve: (slot: Slot) => void
  readonly stopListening: () => void
}

/** An arena over one SharedArrayBuffer, which the workers get once as workerData. Pages are touched only when lent. */
export class SharedArena implements Arena {
  readonly id: 'block' | 'range' | 'seal'
  readonly slotBytes: number
  readonly slotCount: number
  readonly buffer: SharedArrayBuffer
  readonly #free: number[] = []
  /** Index of each slot in #free; -1 while it is lent. */
  readonly #place: Int32Array
  readonly #views: (Uint8Array | undefined)[]
  readonly #lent: (Slot | undefined)[]
  readonly #waiters = new Set<Waiter>()
  #generation = 0

  /** `bytes` is rounded down to whole slots, at least one. Throws RangeError for sizes that are not positive. */
  constructor(options: {
    readonly id: 'block' | 'range' | 'seal'
    readonly slotBytes?: number
    readonly bytes?: number
  }) {
    const block = options.id === 'block'
    this.id = options.id
    this.slotBytes = options.slotBytes ?? (block ? BLOCK_SLOT_BYTES : RANGE_SLOT_BYTES)
    if (!(this.slotBytes > 0)) throw new RangeError(`slotBytes must be positive, not ${this.slotBytes}`)
    this.slotCount = Math.max(
      1,
      Math.floor((options.bytes ?? (block ? BLOCK_ARENA_BYTES : RANGE_ARENA_BYTES)) / this.slotBytes),
    )
    this.buffer = new SharedArrayBuffer(this.slotCount * this.slotBytes)
    this.#views = new Array<Uint8Array | undefined>(this.slotCount)
    this.#lent = new Array<Slot | undefined>(this.slotCount)
    // Last in, first out from slot 0: memory that was never needed is never touched.
    this.#place = new Int32Array(this.slotCount)
    for (let index = this.slotCount - 1; index >= 0; index--) this.#setFree(index)
  }

  get freeCount(): number {
    return this.#free.length
  }

  /** Callers waiting in leaseLater(). */
  get waiting(): number {
    return this.#waiters.size
  }

  lease(near = -1): Slot | null {
    const last = this.#free.at(-1)
    if (last === undefined) return null
    const index = near >= 0 && (this.#place[near] ?? -1) >= 0 ? near : last
    const at = this.#place[index] as number
    this.#free[at] = last
    this.#place[last] = at
    this.#free.pop()
    return this.#lend(index)
  }

  freeRun(count: number): number {
    for (let first = 0; first + count <= this.slotCount; first += count) if (this.#isFree(first, count)) return first
    return -1
  }

  leaseLater(signal?: AbortSignal): Promise<Slot> {
    if (signal?.aborted) return Promise.reject(new AppError('Aborted'))
    const slot = this.lease()
    if (slot !== null) return Promise.resolve(slot)
    if (this.#waiters.size >= MAX_WAITERS)
      return Promise.reject(new AppError('PoolBusy', 'Too many readers wait for memory.'))
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters.delete(waiter)
        reject(new AppError('Aborted'))
      }
      const waiter: Waiter = { resolve, stopListening: () => signal?.removeEventListener('abort', giveUp) }
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiters.add(waiter)
    })
  }

  release(slot: Slot): void {
    if (this.#lent[slot.index] !== slot)
      throw new RangeError(`slot ${slot.index} of the ${this.id} arena is not lent (generation ${slot.generation})`)
    this.#lent[slot.index] = undefined
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter)
      waiter.stopListening()
      waiter.resolve(this.#lend(slot.index))
      return
    }
    this.#setFree(slot.index)
  }

  #isFree(first: number, count: number): boolean {
    for (let index = first; index < first + count; index++) if (this.#place[index] === -1) return false
    return true
  }

  #setFree(index: number): void {
    this.#place[index] = this.#free.push(index) - 1
  }

  #lend(index: number): Slot {
    this.#place[index] = -1
    const offset = index * this.slotBytes
    const bytes = (this.#views[index] ??= new Uint8Array(this.buffer, offset, this.slotBytes))
    const slot: Slot = { index, generation: ++this.#generation, bytes, offset }
    this.#lent[index] = slot
    return slot
  }
}
