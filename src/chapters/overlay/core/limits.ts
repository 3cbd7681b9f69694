// Bounds and times that several parts of overlays keep to; others stand where they act. Those of the network's protocol
// say its section; the others are ours, so that nothing grows.

/** Requests for introductions are dropped above this (section 12); settings may say otherwise. */
export const MAX_PEERS = 30
/** Addresses whose use of checks is remembered; the one not heard of for longest goes first. */
export const MAX_CHECKED_ADDRESSES = 2_048
/** A peer that is silent for so long is pinged (section 12). */
export const SILENT_MS = 27_500
/** Nodes of a bucket, nodes that a look-up ends with, values of a packet (section 6). */
export const DHT_BUCKET = 8
/** Between two pings of a node (section 6). */
export const DHT_PING_EVERY_MS = 25_000
/** Values kept of one target. */
export const MAX_DHT_VALUES_OF_TARGET = 64
/** A stored peer, and who stores us, is dropped after so much silence (section 6). */
export const DHT_STORED_PEER_MS = 60_000
