// Where a film goes on, and when it counts as watched. Pure.

/** Of its duration; what follows are credits. */
const WATCHED_PART = 0.9
/** What was left before this is begun again, ms. */
const BEGUN_MS = 10_000

/** Near its end; never of a length that nobody has said. */
export function isNearEnd(positionMs: number, durationMs: number | null): boolean {
  return durationMs !== null && durationMs > 0 && positionMs >= durationMs * WATCHED_PART
}

/** Milliseconds at which playing goes on; 0 = from the start. */
export function continueAtMs(positionMs: number, durationMs: number | null): number {
  return positionMs < BEGUN_MS || isNearEnd(positionMs, durationMs) ? 0 : positionMs
}
