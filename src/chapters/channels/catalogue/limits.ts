// Bounds that several parts of the catalogue keep to; others stand where they act.

/** Records in no head that are kept of a channel. */
export const MAX_EXTRAS = 5000
/** Channels that are known in all, own and subscribed ones not counted. */
export const MAX_DISCOVERED = 20_000
/** So many more are taken until upkeep has forgotten the worst ranked. */
export const ADMITTED_BEFORE_EVICTION = 1000
/** Records that are judged with the head that brought them; of more all are put off (own.tend). */
export const JUDGED_AT_ONCE = 1000
