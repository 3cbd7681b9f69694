// What a key that is bound to a label has of the node (decision 0572).

import type { EventsService } from '../../events/events-api.ts'
import type { DownloadsService } from '../downloads-api.ts'

/** The node as whoever is bound to a label sees it: nothing in it tells of downloads without that label. */
export interface BoundView {
  readonly downloads: DownloadsService
  readonly events: EventsService
  /** A download of that name has the label. AppError NotReady while it is not known which downloads there are. */
  has(infohash: string): boolean
}

/** Makes such views. */
export interface SharingService {
  /** Always the same one for a label, as long as it is used. */
  view(label: string): BoundView
}
