// Events as a key sees them that is bound to a label: those of its downloads, from now on. They have numbers of their
// own, since gaps in those of the node would count what others do.

import { boundError } from '../bound-error.ts'
import type { EventType } from './event-table.ts'
import type { EventRun, EventsService, EventSubscription } from './events-api.ts'

/**
 * When an event of a type is sent: `always`, if it is about a download of the label (`own`: its `infohash` is the only
 * name in it), or `never`, as those of chapters, which are not in the table.
 */
const TOLD: Readonly<Record<EventType, 'always' | 'own' | 'never'>> = {
  events_start: 'always',
  tribler_started: 'always',
  upgrader_started: 'never',
  upgrader_tick: 'never',
  upgrader_finished: 'never',
  watch_folder_corrupt_torrent: 'never',
  new_version_available: 'never',
  torrent_creation_progress: 'never',
  torrent_created: 'never',
  torrent_creation_failed: 'never',
  torrent_finished: 'own',
  torrent_update_refused: 'never',
  torrent_updated: 'never',
  torrent_file_changed: 'own',
  torrent_file_checked: 'own',
  torrent_error: 'own',
  tribler_exception: 'never',
  seeding_goal_reached: 'own',
  // They name several downloads; the list that a follower gets tells of those of the label.
  downloads_added: 'never',
  downloads_removed: 'never',
  download_forgotten: 'never',
  file_set_aside: 'own',
  slow_mode_changed: 'never',
  storage_moved: 'own',
  storage_move_failed: 'own',
  volume_stalled: 'never',
  volume_recovered: 'never',
}

interface Told {
  readonly type: string
  readonly event?: { readonly infohash?: unknown; readonly error?: unknown }
}

/** The events of one label. */
export class BoundEvents implements EventsService {
  readonly #events: EventsService
  readonly #has: (infohash: string) => boolean

  /** `has`: whether a download has the label; never throws. */
  constructor(events: EventsService, has: (infohash: string) => boolean) {
    this.#events = events
    this.#has = has
  }

  /** What was before is not sent: it may have been somebody else's then. */
  follow(
    _since: number | null,
    deliver: (run: EventRun) => boolean,
    room?: () => undefined | Promise<void>,
  ): EventSubscription {
    let newest = 0
    const own = (run: EventRun): boolean => {
      const told = run.lines.map(line => JSON.parse(line) as Told).filter(event => this.#isTold(event))
      if (told.length === 0) return true
      const ids = told.map(() => ++newest)
      return deliver({ ids, lines: told.map((event, at) => `${JSON.stringify({ ...bounded(event), id: ids[at] })}\n`) })
    }
    return this.#events.follow(null, own, room)
  }

  #isTold({ type, event }: Told): boolean {
    const told = Object.hasOwn(TOLD, type) ? TOLD[type as EventType] : 'never'
    if (told !== 'own') return told === 'always'
    const infohash = event?.infohash
    return typeof infohash === 'string' && this.#has(infohash)
  }
}

function bounded(told: Told): Told {
  const error = told.event?.error
  return typeof error === 'string' ? { ...told, event: { ...told.event, error: boundError(error) } } : told
}
