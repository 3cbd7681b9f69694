// Bounds that several parts of the overlay of channels keep to (decisions 0410 to 0414); others stand where they act.

/** Strangers are refused above so many peers. */
export const MAX_PEERS = 80

/** Peers whose use is remembered. */
export const MAX_REMEMBERED_PEERS = 1_024

/** Records that no head has yet, whose ids are sent. */
export const TOLD_EXTRAS = 512

/** Channels of which we remember the newest number; the least recent goes first. */
export const MAX_SEEN = 20_000

/** Channels of a peer that are remembered as held or wanted. */
export const MAX_HELD_OF_PEER = 256

/** Most changes that a walk finds; sets that differ in more travel as packs. */
export const MAX_WALK_IDS = 100_000
