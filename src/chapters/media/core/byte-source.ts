// What a film is read from: ranges of one file, as far as its bytes are there. Reading is synchronous, because the
// readers run in a thread of their own that may wait.

/** Bytes from `start` up to `end`, which is not in it. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A file that is read by ranges. */
export interface ByteSource {
  /** Length of the file, bytes. */
  readonly size: number
  /**
   * The bytes of a range, which lies in the file. The caller must not write to them. Throws NotHere, OverBudget or
   * ReadFailed.
   */
  read(start: number, end: number): Uint8Array
}

/** Bytes that are wanted have not been downloaded yet. */
export class NotHere extends Error {
  /** All that is wanted now; a part of it may be there. */
  readonly range: ByteRange

  constructor(range: ByteRange) {
    super(`bytes ${range.start} to ${range.end} are not there yet`)
    this.name = 'NotHere'
    this.range = range
  }
}

/** More would have to be read than facts are worth. */
export class OverBudget extends Error {
  constructor(budget: number) {
    super(`it would take more than ${budget} bytes`)
    this.name = 'OverBudget'
  }
}

/** The bytes are there, and could not be read: the disk's fault, or that of a volume that does not answer. */
export class ReadFailed extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'ReadFailed'
  }
}
