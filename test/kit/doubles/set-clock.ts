// A wall clock that shows the time a test sets.

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
