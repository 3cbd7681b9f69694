// People who share a node: a view for each label that a key is bound to (decision 0572). Bounded.

import { AppError } from '../../../base/errors.ts'
import type { EventsService } from '../../events/events-api.ts'
import type { BoundView, SharingService } from './bound-api.ts'
import { BoundDownloads, type BoundDownloadsDeps } from './bound-downloads.ts'

/** Views that are kept; there are at most 64 keys. The one that was made longest ago goes first. */
const MAX_VIEWS = 64

/** What it needs of the node. */
export interface SharingDeps extends BoundDownloadsDeps {
  /** The events of those downloads of which `has` says that they are meant; it never throws. */
  eventsOf(has: (infohash: string) => boolean): EventsService
}

/** A view for each label that a key is bound to. */
export class Sharing implements SharingService {
  readonly #deps: SharingDeps
  readonly #views = new Map<string, BoundView>()

  constructor(deps: SharingDeps) {
    this.#deps = deps
  }

  view(label: string): BoundView {
    const known = this.#views.get(label)
    if (known !== undefined) return known
    for (const oldest of this.#views.keys()) {
      if (this.#views.size < MAX_VIEWS) break
      this.#views.delete(oldest)
    }
    const made = this.#make(label)
    this.#views.set(label, made)
    return made
  }

  #make(label: string): BoundView {
    const { labelled } = this.#deps
    const has = (infohash: string): boolean => labelled.labelled(infohash, label) !== null
    return {
      downloads: new BoundDownloads(label, this.#deps),
      events: this.#deps.eventsOf(infohash => ownNow(infohash, has)),
      has,
    }
  }
}

/** Nothing is known to have the label until it is known which downloads there are. */
function ownNow(infohash: string, has: (infohash: string) => boolean): boolean {
  try {
    return has(infohash)
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotReady') return false
    throw error
  }
}
