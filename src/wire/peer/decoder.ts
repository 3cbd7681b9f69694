// Cuts a peer's byte stream into messages. Block payload is copied straight from the chunk to where the sink wants it;
// a message that lies whole in one chunk is read in place; only one that is cut by a chunk's end is gathered.
// The handshake is not read here. Invariant: memory held is at most one message of maxMessageBytes, and grows with what
// has really come, never with what a length announces.

import { DecodeError } from '../../base/errors.ts'
import { MAX_METAINFO_BYTES } from '../metainfo/metainfo-length.ts'
import { copyBytes } from './copy-bytes.ts'
import { decodeMessageBody, KEEP_ALIVE, PIECE_HEAD_BYTES, PIECE_ID, type PeerMessage, readUint32 } from './messages.ts'

/** Where decoded messages go. Calls are synchronous, in the order of the wire; what they throw leaves push(). */
export interface MessageSink {
  /** Any message but `piece`. Views in it are valid only during the call. */
  message(message: PeerMessage): void
}

/** Where a decoder brings blocks. */
export interface BlockSink {
  /** A block begins: where its `length` bytes go (at least that long), or null to pass over them. */
  blockStart(piece: number, begin: number, length: number): Uint8Array | null
  /** The block's last byte has come; `stored` tells whether it went to the target. */
  blockEnd(piece: number, begin: number, length: number, stored: boolean): void
}

/** The block whose payload is coming in. */
export interface BlockInProgress {
  readonly piece: number
  readonly begin: number
  readonly length: number
  /** Bytes of the payload that have come. */
  readonly received: number
}

/**
 * Smallest limit that lets every message but large bitfields through: blocks and metadata pieces of 16 KiB, handshakes.
 */
const MIN_MESSAGE_BYTES = 64 * 1024

/** Most pieces a torrent has: a metainfo file holds no more hashes of 20 bytes. */
const MOST_PIECES = MAX_METAINFO_BYTES / 20

/** The maxMessageBytes for a torrent of `pieceCount` pieces (null: not known yet): room for its bitfield. */
export function messageLimit(pieceCount: number | null): number {
  return Math.max(MIN_MESSAGE_BYTES, 1 + Math.ceil((pieceCount ?? MOST_PIECES) / 8))
}

const NOTHING = new Uint8Array(0)
const FIRST_GATHER_BYTES = 256

/** The decoder of one connection. */
export class PeerDecoder {
  readonly #sink: MessageSink
  readonly #blocks: BlockSink
  readonly #maxMessageBytes: number
  #stopped = false
  // A message cut by the end of a chunk: #gathered bytes of it, from its length field on.
  #gather: Uint8Array = NOTHING
  #gathered = 0
  // The block that is coming in; #blockLeft is 0 when none is.
  #target: Uint8Array | null = null
  #piece = 0
  #begin = 0
  #blockLength = 0
  #blockLeft = 0

  constructor(sink: MessageSink, blocks: BlockSink, options: { maxMessageBytes: number }) {
    this.#sink = sink
    this.#blocks = blocks
    this.#maxMessageBytes = options.maxMessageBytes
  }

