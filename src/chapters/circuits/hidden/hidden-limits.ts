// Times that several parts of hidden services keep to; others, and bounds, stand where they act. Those of the network's
// protocol say its section; the others are ours, so that nothing grows.

/** A failed introduction point is replaced after this. */
export const INTRODUCTION_RETRY_MS = 1_000
/** That time is doubled with each failure, up to this. */
export const MAX_INTRODUCTION_RETRY_MS = 30_000
