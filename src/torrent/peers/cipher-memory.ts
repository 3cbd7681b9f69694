// Memory for encrypted bytes, shared by the connections of a session. What is sent is in arenas that others read, and
// what comes is in its reader's buffer: neither may be changed, so bytes are copied while they are encrypted or
// decrypted. Invariant: at most MAX_LENT buffers are out at a time; a stream without one makes do with OWN_BYTES of its
// own.

/** Bytes of a pooled buffer: a run of blocks as uploads write it. */
export const POOLED_BYTES = 64 * 1024

/** Pooled buffers that are out at a time: 8 MiB. */
export const MAX_LENT = 128

/** So many of them are kept while unused. */
const MAX_SPARE = 16

/** A connection that gets no pooled buffer and has nothing under way goes on with so much. */
const OWN_BYTES = 16 * 1024

/** The buffers of one session. */
export class CipherMemory {
  #spare: Uint8Array[] = []
  #lent = 0
  #room: Uint8Array | null = null

  /** Pooled buffers that are out. */
  get lent(): number {
    return this.#lent
  }

  /** Memory for up to `count` bytes to be sent, maybe less; null: none is left, and `must` was not said. */
  lend(count: number, must: boolean): Uint8Array | null {
    if (this.#lent >= MAX_LENT) return must ? new Uint8Array(Math.min(count, OWN_BYTES)) : null
    this.#lent += 1
    return this.#spare.pop() ?? new Uint8Array(POOLED_BYTES)
  }

  /** Takes back what lend() gave, once. */
  giveBack(memory: Uint8Array): void {
    if (memory.length !== POOLED_BYTES) return
    this.#lent -= 1
    if (this.#spare.length < MAX_SPARE) this.#spare.push(memory)
  }

  /** Calls `use` with `count` bytes that are its own during the call: for what has come, decrypted. */
  borrow(count: number, use: (memory: Uint8Array) => void): void {
    const kept = this.#room
    // Taken away meanwhile: a call within the call finds none and makes one.
    this.#room = null
    const room = kept !== null && kept.length >= count ? kept : new Uint8Array(Math.max(count, POOLED_BYTES))
    try {
      use(room.subarray(0, count))
    } finally {
      this.#room = room
    }
  }
}
