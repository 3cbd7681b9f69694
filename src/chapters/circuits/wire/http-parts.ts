// Answers of web servers in parts (IPv8, section 10.2): an exit cuts them, the originator puts them together, in
// whatever order they come and within the bytes it is willing to take.

import { DecodeError } from '../../../base/errors.ts'
import type { httpResponse } from './circuit-messages.ts'
import type { PayloadOf } from '../../overlay/wire/message.ts'

/** Most bytes of one part. */
export const HTTP_PART_BYTES = 1400

type Part = PayloadOf<typeof httpResponse>

/** An answer cut into parts; an empty one is one empty part. Throws RangeError when it is too large. */
export function httpParts(identifier: number, answer: Uint8Array): Part[] {
  const total = Math.max(1, Math.ceil(answer.length / HTTP_PART_BYTES))
  if (total > 0xffff) throw new RangeError('too large an answer')
  return Array.from({ length: total }, (_, part) => ({
    identifier,
    part,
    total,
    data: answer.subarray(part * HTTP_PART_BYTES, (part + 1) * HTTP_PART_BYTES),
  }))
}

/** One answer on its way. */
export class HttpAnswer {
  readonly #mostBytes: number
  readonly #parts = new Map<number, Uint8Array>()
  #total = 0
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /**
   * Takes a part in (a copy); gives the whole answer once nothing is missing, else null. A part that came before is
   * passed over. Throws DecodeError when parts contradict each other or become too many bytes.
   */
  add({ part, total, data }: Part): Uint8Array | null {
    if (total === 0 || part >= total) throw new DecodeError('a part beyond the last')
    if (this.#total !== 0 && this.#total !== total) throw new DecodeError('parts of different answers')
    this.#total = total
    if (!this.#parts.has(part)) {
      this.#bytes += data.length
      // Empty parts count too: else they could be 65,535 entries for nothing.
      if (this.#bytes > this.#mostBytes || total > 1 + this.#mostBytes) throw new DecodeError('too large an answer')
      this.#parts.set(part, Uint8Array.from(data))
    }
    if (this.#parts.size < total) return null
    const ordered = Array.from({ length: total }, (_, i) => this.#parts.get(i) as Uint8Array)
    return Uint8Array.from(Buffer.concat(ordered))
  }
}
