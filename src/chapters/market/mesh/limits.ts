// Bounds that several parts of the market's overlay keep to (decisions 0435 and 0436); others stand where they act.

/** Traders whose use is remembered. */
export const MAX_REMEMBERED_TRADERS = 4_096
/** Peers whose use, or whose faults, are remembered. */
export const MAX_REMEMBERED_PEERS = 1_024
