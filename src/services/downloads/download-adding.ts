// Adds downloads: by a link, a file, or a torrent whose content is there already. Requests for one info hash run one
// after the other; one that is known gets the new trackers. Which engine has it and how its source is read follow from
// its hops alone (decision 0390), which the request or the settings say.

import { AppError } from '../../base/errors.ts'
import { type InfoHash, type InfoHashV2, truncatedInfoHash } from '../../base/ids.ts'
import type { FolderLook } from '../../ports/own-files.ts'
import type { Anonymity } from './add-checks.ts'
import { addMadeTorrent, type SeedableTorrent } from './add-made.ts'
import type { AddDownload } from './downloads-api.ts'
import type { DownloadAnonymity } from './download-anonymity.ts'
import { mergeTrackers } from './download-changes.ts'
import type { DownloadDefaults } from './download-defaults.ts'
import { DownloadEntry } from './download-entry.ts'
import type { DownloadNews } from './list/download-news.ts'
import type { DownloadSet } from './download-set.ts'
import type { DownloadsDeps } from './downloads-deps.ts'
import type { StalledDownloads } from './stalled-downloads.ts'
import { askedOf, infoHashV2Of, metainfoOf, newRow, selectionOf, specOf, storedMetainfo } from './new-download.ts'
import { isFetched, readSource, sentSource, type TorrentSource, updateLinkOf } from './torrent-source.ts'

/** Parts of the service that adding works with. */
export interface AddingParts {
  readonly anonymity: DownloadAnonymity
  readonly news: Pick<DownloadNews, 'added'>
  readonly defaults: DownloadDefaults
  readonly stalled: Pick<StalledDownloads, 'gone'>
  /** This download was added, or changed. */
  changed(infoHash: InfoHash): void
}

/** Which engine has a new download, and where its files are to lie. */
interface AddingPlace {
  readonly traits: Anonymity
  readonly destination: FolderLook
}

/** Downloads are added: by a link, a file, or a torrent whose content is there already. */
export class DownloadAdding {
  readonly #set: DownloadSet
  readonly #parts: AddingParts
  readonly #deps: DownloadsDeps

  /** What may be in the engine in the place of a download. */
  readonly #others: Pick<DownloadsDeps['previews'], 'owns' | 'giveWay'>

