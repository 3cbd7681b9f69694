// Bounds and times of overlays. Those of the network's protocol say its section; the others are ours, so that nothing grows.

/** Requests for introductions are dropped above this (section 12); settings may say otherwise. */
export const MAX_PEERS = 30
/** Peers of one overlay, whatever brought them. */
export const MAX_PEERS_HELD = 256
/** Peers of all overlays together. */
export const MAX_PEERS_TOTAL = 2_048
/** Bytes of a packet that is read at all: more than any message has, less than a datagram may have. */
export const MAX_PACKET_BYTES = 8_192
/** Signatures of one address that are checked: saved up, and one more each so many milliseconds. */
export const CHECKS_OF_ADDRESS = { burst: 60, refillMs: 50 } as const
/** The same for all addresses of which we know no peer together. */
export const CHECKS_OF_STRANGERS = { burst: 600, refillMs: 4 } as const
/** Addresses whose use of checks is remembered; the one not heard of for longest goes first. */
export const MAX_CHECKED_ADDRESSES = 2_048
/** Signed packets that are known when they come again. */
export const MAX_SIGNATURES_REMEMBERED = 4_096
