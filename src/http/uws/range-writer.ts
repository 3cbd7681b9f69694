// Writes the body of one stream answer: reads a chunk and gives it to the socket. What that did not take is read again
// when the client has room, so a client that does not read costs no memory, and neither does a reader that waits for
// missing pieces. Bytes at hand in the page cache go through one buffer that all streams share, within one step and
// without a promise; others are read into a lent slot of the arena, given back whatever the socket took.
// States: filling (waits for data, its turn or a slot) -> writing -> filling | blocked (waits for the client) -> ended.
// An answer that ends with its first step has no reader, no promise and no listener: most ranges are such.

import type { Arena, Slot } from '../../ports/arena.ts'
import type { StreamableFile, StreamReader } from '../../services/downloads/streams-api.ts'
import { type BodyPart, type StreamPlan, partLength } from '../stream-plan.ts'
import type { Reply } from './reply.ts'
import type { Scratch } from './scratch.ts'
import type { BlockedStream, StreamSchedule } from './stream-schedule.ts'

/** Corked writes up to this length go into the native buffer instead of the socket. */
const CORK_BYTES = 16 * 1024
/** A chunk is cut so that no rest shorter than this is left for the last write. */
const MIN_REST_BYTES = 2 * CORK_BYTES

/** What all stream answers share. */
export interface RangeWriterDeps {
  readonly arena: Arena
  readonly schedule: StreamSchedule
  /** Holds a chunk between its read and its write, in one go; nothing is kept in it. */
  readonly scratch: Scratch
}

type Outcome = 'more' | 'blocked' | 'ended'

/** The body of one answer under way. The reply must have nothing written yet. */
export class RangeWriter implements BlockedStream {
  readonly #reply: Reply
  readonly #plan: StreamPlan
  readonly #file: StreamableFile
  readonly #arena: Arena
  readonly #schedule: StreamSchedule
  readonly #scratch: Scratch
  #reader: StreamReader | null = null
  #offset = 0
  #sent = false
  #stopped = false
  #wake: (() => void) | null = null
  // The last bytes of a blocked answer, if they are few: see #keepTail.
  #tail: Uint8Array | null = null

  constructor(reply: Reply, plan: StreamPlan, file: StreamableFile, deps: RangeWriterDeps) {
    this.#reply = reply
    this.#plan = plan
    this.#file = file
    this.#arena = deps.arena
    this.#schedule = deps.schedule
    this.#scratch = deps.scratch
  }

  /**
   * Writes everything, at once or until the promise settles; ends when the client goes. The reader is closed at once in
   * both cases. Rejects with the reader's failure.
   */
  run(): undefined | Promise<void> {
    const outcome = this.#firstStep()
    return outcome === 'ended' ? undefined : this.#goOn(outcome)
  }

  // Without a reader: only what is at hand, as soon as it is the answer's turn.
  #firstStep(): Outcome | Promise<Outcome> {
    const [part] = this.#plan.parts
    if (part?.kind !== 'file' || this.#file.readNow === undefined) return 'more'
    const { start, end } = part.range
    const length = this.#chunkLength(end - start, this.#scratch.bytes.length)
    const turn = this.#schedule.turn(length)
    if (turn === undefined) return this.#stepInTurn(start, length) ?? 'more'
    return turn.then(() => this.#stepInTurn(start, length) ?? 'more')
  }

  async #goOn(first: Outcome | Promise<Outcome>): Promise<void> {
    this.#reply.onAbort(() => this.#stop())
    this.#reply.res.onWritable(() => this.#writable())
    try {
      for (let outcome = typeof first === 'string' ? first : await first; outcome !== 'ended'; ) {
        // Before any wait, so that the download's record shows it.
        this.#reader ??= this.#file.openReader()
        if (outcome === 'blocked') await this.#untilWritable()
        const step = this.#step()
        outcome = typeof step === 'string' ? step : await step
      }
    } finally {
      this.#stop()
    }
  }

