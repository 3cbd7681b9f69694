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

/** What one span gets: its buffers in order, together as long as the span. */
export interface SpanWrite {
  readonly fd: number
  readonly position: number
  readonly length: number
  readonly buffers: readonly Uint8Array[]
}

/** Writes the stream of segments to the spans; both describe the same bytes. Returns the bytes written to files. */
export function writeSpans(arenas: ArenaBytes, source: Source, spans: readonly Span[]): number {
  let written = 0
  for (const { fd, position, length, buffers } of spanWrites(arenas, source, spans)) {
    checkStillNamed(fd)
    writeAll(fd, buffers, position)
    written += length
  }
  return written
}

/**
 * Cuts the stream of segments into what each span gets; padding gets nothing. Throws RangeError when lengths differ.
 */
export function spanWrites(arenas: ArenaBytes, source: Source, spans: readonly Span[]): SpanWrite[] {
  const pieces: Uint8Array[] = []
  forEachSegment(arenas, source, bytes => pieces.push(bytes))
  checkLengths(pieces, spans)
  const writes: SpanWrite[] = []
  let at = 0
  for (const { fd, position, length } of spans) {
    const buffers: Uint8Array[] = []
    let left = length
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
    if (fd >= 0 && length > 0) writes.push({ fd, position, length, buffers })
  }
  return writes
}

function checkLengths(pieces: readonly Uint8Array[], spans: readonly Span[]): void {
  const have = pieces.reduce((sum, bytes) => sum + bytes.length, 0)
  const want = spans.reduce((sum, span) => sum + span.length, 0)
  if (have !== want) throw new RangeError(`${have} bytes for ${want} bytes of files`)
}

function checkStillNamed(fd: number): void {
  checkLinks(
    fd,
    onDescriptor(fd, () => fstatSync(fd)),
  )
}

/** Throws JobFailure `GONE` when the file has no name any more. */
export function checkLinks(fd: number, { nlink }: { readonly nlink: number }): void {
  if (nlink === 0) throw new JobFailure('GONE', 'the file was deleted', fd)
}

/** Writes all of `buffers` from `position` on, however few bytes a call takes. */
function writeAll(fd: number, buffers: readonly Uint8Array[], position: number): void {
  let left = buffers
  let at = position
  while (left.length > 0) {
    const part = left.slice(0, MAX_WRITE_BUFFERS)
    const taken = onDescriptor(fd, () => writevSync(fd, part, at))
    left = afterWrite(fd, left, taken)
    at += taken
  }
}

/** What is left of `buffers` when a call took `taken` bytes. Throws JobFailure when it took none. */
export function afterWrite(fd: number, buffers: readonly Uint8Array[], taken: number): readonly Uint8Array[] {
  if (taken === 0) throw new JobFailure('EIO', 'the disk takes no more bytes', fd)
  let from = 0
  let left = taken
  while (from < buffers.length && left >= (buffers[from] as Uint8Array).length)
    left -= (buffers[from++] as Uint8Array).length
  const rest = buffers.slice(from)
  if (left > 0) rest[0] = (rest[0] as Uint8Array).subarray(left)
  return rest
}
