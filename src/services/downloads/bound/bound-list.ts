// The list of downloads of one label, found and followed with the parts of the whole list, over records that say
// nothing of others. A query looks at all of the label: people who share a node have hundreds, not a hundred thousand.

import type { InfoHash } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { EventSubscription } from '../../events/events-api.ts'
import { DownloadDeltas } from '../download-deltas.ts'
import { DownloadList } from '../download-list.ts'
import type { DownloadCondition, DownloadRecord } from '../download-records-api.ts'
import type { RateLimits } from '../download-record.ts'
import type { SummedDownload } from '../list/list-index.ts'
import { ListPages } from '../list/list-pages.ts'
import type { ListPage, ListQuery } from '../list/list-query-api.ts'
import { boundCondition, boundRecord } from './bound-records.ts'
import type { LabelledDownload, LabelledDownloads } from './labelled-downloads.ts'

/** What it needs of the node. */
export interface BoundListDeps {
  readonly clock: Clock
  readonly log: Log
  readonly labelled: LabelledDownloads
  settings(): RateLimits
}

/** A download of the label as queries and followers of the list see it. */
class BoundDownload implements SummedDownload {
  readonly #download: LabelledDownload
  readonly #label: string

  constructor(download: LabelledDownload, label: string) {
    this.#download = download
    this.#label = label
  }

  get stored(): SummedDownload['stored'] {
    return this.#download.stored
  }

  get number(): number {
    return this.#download.number
  }

  get mark(): number | null {
    return this.#download.mark
  }

  summary(): DownloadRecord {
    return boundRecord(this.#download.summary(), this.#label)
  }

  condition(): DownloadCondition | null {
    const condition = this.#download.condition()
    return condition === null ? null : boundCondition(condition)
  }

  /** What it was when it was asked last is kept for the list of all: here bytes are compared. */
  changed(): boolean {
    return true
  }

  recordJson(limits: RateLimits): string {
    return JSON.stringify(boundRecord(this.#download.plainRecord(limits), this.#label))
  }
}

/** The list of downloads of one label. */
export class BoundList {
  readonly #label: string
  readonly #deps: BoundListDeps
  /** Followers know a download by its object. */
  readonly #known = new WeakMap<LabelledDownload, BoundDownload>()
  readonly #deltas: DownloadDeltas

  constructor(label: string, deps: BoundListDeps) {
    this.#label = label
    this.#deps = deps
    const list = new DownloadList(
      deps.clock,
      () => this.#all(),
      () => deps.settings(),
    )
    this.#deltas = new DownloadDeltas(list, deps)
  }

  #all(): BoundDownload[] {
    return this.#deps.labelled.allLabelled(this.#label).map(download => this.#boundOf(download))
  }

  #boundOf(download: LabelledDownload): BoundDownload {
    const known = this.#known.get(download)
    if (known !== undefined) return known
    const made = new BoundDownload(download, this.#label)
    this.#known.set(download, made)
    return made
  }

  /** Info hashes of all, in the order they were added. */
  infohashes(): InfoHash[] {
    return this.#all().map(({ stored }) => stored.infoHash)
  }

  /** See DownloadsService.findPage. Sums and facets are those of the label. */
  async find(query: ListQuery): Promise<ListPage> {
    const entries = new Map<InfoHash, SummedDownload>(this.#all().map(one => [one.stored.infoHash, one]))
    const lookUp = (name: string): SummedDownload | null => {
      const found = this.#deps.labelled.labelled(name, this.#label)
      return found === null ? null : this.#boundOf(found)
    }
    const pages = new ListPages({ entries, lookUp }, this.#deps.clock)
    try {
      return await pages.find(query)
    } finally {
      pages.stop()
    }
  }

  /** See DownloadsService.followList; `listed`: settles when it is known which downloads there are. */
  follow(
    listed: Promise<void>,
    deliver: (line: Uint8Array) => boolean,
    room: () => undefined | Promise<void>,
  ): EventSubscription {
    return this.#deltas.follow(listed, deliver, room)
  }
}
