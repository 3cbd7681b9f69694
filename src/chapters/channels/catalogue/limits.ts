// Bounds of the catalogue.

/** Records in no head that are kept of a channel. */
export const MAX_EXTRAS = 5000
/** Records that are kept of a channel without a subscription. */
export const MAX_PREVIEWS = 60
/** Bytes of records, with their rows, of one channel: above what a million torrents mostly take. */
export const MAX_CHANNEL_BYTES = 1024 * 1024 * 1024
/** Channels that are known in all, own and subscribed ones not counted. */
export const MAX_DISCOVERED = 20_000
/** So many more are taken until upkeep has forgotten the worst ranked. */
export const ADMITTED_BEFORE_EVICTION = 1000
/** Votes that are kept of a channel. */
export const MAX_VOTES = 5000
/** Records that are judged with the head that brought them; of more all are put off (own.tend). */
export const JUDGED_AT_ONCE = 1000
/** Records that were put off and are judged in one piece of upkeep. */
export const JUDGED_LATE = 200
/** Torrents, comments in an answer. */
export const MAX_LISTED = 50_000
/** Events of found torrents in a second. */
export const FOUND_PER_SECOND = 20
/** New channels from one giver in an hour. */
export const NEW_CHANNELS_PER_HOUR = 300
/** New votes from one giver in an hour. */
export const VOTES_PER_HOUR = 2000
/** Givers that are remembered. */
export const MAX_GIVERS = 4096
/** Matches of a search that are ranked. */
export const MAX_CANDIDATES = 200
