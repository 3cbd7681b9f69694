// Bounds and times of the overlay of the market (decisions 0435 and 0436), each with its reason.

/** At so many peers no more are looked for, and strangers are refused above so many. */
export const TARGET_PEERS = 30
/** Strangers are refused above so many peers. */
export const MAX_PEERS = 80

// Telling.

/** New statements are gathered so long, so that several share a packet. */
export const GATHER_MS = 100
/**
 * Peers by chance that hear of what came to us: with 3, one node in twenty misses a statement, and reconciling makes
 * that good.
 */
export const FANOUT = 3
/** Peers that get our own statements: no other sends them, so that one lost packet must not matter. */
export const OWN_FANOUT = 6
/** Statements that wait to be sent; those above are found by reconciling. */
export const MAX_UNTOLD = 1_024

// Taking in.

/**
 * Statements that a peer sent unasked whose signature is checked: saved up, and one more each so many milliseconds (600
 * a minute).
 */
export const CHECKS_OF_PEER = { burst: 600, refillMs: 100 } as const
/**
 * The same of all together, asked for or not: a check takes a tenth of a millisecond, so that this is at most 4 % of a
 * core.
 */
export const CHECKS_OF_ALL = { burst: 4_000, refillMs: 2.5 } as const
/**
 * New statements of one trader, all its orders at once and a little more: an order can be given new states without end,
 * and every node would pass them on.
 */
export const STATEMENTS_OF_TRADER = { burst: 1_200, refillMs: 500 } as const
/** Traders whose use is remembered. */
export const MAX_REMEMBERED_TRADERS = 4_096
/** Signatures that are being checked by a thread. */
export const MAX_CHECKING = 256
/** Hashes of statements that the book does not want: they are not looked at again for so long. */
export const REFUSED_MS = 120_000
/** So many; the first goes first. */
export const MAX_REFUSED = 20_000
/** A peer that gave what its trader did not sign is not heard for so long. */
export const BLAMED_MS = 600_000
/** Peers whose use, or whose faults, are remembered. */
export const MAX_REMEMBERED_PEERS = 1_024

// Questions and answers.

/** An answer begins within this; a question is asked twice. */
export const ANSWER_MS = 1_500
/** No further part for so long: the rest is lost. */
export const QUIET_MS = 400
/** Questions that wait for answers. */
export const MAX_ASKED = 128
/**
 * Questions of ours to one peer: saved up, and one more each so many milliseconds; overlays check 50 signatures a
 * second of an address.
 */
export const QUESTIONS_TO_PEER = { burst: 60, refillMs: 30 } as const
/** Questions of a peer that are answered: the same, a little more. */
export const ANSWERED_OF_PEER = { burst: 100, refillMs: 20 } as const
/** Questions of all peers that are answered. */
export const ANSWERED_OF_ALL = { burst: 600, refillMs: 4 } as const
/** Parts of an answer: as many as all statements need that a question names. */
export const MAX_ANSWER_PARTS = 8

// Reconciling.

/** Between two times that the book is compared with that of a peer by chance. */
export const RECONCILE_MS = 30_000
/** A new peer's book is compared within this, by chance, so that not all new peers are asked at once. */
export const MEET_MS = 2_000
/** Comparisons at a time; peers that wait for theirs. */
export const MAX_RUNS = 2
/** Peers that wait for their comparison. */
export const MAX_RUNS_WAITING = 64
/** Questions of a comparison that are out at a time. */
export const RUN_PARALLEL = 4
/**
 * Questions that a comparison may cost when nothing comes of it. A difference of one order in a book of 100,000 is
 * found with five.
 */
export const RUN_QUESTIONS = 64
/** So many more for each statement that came of it. */
export const RUN_QUESTIONS_EACH = 4
/** Statements that a comparison gives the peer; the rest it finds itself. */
export const RUN_GIVEN = 150
/** A comparison that cost all its questions for nothing: that peer is not asked again for so long. */
export const FRUITLESS_MS = 300_000

// Messages between traders.

/** A message that is older, or so far ahead of our clock, is not heard; ids are remembered as long. */
export const SAID_MS = 60_000
/** Ids that are remembered; above that, messages are not heard. */
export const MAX_NONCES = 8_192
/** Messages of one trader: saved up, and one more each so many milliseconds. */
export const MESSAGES_OF_TRADER = { burst: 40, refillMs: 500 } as const
/** Messages of all traders that are no peers. */
export const MESSAGES_OF_STRANGERS = { burst: 200, refillMs: 50 } as const
/** A message that is not confirmed is sent again after each of these. */
export const SEND_AGAIN_MS: readonly number[] = [700, 1_500, 3_000, 4_000]
/** After so many of them the trader is looked up again. */
export const SOUGHT_AFTER = 2
/** Messages that wait to be confirmed. */
export const MAX_SENDING = 256
/** Addresses of traders that are no peers, and how long they are used. */
export const MAX_CONTACTS = 512
/** Addresses of traders that are no peers are used for so long. */
export const CONTACT_MS = 120_000
/** Traders that are looked for at a time. */
export const MAX_SEEKING = 16

// Hints.

/** A cross must last so long before hints are sent: its owners may be at work. */
export const HINT_MS = 3_000
/** By chance so much later, so that not all nodes do it at once. */
export const HINT_SPREAD_MS = 7_000
/** Hints for one order: no more than one in this time. */
export const HINT_AGAIN_MS = 30_000
/** Orders that may cross something. */
export const MAX_HINTS_WAITING = 512
/** Hints we send: saved up, and one more each so many milliseconds. */
export const HINTS = { burst: 20, refillMs: 1_000 } as const
/** Nodes that hint at a cross, about, however many have seen it. */
export const HINTING_NODES = 3

/** Between two times that what is over leaves the book. */
export const EXPIRE_MS = 1_000
