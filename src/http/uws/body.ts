// Collects a request body up to its limit. What comes after the limit is thrown away, not kept, and the client gets the
// error when it has finished sending: a connection cut in mid-upload would lose the answer.

import { AppError } from '../../base/errors.ts'
import type { Reply } from './reply.ts'

/** Bytes of bodies held at once in all requests together. */
const MAX_HELD_BYTES = 64 * 1024 * 1024
/** A body beyond this is not even read to its end. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/** Bytes that all bodies of a server hold now. */
export class BodyShare {
  heldBytes = 0
}

interface Collected {
  readonly chunks: Buffer[]
  size: number
  failure: AppError | null
}

/**
 * The body of the reply's request, of at most `limit` bytes; must be called before the native handler returns. Rejects
 * with AppError BodyTooLarge, TooManyRequests, or Aborted when the client goes away.
 */
export function collectBody(reply: Reply, share: BodyShare, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body: Collected = { chunks: [], size: 0, failure: null }
    let held = 0
    const settle = (settled: () => void) => {
      share.heldBytes -= held
      held = 0
      body.chunks.length = 0
      settled()
    }
    reply.onAbort(() => settle(() => reject(new AppError('Aborted'))))
    reply.res.onData((chunk, isLast) => {
      if (!reply.alive) return
      const kept = takeChunk(body, chunk, share, limit)
      held += kept
      share.heldBytes += kept
      const { failure } = body
      if (failure !== null && (isLast || body.size > MAX_DISCARDED_BYTES)) return settle(() => reject(failure))
      if (isLast) {
        const whole = Buffer.concat(body.chunks)
        settle(() => resolve(whole))
      }
    })
  })
}

// The chunk is only valid during the call, so it is copied. Answers how many bytes are held now that were not before.
function takeChunk(body: Collected, chunk: ArrayBuffer, share: BodyShare, limit: number): number {
  body.size += chunk.byteLength
  if (body.failure !== null) return 0
  if (body.size > limit) body.failure = new AppError('BodyTooLarge', `The request body is larger than ${limit} bytes.`)
  else if (share.heldBytes + chunk.byteLength > MAX_HELD_BYTES) body.failure = new AppError('TooManyRequests')
  if (body.failure !== null) {
    body.chunks.length = 0
    return 0
  }
  body.chunks.push(Buffer.from(chunk.slice(0)))
  return chunk.byteLength
}
