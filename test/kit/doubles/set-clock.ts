// A wall clock that stands where a test puts it.

/** Milliseconds since 1970. */
export class SetClock {
  ms: number

  constructor(ms = 1_000_000) {
    this.ms = ms
  }

  wallMs(): number {
    return this.ms
  }
}
