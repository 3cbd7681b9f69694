// Downloads, as ports/records.ts asks for them, over the database thread.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../base/errors.ts'
import type { InfoHash } from '../base/ids.ts'
import type { FileRun } from '../ports/progress-journal.ts'
import type {
  DownloadChange,
  DownloadRecords,
  ListedRows,
  LoadedDownload,
  NewDownload,
  StoredDownload,
  StoredMetainfo,
} from '../ports/records.ts'
import { MAX_METAINFO_BYTES } from '../wire/metainfo/metainfo-length.ts'
import { runStepsInTurns } from '../wire/steps.ts'
import { RowTexts, type PackedPage } from './row-texts.ts'
import type { RecordsLink } from './records-link.ts'
import type { LazyTotals } from './lazy-totals.ts'

/** Rows of a list page; texts of one row are small. */
const LIST_PAGE_ROWS = 1000
/** A page of loaded downloads holds info dictionaries: bounded in bytes, so that a start stays small. */
const LOAD_PAGE_ROWS = 250
const LOAD_PAGE_BYTES = 2 * 1024 * 1024

/** Rows of one job that notes how long downloads have seeded: other jobs wait no longer than that takes. */
const SEEDED_ROWS = 500

/** DownloadRecords over the database. */
export class DatabaseDownloads implements DownloadRecords {
  readonly #link: RecordsLink
  readonly #totals: LazyTotals

  constructor(link: RecordsLink, totals: LazyTotals) {
    this.#link = link
    this.#totals = totals
  }

  async insert(download: NewDownload): Promise<boolean> {
    checkInfo(download.infoBytes)
    checkInfo(download.pieceLayers ?? null)
    return this.#link.run('download.insert', download)
  }

  async update(infoHash: InfoHash, change: DownloadChange): Promise<boolean> {
    checkInfo(change.infoBytes ?? null)
    checkInfo(change.pieceLayers ?? null)
    return this.#link.run('download.update', infoHash, change)
  }

  delete(infoHash: InfoHash): Promise<boolean> {
    this.#totals.forget(infoHash)
    return this.#link.run('download.delete', infoHash)
  }

  async *list(): AsyncGenerator<ListedRows> {
    const texts = new RowTexts()
    const total = this.#link.run('download.count')
    // Waited for below; a failure is that of the page too.
    total.catch(() => undefined)
    for (let after: number | undefined = 0; after !== undefined; ) {
      const rows: StoredDownload[] = texts.unpack(await this.#link.run('download.list', after, LIST_PAGE_ROWS))
      yield { rows, total: await total }
      after = rows.length < LIST_PAGE_ROWS ? undefined : rows.at(-1)?.position
    }
  }

  async *loadAll(from = 0): AsyncGenerator<LoadedDownload[]> {
    const rows = new RowTexts()
    const load = (after: number): Promise<PackedPage> => {
      const page = this.#link.run('download.load', after, LOAD_PAGE_ROWS, LOAD_PAGE_BYTES)
      // Waited for below; when the caller ends the loop early it is not.
      page.catch(() => undefined)
      return page
    }
    let next = load(from)
    for (;;) {
      const page = await next
      if (page.last === null) return
      // The database reads on while the caller works on this page.
      next = load(page.last)
      yield await runStepsInTurns(rows.page(page), nextTurn)
    }
  }

  metainfo(infoHash: InfoHash): Promise<StoredMetainfo | null> {
    return this.#link.run('download.metainfo', infoHash)
  }

  ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]> {
    return this.#link.run('files.own', infoHash)
  }

  noteTotals(infoHash: InfoHash, totalUp: number, totalDown: number): void {
    this.#totals.note(infoHash, totalUp, totalDown)
  }

  async setSeeded(seeded: readonly (readonly [infoHash: InfoHash, seconds: number])[]): Promise<void> {
    for (let at = 0; at < seeded.length; at += SEEDED_ROWS) {
      await this.#link.run('download.seeded', seeded.slice(at, at + SEEDED_ROWS))
    }
  }

  async setQueueOrders(orders: readonly (readonly [infoHash: InfoHash, order: number])[]): Promise<void> {
    // One job is one transaction.
    await this.#link.run('download.queued', [...orders])
  }
}

function checkInfo(infoBytes: Uint8Array | null): void {
  if (infoBytes !== null && infoBytes.length > MAX_METAINFO_BYTES) {
    throw new AppError('TorrentUnreadable', `The info dictionary has more than ${MAX_METAINFO_BYTES} bytes.`)
  }
}