  /** See BlockedStream. */
  rearm(): void {
    if (!this.#reply.alive) return
    this.#reply.res.pause()
    this.#reply.res.resume()
  }

  /** See BlockedStream. */
  cut(): void {
    this.#reply.cut()
  }

  #stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#schedule.unblock(this)
    this.#reader?.close()
    this.#tail = null
    this.#wake?.()
    this.#wake = null
  }

  #step(): Outcome | Promise<Outcome> {
    if (!this.#reply.alive) return 'ended'
    const place = this.#place()
    if (place === null) return this.#write(new Uint8Array(0))
    const { part, within } = place
    if (part.kind === 'text') return this.#write(part.bytes.subarray(within))
    return this.#stepFile(part.range.start + within, part.range.end)
  }

  #stepFile(position: number, end: number): Outcome | Promise<Outcome> {
    const available = this.#opened.waitFor(position)
    if (typeof available === 'number') return this.#stepThere(position, Math.min(available, end - position))
    // The head goes out before the first long wait: players give up on a server that says nothing at all.
    if (!this.#reply.started) this.#write(new Uint8Array(0))
    return available.then(count => this.#stepThere(position, Math.min(count, end - position)))
  }

  // `there` bytes are verified and on disk.
  #stepThere(position: number, there: number): Outcome | Promise<Outcome> {
    if (!this.#reply.alive) return 'ended'
    if (there <= 0) throw new Error('the file ended before its stream')
    if (this.#file.readNow === undefined) return this.#stepSlow(position, there)
    const length = this.#chunkLength(there, this.#scratch.bytes.length)
    const turn = this.#schedule.turn(length)
    if (turn === undefined) return this.#stepCached(position, there, length)
    return turn.then(() => this.#stepCached(position, there, length))
  }

  #stepCached(position: number, there: number, length: number): Outcome | Promise<Outcome> {
    return this.#stepInTurn(position, length) ?? this.#stepSlow(position, there)
  }

  // The right to write `length` bytes is taken: from the page cache, null if the bytes are not there.
  #stepInTurn(position: number, length: number): Outcome | null {
    if (!this.#reply.alive) {
      this.#schedule.unused(length)
      return 'ended'
    }
    const read = this.#file.readNow?.(position, length, this.#scratch.bytes) ?? 0
    // A part of what was asked for must not leave a short rest either.
    const count = read < length && this.#plan.length - this.#offset - read < MIN_REST_BYTES ? 0 : read
    this.#schedule.unused(length - count)
    return count > 0 ? this.#write(this.#scratch.first(count)) : null
  }

  async #stepSlow(position: number, there: number): Promise<Outcome> {
    if (!this.#reply.alive) return 'ended'
    // A stream that waits for a disk that does not answer holds nothing.
    if (this.#opened.volume?.answers === false) await this.#opened.volume.nextAnswer()
    const free = this.#arena.lease()
    const slot = free ?? (await this.#arena.leaseLater(this.#reply.signal))
    let reading = false
    const release = (): void => this.#arena.release(slot)
    const over = (): void => {
      reading = false
    }
    let read: Promise<void> | null = null
    try {
      if (!this.#reply.alive) return 'ended'
      // Who waited looks again: a thousand that came before the file was open need no thread to read it.
      const outcome = free === null ? await this.#stepAgain(position, there) : null
      if (outcome !== null) return outcome
      const count = this.#opened.read(position, this.#chunkLength(there, slot.bytes.length), slot)
      reading = true
      read = count.then(over, over)
      return await this.#writeRead(slot, count)
    } finally {
      // A read that was given up still writes into the slot when it comes.
      if (reading) void read?.then(release)
      else release()
    }
  }

  // From the page cache as soon as it is the answer's turn; null if the bytes are not there.
  async #stepAgain(position: number, there: number): Promise<Outcome | null> {
    if (this.#file.readNow === undefined) return null
    const length = this.#chunkLength(there, this.#scratch.bytes.length)
    await this.#schedule.turn(length)
    return this.#stepInTurn(position, length)
  }

  async #writeRead(slot: Slot, read: Promise<number>): Promise<Outcome> {
    const { volume } = this.#opened
    const count = await (volume === undefined ? read : volume.inTime(read))
    if (!this.#reply.alive) return 'ended'
    if (count === 0) throw new Error('a verified part of the file could not be read')
    await this.#schedule.turn(count)
    return this.#write(slot.bytes.subarray(0, count))
  }

  get #opened(): StreamReader {
    return (this.#reader ??= this.#file.openReader())
  }

  #chunkLength(there: number, room: number): number {
    const most = Math.min(there, room)
    const rest = this.#plan.length - this.#offset - most
    return rest > 0 && rest < MIN_REST_BYTES && most > 2 * MIN_REST_BYTES ? most - MIN_REST_BYTES : most
  }

  // Corked, but a chunk longer than the native buffer goes past it to the socket, and what that does not take is left.
  #write(chunk: Uint8Array): Outcome {
    if (!this.#reply.alive) return 'ended'
    const withHead = !this.#reply.started
    const [accepted, done] = this.#reply.inHandler ? this.#give(chunk) : this.#giveCorked(chunk)
    if (!this.#sent && chunk.length > 0) {
      this.#sent = true
      this.#reply.firstByte(withHead)
    }
    if (done) return this.#end()
    const taken = this.#reply.res.getWriteOffset() - this.#offset
    this.#offset += taken
    if (accepted) return 'more'
    this.#keepTail(chunk.subarray(taken))
    if (!this.#stopped) this.#schedule.block(this)
    return 'blocked'
  }

  #giveCorked(chunk: Uint8Array): [boolean, boolean] {
    let result: [boolean, boolean] = [false, false]
    this.#reply.res.cork(() => {
      result = this.#give(chunk)
    })
    return result
  }

  // Whether all was taken, and whether the answer is complete.
  #give(chunk: Uint8Array): [boolean, boolean] {
    if (!this.#reply.started) this.#reply.writeHead(this.#plan.status, this.#plan.headers)
    return this.#reply.res.tryEnd(chunk, this.#plan.length)
  }

  #end(): Outcome {
    this.#reply.finish()
    return 'ended'
  }

