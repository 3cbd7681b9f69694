// Batches on their way between the main thread and the threads of one pool, as bytes in a ring of shared memory: a
// packed batch is written once where its thread reads it, and its packed results where it lay. What travels as a
// message is one number, the ticket; it wakes the other side.
//
// An entry is a header of four words (state, sequence, room, length) and its room. The main thread alone makes and
// frees entries; a thread touches the one whose ticket it was given, and no other. Threads answer in any order, and
// room comes back with the oldest entry: one that a slow disk holds can fill the ring, and what finds no room goes as
// a message of its own. A thread that dies leaves its entries in any state. They are freed as others are, and no ticket
// names an entry that came later at its place, so the ring is whole again when the last of them is freed.

/** Bytes of a ring: sixteen batches of 64 commits of 256 KiB. Pages are touched only when used. */
export const RING_BYTES = 256 * 1024

const HEADER_BYTES = 16
/** Entries begin at multiples of this, so that their headers are words. */
const ALIGNMENT = 8
/** Sequence numbers are below this: with places of 32 bits a ticket is a whole number that doubles hold. */
const SEQUENCES = 2 ** 20

/** States of an entry, as the main thread and a thread in turns set them. */
const WRITTEN = 1
const TAKEN = 2
const ANSWERED = 3
const FREE = 0

/** The words of a header. */
const SEQUENCE = 1
const ROOM = 2
const LENGTH = 3

/** Names an entry: its place times SEQUENCES, plus its sequence number. */
export type RingTicket = number

/** What both ends do with an entry. */
class RingEntries {
  readonly #bytes: Uint8Array
  readonly #words: Int32Array

  constructor(buffer: SharedArrayBuffer) {
    this.#bytes = new Uint8Array(buffer)
    this.#words = new Int32Array(buffer)
  }

  /** First word of the entry's header; throws RangeError for what is not the entry of that ticket in that state. */
  header(ticket: RingTicket, state: number): number {
    const at = Math.floor(ticket / SEQUENCES) / 4
    if (Atomics.load(this.#words, at) !== state || this.#words[at + SEQUENCE] !== ticket % SEQUENCES)
      throw new RangeError('a batch is not where its ticket says')
    return at
  }

  /** Makes an entry in the state WRITTEN. */
  make(ticket: RingTicket, room: number, batch: Uint8Array): void {
    const at = Math.floor(ticket / SEQUENCES) / 4
    this.#words[at + SEQUENCE] = ticket % SEQUENCES
    this.#words[at + ROOM] = room
    this.fill(at, batch, WRITTEN)
  }

  /** Puts bytes into an entry's room. */
  fill(at: number, bytes: Uint8Array, state: number): void {
    this.#bytes.set(bytes, at * 4 + HEADER_BYTES)
    this.#words[at + LENGTH] = bytes.length
    this.mark(at, state)
  }

  /** A copy of an entry's bytes in memory of their own: what is unpacked from it may outlive the entry. */
  copy(at: number): Uint8Array {
    const first = at * 4 + HEADER_BYTES
    return this.#bytes.slice(first, first + (this.#words[at + LENGTH] ?? 0))
  }

  room(at: number): number {
    return this.#words[at + ROOM] ?? 0
  }

  mark(at: number, state: number): void {
    Atomics.store(this.#words, at, state)
  }
}

interface Place {
  readonly ticket: RingTicket
  /** First byte of its header, and the byte behind its room. */
  readonly from: number
  readonly to: number
  isFree: boolean
}

/** The main thread's end: put(), then answer() when a thread has answered with the ticket, then free(). */
export class BatchRing {
  readonly buffer: SharedArrayBuffer
  readonly #entries: RingEntries
  /** Oldest first. */
  readonly #places: Place[] = []
  #sequence = 0

  /** A ring of `bytes`, a multiple of 8. */
  constructor(bytes: number = RING_BYTES) {
    this.buffer = new SharedArrayBuffer(bytes)
    this.#entries = new RingEntries(this.buffer)
  }

  /** Entries that are not freed, and freed ones behind an older one that is not. */
  get entries(): number {
    return this.#places.length
  }

  /** Copies a packed batch in; its results may have `answerBytes`. Null when there is no room. */
  put(batch: Uint8Array, answerBytes: number): RingTicket | null {
    const size = Math.ceil((HEADER_BYTES + Math.max(batch.length, answerBytes)) / ALIGNMENT) * ALIGNMENT
    const from = this.#placeFor(size)
    if (from === null) return null
    this.#sequence = (this.#sequence + 1) % SEQUENCES
    const ticket = from * SEQUENCES + this.#sequence
    this.#places.push({ ticket, from, to: from + size, isFree: false })
    this.#entries.make(ticket, size - HEADER_BYTES, batch)
    return ticket
  }

  /** The packed results of an entry; throws RangeError when no thread has answered there. */
  answer(ticket: RingTicket): Uint8Array {
    return this.#entries.copy(this.#entries.header(ticket, ANSWERED))
  }

  /** Gives an entry back, whatever its state. Only when no thread works on it any more; again: nothing. */
  free(ticket: RingTicket): void {
    const place = this.#places.find(one => one.ticket === ticket)
    if (place === undefined) return
    place.isFree = true
    this.#entries.mark(place.from / 4, FREE)
    while (this.#places[0]?.isFree === true) this.#places.shift()
  }

  /** First byte for an entry of so many, behind the newest one or, where that is too near to the end, at the start. */
  #placeFor(size: number): number | null {
    const oldest = this.#places[0]?.from ?? 0
    const newest = this.#places.at(-1)?.to ?? 0
    if (this.#places.length > 0 && newest <= oldest) return newest + size <= oldest ? newest : null
    if (newest + size <= this.buffer.byteLength) return newest
    return size <= oldest ? 0 : null
  }
}

/** A thread's end: take() what a ticket names, then give() the results. */
export class RingEnd {
  readonly #entries: RingEntries

  constructor(buffer: SharedArrayBuffer) {
    this.#entries = new RingEntries(buffer)
  }

  /** The packed batch. Throws RangeError when there is none, or it was taken before. */
  take(ticket: RingTicket): Uint8Array {
    const at = this.#entries.header(ticket, WRITTEN)
    this.#entries.mark(at, TAKEN)
    return this.#entries.copy(at)
  }

  /** Answers with packed results. False when they have no room there. */
  give(ticket: RingTicket, results: Uint8Array): boolean {
    const at = this.#entries.header(ticket, TAKEN)
    if (results.length > this.#entries.room(at)) return false
    this.#entries.fill(at, results, ANSWERED)
    return true
  }
}