  /** The block whose payload is coming in, or null between messages. */
  get blockInProgress(): BlockInProgress | null {
    if (this.#blockLeft === 0) return null
    const received = this.#blockLength - this.#blockLeft
    return { piece: this.#piece, begin: this.#begin, length: this.#blockLength, received }
  }

  /** Forgets the target of the block in progress: the rest is passed over, blockEnd says `stored` false. */
  dropBlock(): void {
    this.#target = null
  }

  /** Ends decoding: what is left of the present chunk, and all later ones, is ignored. May be called by the sink. */
  stop(): void {
    this.#stopped = true
    this.#target = null
    this.#gather = NOTHING
  }

  /**
   * Takes the next bytes of the stream and calls the sink for what they complete.
   * Throws DecodeError for bytes that are no peer wire; the decoder has then stopped.
   */
  push(chunk: Uint8Array): void {
    let at = 0
    try {
      while (at < chunk.length && !this.#stopped) {
        if (this.#blockLeft > 0) at = this.#takeBlock(chunk, at)
        else if (this.#gathered > 0) at = this.#takeGathered(chunk, at)
        else at = this.#takeDirect(chunk, at)
      }
    } catch (error) {
      this.stop()
      throw error
    }
  }

  /** Reads one message in place, or begins to gather it; the offset after what was taken. */
  #takeDirect(chunk: Uint8Array, at: number): number {
    const available = chunk.length - at
    const needed = this.#needed(chunk, at, available)
    if (available >= needed) {
      this.#deliver(chunk, at)
      return at + needed
    }
    this.#append(chunk, at, chunk.length)
    return chunk.length
  }

  /** Adds to the gathered message until it can be read; the offset after what was taken. */
  #takeGathered(chunk: Uint8Array, start: number): number {
    let at = start
    let needed = this.#needed(this.#gather, 0, this.#gathered)
    while (this.#gathered < needed) {
      const end = Math.min(chunk.length, at + needed - this.#gathered)
      if (end === at) return at
      this.#append(chunk, at, end)
      at = end
      needed = this.#needed(this.#gather, 0, this.#gathered)
    }
    const whole = this.#gather
    this.#gathered = 0
    this.#gather = NOTHING
    this.#deliver(whole, 0)
    return at
  }

  /** Bytes, from the length field on, that must be there before more can be known of the message. */
  #needed(bytes: Uint8Array, at: number, available: number): number {
    if (available < 4) return 4
    const length = readUint32(bytes, at)
    if (length > this.#maxMessageBytes) throw new DecodeError(`peer message of ${length} bytes`)
    if (length === 0) return 4
    if (available < 5) return 5
    if (bytes[at + 4] !== PIECE_ID) return 4 + length
    if (length < PIECE_HEAD_BYTES - 4) throw new DecodeError('piece message without its head')
    return PIECE_HEAD_BYTES
  }

  #deliver(bytes: Uint8Array, at: number): void {
    const length = readUint32(bytes, at)
    if (length === 0) this.#sink.message(KEEP_ALIVE)
    else if (bytes[at + 4] === PIECE_ID) this.#startBlock(bytes, at, length - (PIECE_HEAD_BYTES - 4))
    else this.#sink.message(decodeMessageBody(bytes, at + 4, length))
  }

  #startBlock(bytes: Uint8Array, at: number, length: number): void {
    this.#piece = readUint32(bytes, at + 5)
    this.#begin = readUint32(bytes, at + 9)
    this.#blockLength = length
    const target = this.#blocks.blockStart(this.#piece, this.#begin, length)
    if (target !== null && target.length < length) throw new RangeError('block target is too small')
    if (this.#stopped) return
    this.#target = target
    this.#blockLeft = length
    if (length === 0) this.#endBlock()
  }

  #takeBlock(chunk: Uint8Array, at: number): number {
    const count = Math.min(this.#blockLeft, chunk.length - at)
    const part = at === 0 && count === chunk.length ? chunk : chunk.subarray(at, at + count)
    if (this.#target !== null) copyBytes(part, this.#target, this.#blockLength - this.#blockLeft)
    this.#blockLeft -= count
    if (this.#blockLeft === 0) this.#endBlock()
    return at + count
  }

  #endBlock(): void {
    const stored = this.#target !== null
    this.#target = null
    this.#blocks.blockEnd(this.#piece, this.#begin, this.#blockLength, stored)
  }

  #append(chunk: Uint8Array, from: number, to: number): void {
    const total = this.#gathered + to - from
    if (total > this.#gather.length) {
      const larger = new Uint8Array(Math.max(FIRST_GATHER_BYTES, total * 2))
      larger.set(this.#gather.subarray(0, this.#gathered))
      this.#gather = larger
    }
    this.#gather.set(chunk.subarray(from, to), this.#gathered)
    this.#gathered = total
  }
}
