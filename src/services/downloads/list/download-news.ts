// Tells that downloads were added and removed. Those of a second go together, so that thousands at once are a few
// events and not thousands: how many there are, and the first of them by name.

import type { InfoHash } from '../../../base/ids.ts'
import type { Timer } from '../../../ports/clock.ts'
import type { DownloadsDeps } from '../downloads-deps.ts'

/** For how long they are gathered, ms. */
const GATHER_MS = 1000
/** Downloads of an event that are named, and characters of a name. */
const MAX_NAMED = 20
const MAX_NAME_CHARS = 200

type Kind = 'downloads_added' | 'downloads_removed'

interface Gathered {
  count: number
  downloads: { infohash: string; name: string }[]
}

/** What it needs of the node. */
type NewsDeps = Pick<DownloadsDeps, 'clock' | 'events'>

/** News of one service. */
export class DownloadNews {
  readonly #deps: NewsDeps
  readonly #gathered = new Map<Kind, Gathered>()
  #timer: Timer | null = null

  constructor(deps: NewsDeps) {
    this.#deps = deps
  }

  /** It is in the list. */
  added(infoHash: InfoHash, name: string): void {
    this.#note('downloads_added', infoHash, name)
  }

  /** It is not in the list any more. */
  removed(infoHash: InfoHash, name: string): void {
    this.#note('downloads_removed', infoHash, name)
  }

  /** Tells what was gathered. */
  tell(): void {
    this.#timer?.cancel()
    this.#timer = null
    for (const [kind, gathered] of this.#gathered) this.#deps.events.emit(kind, gathered)
    this.#gathered.clear()
  }

  #note(kind: Kind, infohash: InfoHash, name: string): void {
    const gathered = this.#gathered.get(kind) ?? { count: 0, downloads: [] }
    gathered.count++
    if (gathered.downloads.length < MAX_NAMED)
      gathered.downloads.push({ infohash, name: name.slice(0, MAX_NAME_CHARS) })
    this.#gathered.set(kind, gathered)
    this.#timer ??= this.#deps.clock.after(GATHER_MS, () => this.tell())
  }
}
