// Answers of the overlay of channels in parts that fit into datagrams: numbered items, each whole in one part where it
// fits, so that a lost part costs the items in it and nothing else. What comes is put together in bounded memory, in
// any order.

import type { PayloadOf } from '../../overlay/wire/message.ts'
import { ANSWER_STATE, type answerPart } from './channel-messages.ts'

/** Values of one part. */
export type AnswerPart = PayloadOf<typeof answerPart>
type Piece = AnswerPart['pieces'][number]

/** Most bytes of pieces in a part, their heads counted: with the packet's head about 1,200. */
export const MAX_PART_BYTES = 1160
/** Most parts of an answer. */
export const MAX_PARTS = 64
/** Most items of an answer. */
export const MAX_ITEMS = 255
/** Longest item: a record's longest encoding and a tag. */
export const MAX_ITEM_BYTES = 8193
/** Bytes before the data of a piece. */
const PIECE_HEAD_BYTES = 7

/** An answer without items. */
export function emptyAnswer(identifier: number, state: number): AnswerPart {
  return { identifier, part: 0, parts: 1, state, pieces: [] }
}

/** The parts of an answer. Items that do not fit any more are left out; `null` means an item that is not there. */
export function partsOf(identifier: number, items: readonly (Uint8Array | null)[]): AnswerPart[] {
  const packed = new PackedPieces()
  for (const [item, bytes] of items.entries()) {
    if (item >= MAX_ITEMS) break
    if (bytes !== null && bytes.length <= MAX_ITEM_BYTES) packed.add(item, bytes)
  }
  const lists = packed.lists
  return lists.map((pieces, part) => ({ identifier, part, parts: lists.length, state: ANSWER_STATE.items, pieces }))
}

class PackedPieces {
  readonly lists: Piece[][] = [[]]
  #left = MAX_PART_BYTES

  add(item: number, bytes: Uint8Array): void {
    const whole = PIECE_HEAD_BYTES + bytes.length
    const fresh = MAX_PART_BYTES - PIECE_HEAD_BYTES
    const parts = whole <= this.#left ? 0 : Math.ceil(bytes.length / fresh)
    if (this.lists.length + parts > MAX_PARTS) return
    if (whole > this.#left) this.#next()
    let offset = 0
    do {
      if (offset > 0) this.#next()
      const data = bytes.subarray(offset, offset + fresh)
      this.lists.at(-1)?.push({ item, offset, length: bytes.length, data })
      this.#left -= PIECE_HEAD_BYTES + data.length
      offset += data.length
    } while (offset < bytes.length)
  }

  #next(): void {
    if (this.lists.at(-1)?.length !== 0) this.lists.push([])
    this.#left = MAX_PART_BYTES
  }
}

interface Growing {
  readonly bytes: Uint8Array
  readonly offsets: Set<number>
  filled: number
}

/** An answer that comes in. Invariant: it takes no more memory than the items that were asked for may have. */
export class ComingAnswer {
  readonly #mostItems: number
  readonly #seen = new Set<number>()
  readonly #growing = new Map<number, Growing>()
  /** Items that are whole, by number. */
  readonly items = new Map<number, Uint8Array>()
  #parts = 0
  #state: number = ANSWER_STATE.items

  /** `mostItems`: numbers of items go below this. */
  constructor(mostItems: number) {
    this.#mostItems = Math.min(mostItems, MAX_ITEMS)
  }

  /** See ANSWER_STATE. */
  get state(): number {
    return this.#state
  }

  /** A part came. */
  get begun(): boolean {
    return this.#parts > 0
  }

  /** All parts came. */
  get complete(): boolean {
    return this.#parts > 0 && this.#seen.size === this.#parts
  }

  /** Takes a part; false: it does not fit what came before, and nothing is kept of it. */
  add({ part, parts, state, pieces }: AnswerPart): boolean {
    if (parts === 0 || parts > MAX_PARTS || part >= parts || (this.#parts !== 0 && parts !== this.#parts)) return false
    if (this.#seen.has(part) || pieces.some(piece => !this.#fits(piece))) return false
    this.#parts = parts
    this.#state = state
    this.#seen.add(part)
    for (const piece of pieces) this.#take(piece)
    return true
  }

  #fits({ item, offset, length, data }: Piece): boolean {
    if (item >= this.#mostItems || length > MAX_ITEM_BYTES || offset + data.length > length) return false
    if (data.length === 0 && length > 0) return false
    const known = this.#growing.get(item)
    return !this.items.has(item) && (known === undefined || known.bytes.length === length)
  }

  #take({ item, offset, length, data }: Piece): void {
    if (this.items.has(item)) return
    const growing = this.#growing.get(item) ?? { bytes: new Uint8Array(length), offsets: new Set<number>(), filled: 0 }
    if (growing.offsets.has(offset)) return
    growing.bytes.set(data, offset)
    growing.offsets.add(offset)
    growing.filled += data.length
    if (growing.filled < length) this.#growing.set(item, growing)
    else {
      this.#growing.delete(item)
      this.items.set(item, growing.bytes)
    }
  }
}
