// Times and bounds of circuits that all nodes of the network share (protocol of the overlay, section 12). Milliseconds and bytes.

/** A next hop that does not answer within this is tried no longer. */
export const NEXT_HOP_TIMEOUT_MS = 10_000
/** Next hops that are tried. */
export const NEXT_HOP_TRIES = 6
/** A circuit is ready within this, or given up. */
export const CIRCUIT_CREATION_MS = 60_000
/** An extend is taken for so long after the create. */
export const EXTEND_WITHIN_MS = 60_000
/** Between two pings of a circuit. */
export const CIRCUIT_PING_MS = 7_500
/** Between two looks at ages and silence. */
export const MAINTENANCE_MS = 5_000
/** Circuits, relays and exits without traffic end after this. */
export const INACTIVE_MS = 20_000
/** Age at which circuits and exits end. */
export const MAX_AGE_MS = 3_600_000
/** The same of circuits to introduction points. */
export const MAX_INTRODUCTION_AGE_MS = 86_400_000
/** Traffic at which circuits and exits end. */
export const MAX_CIRCUIT_BYTES = 10 * 1024 ** 3
/** Entries stay usable for so long after their removal was decided. */
export const REMOVAL_DELAY_MS = 5_000
/** Cells of a circuit that may be marked relay_early. */
export const MAX_RELAY_EARLY = 8
/** Offered to who extends: relays, and as many exits. */
export const CANDIDATES_OFFERED = 4
