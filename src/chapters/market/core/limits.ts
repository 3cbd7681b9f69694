// Limits that several parts of the market keep to, each with its reason; others stand where they act. The longest that
// an order stands: MAX_TIMEOUT_S of src/chapters/market/wire/order-codec.ts.

export { MAX_TIMEOUT_S } from '../wire/order-codec.ts'

/** An order whose time is so far ahead of our clock is refused: clocks differ. Milliseconds. */
export const MAX_AHEAD_MS = 10_000
/** A proposal that nobody answered, and what it reserves, ends after so long. Milliseconds. */
export const PROPOSAL_MS = 30_000
/** Orders of one trader in the book, closed ones included until their time has passed. */
export const MAX_ORDERS_OF_TRADER = 1_000

/** Own orders whose time is not over, ended ones too: every book must have room for them. */
export const MAX_ORDERS_IN_TIME = MAX_ORDERS_OF_TRADER - 50
/** Trades of one own order: each is a file. */
export const MAX_TRADES_OF_ORDER = 500

/**
 * Swaps under way with one trader, and in all: what others may pin of ours; the engine of swaps has room for a few
 * more.
 */
export const MAX_SWAPS_OF_TRADER = 8
/** Swaps under way in all. */
export const MAX_SWAPS = 48