  constructor(set: DownloadSet, parts: AddingParts, deps: DownloadsDeps) {
    this.#set = set
    this.#parts = parts
    this.#deps = deps
    const { previews, hidden } = deps
    this.#others = {
      owns: infoHash => previews.owns(infoHash) || hidden?.()?.owns(infoHash) === true,
      giveWay: async infoHash => {
        await previews.giveWay(infoHash)
        await hidden?.()?.drop(infoHash)
      },
    }
  }

  /** See DownloadsService. */
  async add(request: AddDownload): Promise<{ started: boolean; infohash: string }> {
    this.#set.checkReady()
    const traits = this.#parts.anonymity.traitsOf(request)
    const link = updateLinkOf(request.uri)
    const { updates } = this.#deps
    if (link !== null && traits.hops > 0)
      throw new AppError(
        'InvalidParameter',
        'A torrent that is updated is followed by the plain DHT: not with anon_hops.',
      )
    if (link !== null && updates !== undefined) return updates().follow(request, link)
    // A look is stale when another host has answered at last.
    const early = isFetched(request.uri) ? null : this.#lookAt(request)
    const source = await readSource(request.uri, this.#parts.anonymity.readers(traits.hops))
    return this.#addSource(request, source, { traits, destination: early ?? this.#lookAt(request) })
  }

  /** See DownloadsService. */
  async addFile(bytes: Uint8Array, request: Omit<AddDownload, 'uri'>): Promise<{ started: boolean; infohash: string }> {
    this.#set.checkReady()
    const traits = this.#parts.anonymity.traitsOf(request)
    const destination = this.#lookAt(request)
    return this.#addSource({ ...request, uri: '' }, await sentSource(bytes), { traits, destination })
  }

  /** Looks where its files are to lie while the torrent is being read. Nothing is made before that is known. */
  #lookAt(request: Omit<AddDownload, 'uri'>): FolderLook {
    return this.#deps.lookAtFolder(request.destination ?? this.#deps.settings().saveAs)
  }

  #addSource(
    request: AddDownload,
    source: TorrentSource,
    place: AddingPlace,
  ): Promise<{ started: boolean; infohash: string }> {
    return this.#asKnown(source.infoHash, infoHashV2Of(source), async infoHash => {
      const known = this.#set.entries.get(infoHash)
      if (known === undefined) await this.#parts.stalled.gone(infoHash)
      if (known === undefined) await this.#addNew(request, source, place)
      else await mergeTrackers(this.#set, known, source)
      this.#parts.changed(infoHash)
      return { started: true, infohash: infoHash }
    })
  }

  /**
   * Runs `task` in the turn of a torrent, with what it is known as: a hybrid has two names, and those who add it by one
   * wait for those who add it by the other.
   */
  #asKnown<T>(infoHash: InfoHash, v2: InfoHashV2 | null, task: (infoHash: InfoHash) => Promise<T>): Promise<T> {
    const { queue } = this.#set
    if (v2 === null) {
      const known = this.#set.knownAs(infoHash, v2)
      return queue.run(known, () => task(known))
    }
    const first = truncatedInfoHash(v2)
    return queue.run(first, () => {
      const known = this.#set.knownAs(infoHash, v2)
      return known === first ? task(known) : queue.run(known, () => task(known))
    })
  }

  /**
   * Adds a torrent that was made of files as they lie there: it seeds without a check. False when it is known already.
   */
  async addMade(made: SeedableTorrent): Promise<boolean> {
    this.#set.checkReady()
    const traits = this.#parts.anonymity.traitsOf({})
    const { metainfo } = made
    return this.#asKnown(metainfo.infoHash, metainfo.v2?.infoHash ?? null, async infoHash => {
      if (this.#set.entries.has(infoHash)) return false
      await this.#parts.stalled.gone(infoHash)
      const entry = await addMadeTorrent(this.#set, made, traits, this.#deps.clock.wallMs(), this.#others)
      await this.#parts.defaults.keepFile(entry, metainfo)
      this.#parts.news.added(infoHash, made.metainfo.name)
      this.#parts.changed(infoHash)
      return true
    })
  }

  /** What happens to files that are in the way is as the settings say, where the request does not. */
  #withDefaults(request: AddDownload): AddDownload {
    const { foreignFiles } = this.#deps.settings()
    return request.overwrite === undefined && foreignFiles === 'overwrite' ? { ...request, overwrite: true } : request
  }

  async #addNew(request: AddDownload, source: TorrentSource, { traits, ...place }: AddingPlace): Promise<void> {
    const { clock, previews } = this.#deps
    if (source.kind === 'magnet') await previews.recall(source.infoHash)
    const metainfo = metainfoOf(source, previews.cached(source.infoHash))
    const asked = askedOf(this.#withDefaults(request), selectionOf(request, source, metainfo), metainfo)
    const destination = await place.destination.prepare({
      linkless: request.destination !== undefined && request.linkless,
      files: metainfo?.files,
    })
    const ownFiles = metainfo === null ? [] : await this.#deps.updates?.().metadataKnown(source.infoHash, metainfo)
    const announceTiers = await this.#parts.defaults.tiersOf(source, metainfo)
    const row = newRow({
      announceTiers,
      uri: request.uri,
      source,
      metainfo,
      ...asked,
      destination,
      traits,
      paused: request.paused === true,
      nowMs: clock.wallMs(),
      queueOrder: this.#set.order.next(),
    })
    const engine = await this.#set.engineOf(traits.hops)
    const kept = metainfo === null ? { infoBytes: null } : await storedMetainfo(metainfo)
    await this.#set.store.insert({ ...row, ...kept, ownFiles: ownFiles ?? [] })
    while (this.#others.owns(source.infoHash)) await this.#others.giveWay(source.infoHash)
    const entry = new DownloadEntry({ ...row, position: this.#set.entries.size })
    this.#set.enter(entry)
    this.#parts.news.added(row.infoHash, row.name)
    entry.attach(engine.add(specOf(row, metainfo, null)), this.#set.factsOf(traits.hops))
    if (metainfo !== null) await this.#parts.defaults.keepFile(entry, metainfo)
  }
}
