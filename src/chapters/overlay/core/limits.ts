// Bounds and times of overlays. Those of the network's protocol say its section; the others are ours, so that nothing
// grows.

/** Requests for introductions are dropped above this (section 12); settings may say otherwise. */
export const MAX_PEERS = 30
/** Peers of one overlay, whatever brought them. */
export const MAX_PEERS_HELD = 256
/** Peers of all overlays together. */
export const MAX_PEERS_TOTAL = 2_048
/** Bytes of a packet that is read at all: more than any message has, less than a datagram may have. */
export const MAX_PACKET_BYTES = 8_192
/** Signatures of one address that are checked: saved up, and one more each so many milliseconds. */
export const CHECKS_OF_ADDRESS = { burst: 200, refillMs: 20 } as const
/** The same for all addresses without a known peer together. */
export const CHECKS_OF_STRANGERS = { burst: 600, refillMs: 4 } as const
/** Addresses whose use of checks is remembered; the one not heard of for longest goes first. */
export const MAX_CHECKED_ADDRESSES = 2_048
/** Signed packets that are known when they come again. */
export const MAX_SIGNATURES_REMEMBERED = 4_096
/** So long; a sender whose address changes is not shut out for ever. */
export const SIGNATURES_REMEMBERED_MS = 120_000
/** Newest answers that our own address is guessed from. */
export const MAX_ADDRESS_VOTES = 15
/** Addresses of an overlay at which a peer may be. */
export const MAX_WALKABLE = 256
/** Punctures that others have us send: saved up, and one more each so many milliseconds. */
export const PUNCTURES = { burst: 30, refillMs: 50 } as const
/** Introductions asked for that may still be answered, of an overlay. */
export const MAX_INTRODUCTIONS_ASKED = 128
/** Between two steps of all walks (section 12). */
export const STEP_MS = 500
/** An address that does not answer within this is forgotten (section 12). */
export const WALK_TIMEOUT_MS = 3_000
/** Requests of a walk that are unanswered at a time (section 12). */
export const WALK_WINDOW = 5
/** A walk rests at so many peers (section 12). */
export const TARGET_PEERS = 20
/** Servers are asked at most once in this time and overlay (section 12). */
export const BOOTSTRAP_EVERY_MS = 30_000
/** Peers looked at in a step of the churn (section 4.3). */
export const CHURN_SAMPLE = 8
/** A peer that is silent for so long is pinged (section 12). */
export const SILENT_MS = 27_500
/** A peer that is silent for so long is dropped (section 12). */
export const GONE_MS = 57_500
/** Between two pings of a peer (section 12). */
export const PING_EVERY_MS = 10_000
/** A peer with fewer measured pings is pinged, silent or not (section 4.3). */
export const WANTED_RTTS = 5
/** A ping of the discovery overlay is answered within this (section 12). */
export const DISCOVERY_PING_MS = 5_000
/** Addresses to ask first, from settings. */
export const MAX_BOOTSTRAP_ADDRESSES = 64
/** Names among them are looked up again after this. */
export const NAMES_LOOKED_UP_MS = 600_000
/** Overlays of a peer that are looked at, and of ours that are sent. */
export const MAX_COMMUNITY_IDS = 64
/** Between two questions for overlays (section 5). */
export const SIMILARITY_EVERY_MS = 1_000
/** A peer that discovery found in an overlay is asked for its extra bytes at most once in this time (section 5). */
export const EXTRA_ASKED_MS = 300_000
/** Addresses kept from one start to the next. */
export const MAX_SAVED_ADDRESSES = 128
/** Nodes of a bucket, nodes that a look-up ends with, values of a packet (section 6). */
export const DHT_BUCKET = 8
/** Failures after which a node is bad (section 6). */
export const DHT_BAD_FAILURES = 2
/** Failures after which it is forgotten. */
export const DHT_FORGOTTEN_FAILURES = 5
/** A node that answered within this is good (section 6). */
export const DHT_GOOD_MS = 900_000
/** Answers to questions of the DHT, but for finds (section 12). */
export const DHT_REQUEST_MS = 5_000
/** Answers to finds (section 12). */
export const DHT_FIND_MS = 2_000
/** Questions of a kind that wait. */
export const MAX_DHT_ASKED = 256
/** Between two pings of a node (section 6). */
export const DHT_PING_EVERY_MS = 25_000
/** A secret of tokens is used so long (section 6). */
export const DHT_SECRET_MS = 300_000
/**
 * Questions of one node that are answered: so many saved up, and one more each so many milliseconds (section 12: 10 in
 * 5 s).
 */
export const DHT_QUERIES = { burst: 10, refillMs: 500 } as const
/** Questions of a look-up that are out at a time, and in all (section 6). */
export const DHT_PARALLEL = 4
/** Questions of one look-up in all (section 6). */
export const DHT_LOOKUP_REQUESTS = 24
/** Look-ups at a time; those above wait. */
export const MAX_DHT_LOOKUPS = 8
/** Look-ups that wait; those above find nothing. */
export const MAX_DHT_LOOKUPS_WAITING = 256
/** Targets with kept values. */
export const MAX_DHT_TARGETS = 4_096
/** Values kept of one target. */
export const MAX_DHT_VALUES_OF_TARGET = 64
/** A value is kept so long (section 12). */
export const DHT_VALUE_AGE_MS = 3_600_000
/** Peers that are stored with us under their mids. */
export const MAX_DHT_STORED_PEERS = 512
/** A stored peer, or a peer that stores us, is dropped after so much silence (section 6). */
export const DHT_STORED_PEER_MS = 60_000
/** Between two attempts at being stored (section 6). */
export const DHT_STORE_SELF_MS = 30_000
/** Enough nodes that store us (section 6). */
export const DHT_STORED_AT = 4
/** Between two looks at the ages of everything. */
export const DHT_CARE_MS = 5_000
/** Between two look-ups that keep the table fresh. */
export const DHT_REFRESH_MS = 600_000
