// Shared memory that holds all piece bytes, from the socket to the disk and back. One owner a slot at a time.

/** A lent slot. Stale after release: a generation guards against giving back twice or late. */
export interface Slot {
  readonly index: number
  readonly generation: number
  /** The slot's memory: `slotBytes` long, a view of a SharedArrayBuffer. */
  readonly bytes: Uint8Array
  /** First byte of the slot in the arena's buffer. */
  readonly offset: number
}

/** A fixed number of equal slots. It never grows: no free slot means the caller waits. */
export interface Arena {
  /** Which arena this is, in messages to the workers. */
  readonly id: 'block' | 'range' | 'seal'
  readonly slotBytes: number
  readonly slotCount: number
  readonly freeCount: number
  readonly buffer: SharedArrayBuffer
  /** Lends slot number `near` if it is free, else any; null when none is free. */
  lease(near?: number): Slot | null
  /**
   * The first of `count` neighbouring slots that are all free, -1 when there are none. They are not kept for anybody.
   */
  freeRun(count: number): number
  /**
   * Lends a slot as soon as one is free, first come first served. Rejects with AppError Aborted when `signal` fires.
   */
  leaseLater(signal?: AbortSignal): Promise<Slot>
  /** Gives a slot back. Throws on a slot that is not lent. */
  release(slot: Slot): void
}
