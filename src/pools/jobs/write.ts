// Job blocks.write: positioned vector writes of arena segments into files. Bytes over padding spans are dropped.
// Invariant: nothing is written to a file that no longer has a name (it was deleted while its descriptor was open).

import { fstatSync, writevSync } from 'node:fs'
import { MAX_WRITE_BUFFERS } from '../contract/limits.ts'
import type { Source, Span, WriteReply, WriteRequest } from '../contract/jobs.ts'
import { JobFailure, onDescriptor } from './failure.ts'
import { type ArenaBytes, forEachSegment } from './segments.ts'

/** Runs the job. Throws JobFailure with the errno, or `GONE`. */
export function writeBlocks(arenas: ArenaBytes, request: WriteRequest): WriteReply {
  return { written: writeSpans(arenas, request, request.spans) }
}

/** Writes the stream of segments to the spans; both describe the same bytes. Returns the bytes written to files. */
export function writeSpans(arenas: ArenaBytes, source: Source, spans: readonly Span[]): number {
  const pieces: Uint8Array[] = []
  forEachSegment(arenas, source, bytes => pieces.push(bytes))
  checkLengths(pieces, spans)
  let written = 0
  let at = 0
  for (const span of spans) {
    const buffers: Uint8Array[] = []
    let left = span.length
    while (left > 0) {
      const bytes = pieces[at] as Uint8Array
      if (bytes.length <= left) {
        buffers.push(bytes)
        at++
      } else {
        buffers.push(bytes.subarray(0, left))
        pieces[at] = bytes.subarray(left)
      }
      left -= Math.min(left, bytes.length)
    }
    if (span.fd < 0 || span.length === 0) continue
    checkStillNamed(span.fd)
    writeAll(span.fd, buffers, span.position)
    written += span.length
  }
  return written
}

function checkLengths(pieces: readonly Uint8Array[], spans: readonly Span[]): void {
  const have = pieces.reduce((sum, bytes) => sum + bytes.length, 0)
  const want = spans.reduce((sum, span) => sum + span.length, 0)
  if (have !== want) throw new RangeError(`${have} bytes for ${want} bytes of files`)
}

function checkStillNamed(fd: number): void {
  if (onDescriptor(fd, () => fstatSync(fd)).nlink === 0) throw new JobFailure('GONE', 'the file was deleted', fd)
}

/** Writes all of `buffers` from `position` on, however few bytes a call takes. */
function writeAll(fd: number, buffers: Uint8Array[], position: number): void {
  let from = 0
  let at = position
  while (from < buffers.length) {
    const part = buffers.slice(from, from + MAX_WRITE_BUFFERS)
    let taken = onDescriptor(fd, () => writevSync(fd, part, at))
    if (taken === 0) throw new JobFailure('EIO', 'the disk takes no more bytes', fd)
    at += taken
    while (from < buffers.length && taken >= (buffers[from] as Uint8Array).length)
      taken -= (buffers[from++] as Uint8Array).length
    if (taken > 0) buffers[from] = (buffers[from] as Uint8Array).subarray(taken)
  }
}
