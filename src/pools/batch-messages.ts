// How the batches of one piscina travel: in a ring of shared memory, with a ticket as the message, or, where the ring
// has no room for them, as messages of their own.

import {
  type BatchCodec,
  type BatchMessage,
  makeBatchCodec,
  type PackedJob,
  type ResultBatch,
} from './contract/batch.ts'
import { BatchRing, RING_BYTES } from './contract/batch-ring.ts'
import { ownBytes } from './contract/packer.ts'

/** Packed results of a job as it usually ends, at most; longer ones (failures, hashes) may go as messages. */
const ANSWER_BYTES = 64

/** One ring and its packing; threads that use it get `buffer`. */
export class BatchMessages {
  readonly #codec: BatchCodec = makeBatchCodec()
  readonly #ring: BatchRing
  #outside = 0

  constructor(bytes: number = RING_BYTES) {
    this.#ring = new BatchRing(bytes)
  }

  /** The ring's memory. */
  get buffer(): SharedArrayBuffer {
    return this.#ring.buffer
  }

  /** Batches whose place in the ring is not free. */
  get entries(): number {
    return this.#ring.entries
  }

  /** Batches that had no room in the ring, since it was made. */
  get outside(): number {
    return this.#outside
  }

  /** What a thread is sent for a batch. */
  pack(jobs: readonly PackedJob[]): BatchMessage {
    const packed = this.#codec.encodeJobs({ jobs })
    const ticket = this.#ring.put(packed, ANSWER_BYTES * (1 + jobs.length))
    if (ticket !== null) return ticket
    this.#outside++
    return ownBytes(packed)
  }

  /** The results of a batch. Throws when they cannot be read. */
  unpack(answer: BatchMessage): ResultBatch {
    return this.#codec.decodeResults(typeof answer === 'number' ? this.#ring.answer(answer) : answer)
  }

  /** The batch has ended, and no thread works on it. */
  free(message: BatchMessage): void {
    if (typeof message === 'number') this.#ring.free(message)
  }
}
