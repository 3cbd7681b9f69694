// What crosses the interface of links that are given away (extra). Times of the clock in Unix seconds.

import type { GivenLink } from '../../ports/viewing/given-links.ts'

/** What a link is to open. */
export interface WantedLink {
  readonly name: string
  readonly infohash: string
  /** Null: the playlist of the download. */
  readonly fileIndex: number | null
  /** Name of the file or download. */
  readonly of: string
  /** 0 = until it is taken back. */
  readonly days: number
  /** For the first device that uses it, and no other. */
  readonly oneDevice: boolean
}

/**
 * Links that last longer than those of the list of files. Changes are durable when settled. AppErrors StateUnreadable,
 * DiskFull, DiskError.
 */
export interface LinksService {
  /** Those that have not ended, the oldest first. */
  list(): readonly GivenLink[]
  /** AppErrors InvalidParameter (name), StateConflict (there are too many). */
  add(wanted: WantedLink): Promise<GivenLink>
  /** What it opened is cut within seconds. AppError LinkNotFound. */
  remove(id: string): Promise<{ id: string; removed: true }>
}
