// The spans of a job as one stream of bytes that can be read anywhere. Padding reads as zeroes. Reads from the disk and
// waits for it: for worker threads.

import { readSync } from 'node:fs'
import type { Span } from '../contract/jobs.ts'
import { onDescriptor } from './failure.ts'

/** The spans of a job as one stream of bytes. */
export class SpanReader {
  /** Bytes of the stream. */
  readonly length: number
  readonly #spans: readonly Span[]
  /** Where each span begins in the stream. */
  readonly #starts: readonly number[]

  constructor(spans: readonly Span[]) {
    const starts: number[] = []
    let at = 0
    for (const { length } of spans) {
      starts.push(at)
      at += length
    }
    this.#spans = spans
    this.#starts = starts
    this.length = at
  }

  /**
   * Fills `target` with the bytes from `position` on, all of them within the stream; the descriptor of a file that ends
   * before its span does, null = all are there. Throws JobFailure with the errno of a failed read.
   */
  fill(target: Uint8Array, position: number): number | null {
    for (let done = 0; done < target.length; ) {
      const index = this.#spanAt(position + done)
      const span = this.#spans[index] as Span
      const inside = position + done - (this.#starts[index] as number)
      const count = Math.min(target.length - done, span.length - inside)
      if (span.fd < 0) target.fill(0, done, done + count)
      else if (!readAll(target, { at: done, count }, span, inside)) return span.fd
      done += count
    }
    return null
  }

  /** Calls `take` with each part of a file between two positions of the stream. */
  files(from: number, to: number, take: (fd: number, position: number, length: number) => void): void {
    for (const [i, { fd, position, length }] of this.#spans.entries()) {
      const start = this.#starts[i] as number
      const [first, end] = [Math.max(from, start), Math.min(to, start + length)]
      if (fd >= 0 && end > first) take(fd, position + first - start, end - first)
    }
  }

  /** The last span that begins at or before a position and is not empty there. */
  #spanAt(position: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] as number) <= position) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Reads into part of `target`; false: the file ends before. */
function readAll(
  target: Uint8Array,
  { at, count }: { readonly at: number; readonly count: number },
  { fd, position }: Span,
  inside: number,
): boolean {
  for (let done = 0; done < count; ) {
    const got = onDescriptor(fd, () => readSync(fd, target, at + done, count - done, position + inside + done))
    if (got === 0) return false
    done += got
  }
  return true
}
