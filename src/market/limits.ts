// Limits of the market, each with its reason. The longest that an order stands: MAX_TIMEOUT_S of src/wire/market/order-codec.ts.

export { MAX_TIMEOUT_S } from '../wire/market/order-codec.ts'

/** An order whose time is so far ahead of our clock is refused: clocks differ. Milliseconds. */
export const MAX_AHEAD_MS = 10_000
/** What an order stands for when nobody says, seconds (decisions part 4). */
export const DEFAULT_TIMEOUT_S = 3_600
/** A proposal that nobody answered, and what it reserves, ends after so long. Milliseconds. */
export const PROPOSAL_MS = 30_000
/** Orders of which a book keeps something: about 1.5 KiB each. */
export const MAX_ORDERS = 200_000
/** Of one trader, closed ones included until their time has passed. */
export const MAX_ORDERS_OF_TRADER = 1_000
/** What is over is kept for so long, for others whose clocks are behind. Milliseconds. */
export const BOOK_SLACK_MS = 60_000
