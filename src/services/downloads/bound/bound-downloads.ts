// The downloads of one label, as a key sees them that is bound to it: every method that names another download answers
// as if there were none, and none tells of others (decision 0572).

import { AppError } from '../../../base/errors.ts'
import type { EventSubscription } from '../../events/events-api.ts'
import { controlsOf } from '../download-controls.ts'
import type { TorrentDescription } from '../details-api.ts'
import type { Explanation, FileRecord, ListedDownload } from '../download-records-api.ts'
import type { DownloadsService, ListOptions, PatchDownload } from '../downloads-api.ts'
import type { ListPage, ListQuery } from '../list/list-query-api.ts'
import type { Asker, StreamableFile } from '../streams-api.ts'
import { BoundList, type BoundListDeps } from './bound-list.ts'
import { boundExplanation, boundRecord, refusedChange } from './bound-records.ts'
import type { LabelledDownload } from './labelled-downloads.ts'

/** What it needs of the node. */
export interface BoundDownloadsDeps extends BoundListDeps {
  readonly downloads: DownloadsService
}

const PLAIN: ListOptions = { peers: false, pieces: false, files: false }

/** The downloads of one label. */
export class BoundDownloads implements DownloadsService {
  readonly #label: string
  readonly #deps: BoundDownloadsDeps
  readonly #list: BoundList

  constructor(label: string, deps: BoundDownloadsDeps) {
    this.#label = label
    this.#deps = deps
    this.#list = new BoundList(label, deps)
  }

  /** AppErrors DownloadNotFound, NotReady. */
  #found(infohash: string): LabelledDownload {
    const found = this.#deps.labelled.labelled(infohash, this.#label)
    if (found === null) throw new AppError('DownloadNotFound')
    return found
  }

  /** What it is known as. AppErrors as of #found(). */
  #own(infohash: string): string {
    return this.#found(infohash).stored.infoHash
  }

  whenListed(): Promise<void> {
    return this.#deps.downloads.whenListed()
  }

  async *list(options: ListOptions): AsyncGenerator<ListedDownload, void> {
    // Those that another program's interface asks for say more than the record.
    const { details: _details, only = this.#list.infohashes(), ...rest } = options
    const own = only.filter(name => this.#deps.labelled.labelled(name, this.#label) !== null)
    for await (const record of this.#deps.downloads.list({ ...rest, only: own })) yield boundRecord(record, this.#label)
  }

  async listJson(): Promise<readonly Uint8Array[]> {
    const records: string[] = []
    for await (const record of this.list(PLAIN)) records.push(JSON.stringify(record))
    return [Buffer.from(`{"downloads":[${records.join(',')}]}`)]
  }

  findPage(query: ListQuery): Promise<ListPage> {
    return this.#list.find(query)
  }

  /** While the list is being read nobody knows what will have the label. */
  earlyPage(): Promise<null> {
    return Promise.resolve(null)
  }

  async pageJson(page: ListPage, fields: readonly string[] | null): Promise<readonly Uint8Array[]> {
    const { infohashes, total, next, totals, facets } = page
    const downloads: ListedDownload[] = []
    const options = { ...PLAIN, only: infohashes, ...(fields === null ? {} : { fields }) }
    for await (const record of this.list(options)) downloads.push(record)
    const sums = { ...(totals === null ? {} : { totals }), ...(facets === null ? {} : { facets }) }
    return [Buffer.from(JSON.stringify({ downloads, total, next, ...sums }))]
  }

  async record(infohash: string, { details: _details, ...options }: ListOptions): Promise<ListedDownload> {
    return boundRecord(await this.#deps.downloads.record(this.#own(infohash), options), this.#label)
  }

  followList(deliver: (line: Uint8Array) => boolean, room: () => undefined | Promise<void>): EventSubscription {
    return this.#list.follow(this.whenListed(), deliver, room)
  }

  /** What the node has is not to be found out by adding it (decision 0572). */
  add(): Promise<never> {
    return refuse('add downloads')
  }

  addFile(): Promise<never> {
    return refuse('add downloads')
  }

  /**
   * One that others have too stays for them: it loses the label. Files that lie where another download has its own stay
   * too, and where the disks do not tell; the answer is the same.
   */
  async remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }> {
    const { downloads, labelled } = this.#deps
    const withFiles = removeData && (await labelled.sharesFiles(this.#found(infohash).stored.infoHash)) === false
    const { stored } = this.#found(infohash)
    const others = controlsOf(stored).labels.filter(label => label !== this.#label)
    if (others.length === 0) return downloads.remove(stored.infoHash, withFiles)
    await downloads.patch(stored.infoHash, { labels: others })
    return { infohash: stored.infoHash, removed: true }
  }

  async patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }> {
    const own = this.#own(infohash)
    const refused = refusedChange(change)
    return refused === null ? this.#deps.downloads.patch(own, change) : refuse(`change ${refused}`)
  }

  moveInQueue(): Promise<never> {
    return refuse('move downloads in the queue')
  }

  renameFile(): Promise<never> {
    return refuse('rename files')
  }

  async explain(infohash: string): Promise<Explanation> {
    return boundExplanation(await this.#deps.downloads.explain(this.#own(infohash)))
  }

  async addTracker(infohash: string, url: string): Promise<boolean> {
    return this.#deps.downloads.addTracker(this.#own(infohash), url)
  }

  addPeer(): Promise<never> {
    return refuse('call peers')
  }

  changeTracker(): Promise<never> {
    return refuse('change trackers')
  }

  setTrackers(): Promise<never> {
    return refuse('change trackers')
  }

  async removeTracker(infohash: string, url: string): Promise<boolean> {
    return this.#deps.downloads.removeTracker(this.#own(infohash), url)
  }

  async forceAnnounce(infohash: string, url?: string): Promise<boolean> {
    return this.#deps.downloads.forceAnnounce(this.#own(infohash), url)
  }

  async files(infohash: string): Promise<Iterable<FileRecord>> {
    return this.#deps.downloads.files(this.#own(infohash))
  }

  async describe(infohash: string): Promise<TorrentDescription | null> {
    return this.#deps.downloads.describe(this.#own(infohash))
  }

  freeSpace(): Promise<never> {
    return refuse('look at folders')
  }

  async torrentFile(infohash: string): Promise<Uint8Array> {
    return this.#deps.downloads.torrentFile(this.#own(infohash))
  }

  async magnet(infohash: string): Promise<{ magnet: string }> {
    return this.#deps.downloads.magnet(this.#own(infohash))
  }

  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile> {
    return this.#deps.downloads.streamable(this.#own(infohash), fileIndex, asker)
  }
}

function refuse(what: string): Promise<never> {
  return Promise.reject(new AppError('ScopeMissing', `A key that is bound to a label cannot ${what}.`))
}
