// Makes segments when a test says so.

import { AppError } from '../../../../src/base/errors.ts'
import type { SegmentJob, SegmentOutcome } from '../../../../src/chapters/hls/convert/thread-messages.ts'
import type { SegmentMaker } from '../../../../src/chapters/hls/ports/segment-maker.ts'
import type { ReadableFilm } from '../../../../src/chapters/media/ports/film-reader.ts'

/** A maker of segments. */
export class HeldMaker implements SegmentMaker {
  /** Segments that are being made, and all that were begun. */
  active = 0
  begun = 0
  stopped = false
  warmed = 0
  /** What comes of each; awaited. */
  outcome: (job: SegmentJob, film: ReadableFilm) => Promise<SegmentOutcome> = async () => ({
    kind: 'made',
    bytes: Uint8Array.of(1),
  })

  async make(job: SegmentJob, film: ReadableFilm, signal: AbortSignal): Promise<SegmentOutcome> {
    this.active += 1
    this.begun += 1
    const left = new AbortController()
    try {
      return await Promise.race([this.outcome(job, film), goneBy(signal, left.signal)])
    } finally {
      left.abort()
      this.active -= 1
    }
  }

  warm(): void {
    this.warmed += 1
  }

  async stop(): Promise<void> {
    this.stopped = true
  }
}

/** Rejects when `signal` fires, before `over` does. */
function goneBy(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const gone = (): void => reject(new AppError('Aborted'))
    if (signal.aborted) return gone()
    signal.addEventListener('abort', gone, { once: true, signal: over })
  })
}
