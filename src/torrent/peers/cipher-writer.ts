// The sending half of an encrypted connection: holds what is written until the handshake is done, then encrypts it into
// memory of its own, as far as that goes, and hands it to the stream. What waits is neither copied nor changed.
// Invariant: bytes leave in the order they were written, each through the cipher once; `sent` of every write runs once,
// never within write().

import type { TcpStream } from '../../ports/tcp.ts'
import type { Rc4 } from '../../wire/mse/rc4.ts'
import type { CipherMemory } from './cipher-memory.ts'

/** Lent memory of one connection whose bytes the kernel has not taken: four pooled buffers. */
const MAX_UNDER_WAY_BYTES = 256 * 1024

/** Messages up to this length are encrypted into memory of their own: a request has 17 bytes. */
const SMALL_BYTES = 4096

const NOTHING = new Uint8Array(0)

/** A write, or what is left of it. */
interface Write {
  bytes: Uint8Array
  readonly sent: (() => void) | undefined
}

/** What was taken to be sent within the handshake. */
export interface InitialWrites {
  readonly bytes: Uint8Array
  /** To be called when they were sent. */
  sent(): void
}

/** The writing side of one stream. */
export class CipherWriter {
  readonly #inner: TcpStream
  readonly #memory: CipherMemory
  readonly #drained: () => void
  #queue: Write[] = []
  #queuedBytes = 0
  #underWayBytes = 0
  #cipher: Rc4 | null = null
  #state: 'held' | 'open' | 'ended' = 'held'
  /** Some write() answered false since `drained` last ran. */
  #full = false
  #innerFull = false

  /** `drained` runs when the writer has room again after write() answered false. */
  constructor(inner: TcpStream, memory: CipherMemory, drained: () => void) {
    this.#inner = inner
    this.#memory = memory
    this.#drained = drained
  }

  /** Bytes that were written and that the kernel has not taken. */
  get bufferedBytes(): number {
    return this.#queuedBytes + this.#inner.bufferedBytes
  }

  /** As TcpStream.write. */
  write(bytes: Uint8Array, sent: (() => void) | undefined): boolean {
    // Nothing readable must get to a stream that was to carry something encrypted, not even to a dead one.
    if (this.#state === 'ended') return this.#inner.write(NOTHING, sent)
    if (this.#state === 'open' && this.#cipher === null && this.#queue.length === 0) {
      return this.#writePlain(bytes, sent)
    }
    this.#queue.push({ bytes, sent })
    this.#queuedBytes += bytes.length
    this.#pump()
    if (this.#queue.length > 0 || this.#innerFull) this.#full = true
    return !this.#full
  }

  /** Takes whole writes from the front of what is held, `maxBytes` at most. */
  takeInitial(maxBytes: number): InitialWrites {
    const taken: Write[] = []
    let count = 0
    for (const write of this.#queue) {
      if (count + write.bytes.length > maxBytes) break
      taken.push(write)
      count += write.bytes.length
    }
    this.#queue = this.#queue.slice(taken.length)
    this.#queuedBytes -= count
    return {
      bytes: Buffer.concat(taken.map(write => write.bytes)),
      sent: () => {
        for (const write of taken) write.sent?.()
        this.#settle()
      },
    }
  }

  /** From here on what is written goes out, through `cipher`; null: as it is. */
  start(cipher: Rc4 | null): void {
    if (this.#state !== 'held') return
    this.#cipher = cipher
    this.#state = 'open'
    this.#settle()
  }

  /** The stream has room again. */
  innerDrained(): void {
    this.#innerFull = false
    this.#settle()
  }

  /** Nothing goes out any more. What waits stays until close(). */
  end(): void {
    this.#state = 'ended'
  }

  /** The stream is gone: what waits is dropped. */
  close(): void {
    this.#state = 'ended'
    const queue = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    for (const write of queue) write.sent?.()
  }

  /** Sends what can be sent, and tells when there is room. */
  #settle(): void {
    this.#pump()
    if (!this.#full || this.#innerFull || this.#queue.length > 0 || this.#state !== 'open') return
    this.#full = false
    this.#drained()
  }

  #pump(): void {
    while (this.#state === 'open') {
      const write = this.#queue[0]
      if (write === undefined) return
      if (this.#cipher === null) this.#sendPlain(write)
      else if (!this.#sendEncrypted(write, this.#cipher)) return
    }
  }

  #writePlain(bytes: Uint8Array, sent: (() => void) | undefined): boolean {
    this.#handOver(bytes, sent)
    if (this.#innerFull) this.#full = true
    return !this.#full
  }

  #sendPlain(write: Write): void {
    this.#queue.shift()
    this.#queuedBytes -= write.bytes.length
    this.#handOver(write.bytes, write.sent)
  }

  /**
   * Encrypts the front of `write` and hands it over; false when there is no memory: what is under way will make some.
   */
  #sendEncrypted(write: Write, cipher: Rc4): boolean {
    const small = write.bytes.length <= SMALL_BYTES
    const memory = small ? Buffer.allocUnsafe(write.bytes.length) : this.#lend(write.bytes.length)
    if (memory === null) return false
    const count = Math.min(memory.length, write.bytes.length)
    const bytes = memory.subarray(0, count)
    cipher.apply(write.bytes.subarray(0, count), bytes)
    const last = count === write.bytes.length
    if (last) this.#queue.shift()
    else write.bytes = write.bytes.subarray(count)
    this.#queuedBytes -= count
    const sent = last ? write.sent : undefined
    if (small) this.#handOver(bytes, sent)
    else this.#handOverLent(memory, bytes, sent)
    return true
  }

  #lend(count: number): Uint8Array | null {
    if (this.#underWayBytes >= MAX_UNDER_WAY_BYTES) return null
    return this.#memory.lend(count, this.#underWayBytes === 0)
  }

  #handOver(bytes: Uint8Array, sent: (() => void) | undefined): void {
    if (!this.#inner.write(bytes, sent)) this.#innerFull = true
  }

  #handOverLent(memory: Uint8Array, bytes: Uint8Array, sent: (() => void) | undefined): void {
    let lent = true
    this.#underWayBytes += memory.length
    const giveBack = (): void => {
      if (!lent) return
      lent = false
      this.#underWayBytes -= memory.length
      this.#memory.giveBack(memory)
    }
    const taken = (): void => {
      giveBack()
      sent?.()
      this.#settle()
    }
    if (!this.#inner.write(bytes, taken)) this.#innerFull = true
    // The kernel has it already: the next block of this turn finds the buffer free.
    if (this.#inner.bufferedBytes === 0) giveBack()
  }
}
