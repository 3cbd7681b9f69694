// Times and bounds that several parts of circuits keep to; others stand where they act. The first ones are shared by
// all nodes of the network (protocol of the overlay, section 12), the others are our own, so that nothing a stranger
// sends can grow. Milliseconds and bytes.

/** An extend is taken for so long after the create. */
export const EXTEND_WITHIN_MS = 60_000
/** Between two looks at ages and silence. */
export const MAINTENANCE_MS = 5_000
/** Circuits, relays and exits without traffic end after this. */
export const INACTIVE_MS = 20_000
/** Age at which circuits and exits end. */
export const MAX_AGE_MS = 3_600_000
/** Age at which circuits to introduction points end. */
export const MAX_INTRODUCTION_AGE_MS = 86_400_000
/** Traffic at which circuits and exits end. */
export const MAX_CIRCUIT_BYTES = 10 * 1024 ** 3
/** Entries stay usable for so long after their removal was decided. */
export const REMOVAL_DELAY_MS = 5_000

// Our own.

/** Bytes of a slot for sending: more than a datagram of Ethernet has. */
export const SLOT_BYTES = 2_048
