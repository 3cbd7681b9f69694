// Job piece.hash: SHA-1 of a piece as it is on disk. Reads in chunks through one buffer a thread; holes read as zeroes.

import { createHash, type Hash } from 'node:crypto'
import { readSync } from 'node:fs'
import { HASH_CHUNK_BYTES } from '../contract/limits.ts'
import type { HashReply, HashRequest, Span } from '../contract/jobs.ts'
import { onDescriptor } from './failure.ts'
import { takeZeroes } from './segments.ts'

let chunk: Uint8Array | null = null

/** Runs the job. Throws JobFailure with the errno of a failed read. */
export function hashPiece(request: HashRequest): HashReply {
  const hash = createHash('sha1')
  for (const span of request.spans) {
    if (span.fd < 0) takeZeroes(span.length, bytes => hash.update(bytes))
    else if (!hashSpan(hash, span)) return { verdict: 'missing' }
  }
  return { verdict: hash.digest().equals(request.hash) ? 'ok' : 'bad-hash' }
}

/** False when the file ends before the span does. */
function hashSpan(hash: Hash, { fd, position, length }: Span): boolean {
  const buffer = (chunk ??= new Uint8Array(HASH_CHUNK_BYTES))
  let done = 0
  while (done < length) {
    const want = Math.min(length - done, buffer.length)
    const got = onDescriptor(fd, () => readSync(fd, buffer, 0, want, position + done))
    if (got === 0) return false
    hash.update(buffer.subarray(0, got))
    done += got
  }
  return true
}
