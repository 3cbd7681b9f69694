// Limits of the market, each with its reason. The longest time of an order: MAX_TIMEOUT_S of
// src/chapters/market/wire/order-codec.ts.

export { MAX_TIMEOUT_S } from '../wire/order-codec.ts'

/** An order whose time is so far ahead of our clock is refused: clocks differ. Milliseconds. */
export const MAX_AHEAD_MS = 10_000
/** The time of an order when the user says none, seconds (decisions part 4). */
export const DEFAULT_TIMEOUT_S = 3_600
/** A proposal without an answer, and what it reserves, ends after so long. Milliseconds. */
export const PROPOSAL_MS = 30_000
/** Orders in a book: about 1.5 KiB each. */
export const MAX_ORDERS = 200_000
/** Of one trader, closed ones included until their time has passed. */
export const MAX_ORDERS_OF_TRADER = 1_000
/** What is over is kept for so long, for others whose clocks are behind. Milliseconds. */
export const BOOK_SLACK_MS = 60_000
/** Orders that one call of expire() looks at, some 5 ms: many that end at one moment must not stop the node. */
export const MAX_EXPIRED_AT_ONCE = 400
/**
 * Digests of buckets that are made in one call of expire(), some 10 microseconds each: with the line above it stays
 * under 20 ms.
 */
export const MAX_REFRESHED_AT_ONCE = 400

/** Own open orders: each costs a statement in every book. */
export const MAX_OPEN_ORDERS = 500
/** Own orders whose time is not over, ended ones too: every book must have room for them. */
export const MAX_ORDERS_IN_TIME = MAX_ORDERS_OF_TRADER - 50
/** Own orders that are over and still shown; older ones are forgotten with their trades. */
export const MAX_FINISHED_ORDERS = 1_000
/** Trades of one own order: each is a file. */
export const MAX_TRADES_OF_ORDER = 500
/** Fees of so many trades are set aside with an order; more are taken from what is free. */
export const FILLS_SET_ASIDE = 3
/** Sequence numbers that a kept order has in store: not every statement costs a write. */
export const SEQUENCES_AHEAD = 16
/** Funds that are gone must be gone for so long: a payment of ours may be half seen. Milliseconds. */
export const SHORTAGE_MS = 10_000
/** How often own orders are looked at: expiry, funds. Milliseconds. */
export const UPKEEP_MS = 1_000
/** What could not be written is written again after so long. Milliseconds. */
export const WRITE_AGAIN_MS = 5_000

/** A proposal is sent again after so long without an answer: packets get lost. Milliseconds. */
export const PROPOSE_AGAIN_MS = 5_000
/** Proposals of ours under way: of all orders, of one. */
export const MAX_PROPOSALS = 32
/** Proposals of ours under way of one order. */
export const MAX_PROPOSALS_OF_ORDER = 8
/** Smaller quantities that the other side may ask for, one after another. */
export const MAX_COUNTERS = 3
/** Orders of the book that are looked at for one own order at a time. */
export const MAX_LOOKED_AT = 500
/** Proposals that are being answered: of all, of one trader. */
export const MAX_ANSWERING = 32
/** Proposals of one trader that are being answered. */
export const MAX_ANSWERING_OF_TRADER = 4
/**
 * Proposals of a trader that are looked at, and of all: saved up, and one more each so many milliseconds. More are not
 * even declined.
 */
export const PROPOSALS_OF_TRADER = { burst: 20, refillMs: 3_000 } as const
/** Proposals of all traders together that are looked at. */
export const PROPOSALS_OF_ALL = { burst: 200, refillMs: 100 } as const
/** Answers that are remembered, to be given again; of swaps that began the trades remember. */
export const MAX_ANSWERS = 1_024
/**
 * Swaps under way with one trader, and in all: what others may pin of ours; the engine of swaps has room for a few
 * more.
 */
export const MAX_SWAPS_OF_TRADER = 8
/** Swaps under way in all. */
export const MAX_SWAPS = 48
/** Traders whose conduct is remembered. */
export const MAX_REMEMBERED_TRADERS = 1_024
/**
 * A trader by whose fault a swap failed is left alone for so long, twice as long each further time, up to the second.
 * Milliseconds.
 */
export const FAULT_REST_MS = 600_000
/** The longest time that a trader is left alone for faults. */
export const MAX_FAULT_REST_MS = 86_400_000
/**
 * A pair of orders whose proposal was declined for a passing reason is left alone for so long, twice as long each
 * further time, up to the second. Milliseconds.
 */
export const PAIR_REST_MS = 10_000
/** The longest time that a pair of orders is left alone. */
export const MAX_PAIR_REST_MS = 300_000
/** Pairs of orders that are left alone. */
export const MAX_RESTING_PAIRS = 4_096
/**
 * The owner of a newer order that crosses ours gets a hint after so long without a proposal, and again after twice as
 * long. Milliseconds.
 */
export const MATCH_HINT_MS = 15_000
/** Such hints that wait. */
export const MAX_MATCH_HINTS = 256
