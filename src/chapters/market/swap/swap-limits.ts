// Bounds and times of the machine of swaps, each with its reason.

/** Swaps that run at a time: each asks two servers again and again. */
export const MAX_RUNNING = 64
/** Halves that wait for their agreement; one more takes the place of the oldest. */
export const MAX_PREPARED = 64
/** Swaps that ended and are still shown; the oldest go first. */
export const MAX_ENDED = 1_000
/** What ended is shown for so long, ms: 90 days. */
export const ENDED_MS = 90 * 86_400_000
/**
 * Claims and refunds that are kept, each: one for each step of fees, and some that were made anew. The oldest go first.
 */
export const MAX_VERSIONS = 16
/** Sweeps of one deposit that are made anew. */
export const MAX_SWEEPS = 8
/** Characters of a journal: 50 transactions of 4 KiB in hexadecimal, sealed, are less. */
export const MAX_JOURNAL_CHARS = 1_048_576

/**
 * Blocks by which a transaction must be deeper than those that count before its swap is let alone and its keys are
 * forgotten: reorganisations.
 */
export const DEEPER_BLOCKS = 6
/** Blocks before the beginning of a swap in which its contracts are looked for too. */
export const BEFORE_BLOCKS = 12
/** A swap whose outcome is there is watched for no longer than this, seconds: a week after its last lock. */
export const WATCH_S = 7 * 86_400
/** Heights rise no faster than this many blocks, and ten times the pace: faster is not believed. */
export const SUDDEN_BLOCKS = 100
/** Heights that rise faster than this many times the pace are not believed. */
export const SUDDEN_PACE = 10

/** Looks at the chains: so many in the time of a block, but at least and at most so often, ms. */
export const POLLS_PER_BLOCK = 4
/** The shortest wait between two looks at the chains, ms. */
export const LEAST_POLL_MS = 500
/** The longest wait between two looks at the chains, ms. */
export const MOST_POLL_MS = 60_000
/** Failures double the wait, so many times, up to this, ms. */
export const MAX_DOUBLINGS = 6
/** The longest wait after failures, ms. */
export const MOST_RETRY_MS = 300_000
/** Steps without a wait between them; more is a fault, and waits. */
export const MAX_STEPS_AT_ONCE = 64
