// Waiting for a condition with a limit: what tests do instead of sleeping.

/** Pause between two looks, ms: the machine belongs to what is being watched. */
const PACE_MS = 20

/**
 * Looks until `look` answers something other than undefined, null or false, and resolves with it. Rejects after
 * `limitMs`, naming `what` and, when given, what `describe` says of the last state.
 */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = 30_000,
  describe: () => unknown = () => '',
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + limitMs
  for (;;) {
    const value = await look()
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what} ${JSON.stringify(describe())}`)
    await new Promise(resolve => setTimeout(resolve, PACE_MS))
  }
}
