// What requests may ask of the order of the queue (decision 0558).

/** Downloads of one move. */
export const MAX_MOVED = 10_000

/** One place nearer to an end, or all the way. */
export const QUEUE_STEPS = ['top', 'up', 'down', 'bottom'] as const

/** Where downloads are moved to: one step of the above, so that the first has this position, or before another. */
export type QueueMove =
  | { readonly step: (typeof QUEUE_STEPS)[number] }
  | { readonly position: number }
  | { readonly before: string }

/** What a move did. */
export interface QueueMoved {
  /** False: they were there. */
  readonly modified: boolean
  /** Those that were named and are there, in their order; positions count from 0. */
  readonly downloads: { readonly infohash: string; readonly queue_position: number }[]
}
