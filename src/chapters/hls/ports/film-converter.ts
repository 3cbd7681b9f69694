// Another program that converts what the node cannot: picture and sound of one cut at a time.

import type { ProgramAbilities } from '../core/ffmpeg/codecs.ts'

/** What one conversion may take. */
export interface ConversionLimits {
  /** By the clock. */
  readonly wallMs: number
  /** By the processor, all threads together. */
  readonly cpuSeconds: number
  /** Addresses that it may have, KiB. */
  readonly memoryKib: number
}

/**
 * Why a conversion came to nothing: the part is at fault, or the program; it took longer than it may; or the machine
 * had no room for it, which passes.
 */
export type FailureKind = 'refused' | 'late' | 'busy'

/** A conversion that came to nothing; its message completes "its picture or sound cannot be converted: ...". */
export class ConversionFailed extends Error {
  readonly kind: FailureKind

  constructor(why: string, kind: FailureKind = 'refused') {
    super(why)
    this.name = 'ConversionFailed'
    this.kind = kind
  }
}

/** The program. */
export interface FilmConverter {
  /** Threads that a picture may have. */
  readonly threads: number
  /** What it can do here; looked at when it is first asked for. Never rejects. */
  abilities(): Promise<ProgramAbilities>
  /**
   * Runs it once, with these arguments and standard input; what it wrote, in memory that threads share: posting it
   * copies nothing. Rejects with ConversionFailed, and with
   * AppError Aborted at once when `signal` fires: it has been killed then.
   */
  convert(
    args: readonly string[],
    input: Uint8Array,
    limits: ConversionLimits,
    signal: AbortSignal,
  ): Promise<Uint8Array>
  /** Kills what runs, and settles when it has ended. */
  stop(): Promise<void>
}
