// Long JSON answers while they are made: how many at once, how long one may become, how much all hold. A client that
// goes ends the work on its answer. Invariant: nothing is sent before all is made, so that whatever fails on the way is
// a whole error answer.

import { AppError } from '../../base/errors.ts'
import { jsonInTurns } from '../json-in-turns.ts'
import type { ListedJson } from '../route.ts'
import type { Reply, ReplyShare } from './reply.ts'

/**
 * Answers being made at a time: all share one thread, and each may hold the metadata of one torrent beside its bytes.
 */
const MAX_MAKING = 2
/** Requests that wait for a place. */
const MAX_QUEUED = 256
/** One answer: the files of the largest torrent fit. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** All of a server. */
export class LongAnswers {
  readonly #share: ReplyShare
  readonly #queue = new Set<() => void>()
  #making = 0

  constructor(share: ReplyShare) {
    this.#share = share
  }

  /**
   * Makes the answer and has it sent. AppErrors TooManyRequests, InvalidParameter when it becomes too long; rejects
   * with what its values throw.
   */
  async answer(
    reply: Reply,
    { frame, values }: ListedJson,
    send: (parts: readonly Uint8Array[]) => void | Promise<void>,
  ): Promise<void> {
    await this.#place(reply)
    try {
      // The place is kept while it is compressed: what it holds then is bounded by the places.
      await send(await this.#make(reply, frame, values))
    } finally {
      this.#leave()
    }
  }

  async #make(reply: Reply, frame: ListedJson['frame'], values: ListedJson['values']): Promise<readonly Uint8Array[]> {
    const parts: Uint8Array[] = []
    let bytes = 0
    const take = (part: Uint8Array): void => {
      this.#checkRoom(bytes, part.length)
      parts.push(part)
      bytes += part.length
      this.#share.makingBytes += part.length
    }
    try {
      reply.signal.throwIfAborted()
      await jsonInTurns(frame, await values(), take, reply.signal)
    } finally {
      this.#share.makingBytes -= bytes
    }
    return parts
  }

  #checkRoom(before: number, more: number): void {
    if (before + more > MAX_ANSWER_BYTES) {
      throw new AppError(
        'InvalidParameter',
        `The answer is longer than ${MAX_ANSWER_BYTES} bytes; ask for fewer parts.`,
      )
    }
    if (!this.#share.hasRoom(more)) throw new AppError('TooManyRequests', 'Too many long answers are under way.')
  }

  /** Settles when the answer may be made, or its client has gone. */
  #place(reply: Reply): undefined | Promise<void> {
    if (this.#making < MAX_MAKING) {
      this.#making += 1
      return undefined
    }
    if (this.#queue.size >= MAX_QUEUED) throw new AppError('TooManyRequests')
    return new Promise((resolve, reject) => {
      this.#queue.add(resolve)
      reply.onAbort(() => {
        if (this.#queue.delete(resolve)) reject(new AppError('Aborted'))
      })
    })
  }

  /** The place goes to the answer that waited longest. */
  #leave(): void {
    for (const next of this.#queue) {
      this.#queue.delete(next)
      next()
      return
    }
    this.#making -= 1
  }
}