  // A rest that fits the native buffer would be taken into it, the answer would count as complete, and the native
  // server would cut a client that stalls just there after 10 s. So a short rest is kept here and written by
  // #writable, outside a cork, straight to the socket.
  #keepTail(rest: Uint8Array): void {
    if (rest.length <= CORK_BYTES && this.#offset + rest.length === this.#plan.length) this.#tail = rest.slice()
  }

  #writable(): boolean {
    if (!this.#reply.alive) return true
    this.#schedule.unblock(this)
    if (this.#tail !== null && !this.#writeTail(this.#tail)) return false
    this.#wake?.()
    this.#wake = null
    return true
  }

  // True when the tail is out and the answer complete.
  #writeTail(tail: Uint8Array): boolean {
    const { res } = this.#reply
    const done = res.tryEnd(tail, this.#plan.length)[1]
    if (done) {
      this.#end()
      return true
    }
    const taken = res.getWriteOffset() - this.#offset
    this.#offset += taken
    this.#tail = tail.subarray(taken)
    this.#schedule.block(this)
    return false
  }

  #untilWritable(): Promise<void> {
    return new Promise(resolve => {
      if (this.#reply.alive) this.#wake = resolve
      else resolve()
    })
  }

  // The part that the next byte of the body belongs to; null at the end (an answer without a body).
  #place(): { part: BodyPart; within: number } | null {
    let before = 0
    for (const part of this.#plan.parts) {
      const length = partLength(part)
      if (this.#offset < before + length) return { part, within: this.#offset - before }
      before += length
    }
    return null
  }
}
