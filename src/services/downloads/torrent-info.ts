// GET /torrentinfo: the metadata dictionary behind a uri, whether or not it is a download. Adds nothing.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SourceFetch } from '../../ports/source-fetch.ts'
import { type Magnet } from '../../wire/metainfo/magnet.ts'
import { encodeMetainfo } from '../../wire/metainfo/metainfo.ts'
import { metainfoJson } from '../../wire/metainfo/metainfo-json.ts'
import { runStepsInTurns } from '../../wire/steps.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { TorrentInfoService, TorrentPreview } from './torrents-api.ts'
import { withDeadline } from '../deadline.ts'
import type { MetadataPreviews } from './metadata-previews.ts'
import { readSource, sentSource, type SourceReaders } from './torrent-source.ts'

/** A magnet's metadata is looked for this long (decisions part 2). */
const METADATA_LIMIT_MS = 60_000

/** What is asked of the downloads. */
export interface KnownDownloads {
  /** Absent = as the settings say. AppErrors InvalidParameter, CircuitsUnavailable. */
  hopsOf(wanted: number | undefined): number
  /** How sources are read for a hop count. */
  readers(hops: number): SourceReaders
  /** AppError NotReady while it is not known yet. */
  has(infoHash: InfoHash): boolean
  /** Of a download that is there; waits for it. AppErrors DownloadNotFound, NotReady, Aborted. */
  whenMetadata(infoHash: InfoHash, signal: AbortSignal): Promise<Metainfo>
}

/** What the service needs of the node. */
export interface TorrentInfoDeps {
  readonly clock: Clock
  readonly previews: MetadataPreviews
  readonly downloads: KnownDownloads
}

/** See TorrentInfoService. */
export class TorrentInfo implements TorrentInfoService {
  readonly #deps: TorrentInfoDeps

  constructor(deps: TorrentInfoDeps) {
    this.#deps = deps
  }

  async read(
    uri: string,
    signal: AbortSignal,
    wantedHops?: number,
  ): Promise<{ metainfo: readonly Uint8Array[]; infohash: string; download_exists: boolean }> {
    const { clock, downloads } = this.#deps
    const hops = downloads.hopsOf(wantedHops)
    const source = await readSource(uri, downloads.readers(hops), signal)
    const bytes =
      source.kind === 'file'
        ? source.bytes
        : await withDeadline({ clock, signal, limitMs: METADATA_LIMIT_MS, lateCode: 'MetadataTimeout' }, inner =>
            this.#metadataOf(source.magnet, hops, inner),
          )
    return {
      metainfo: await runStepsInTurns(metainfoJson(bytes), nextTurn),
      infohash: source.infoHash,
      download_exists: downloads.has(source.infoHash),
    }
  }

  async files(uri: string, signal: AbortSignal, wantedHops?: number): Promise<TorrentPreview> {
    const { clock, downloads } = this.#deps
    const hops = downloads.hopsOf(wantedHops)
    const source = await readSource(uri, downloads.readers(hops), signal)
    if (source.kind === 'file') return this.#preview(source.metainfo)
    const limits = { clock, signal, limitMs: METADATA_LIMIT_MS, lateCode: 'MetadataTimeout' } as const
    return this.#preview(await withDeadline(limits, inner => this.#find(source.magnet, hops, inner)))
  }

  async filesIn(bytes: Uint8Array): Promise<TorrentPreview> {
    const source = await sentSource(bytes)
    // A torrent file is no magnet.
    if (source.kind !== 'file') throw new AppError('TorrentUnreadable')
    return this.#preview(source.metainfo)
  }

  #preview(metainfo: Metainfo): TorrentPreview {
    const { infoHash, name } = metainfo
    const exists = this.#deps.downloads.has(infoHash)
    return { files: filesOf(metainfo), name, infohash: infoHash, private: metainfo.private, download_exists: exists }
  }

  /**
   * The torrent behind `uri`, fetched as a new download would be; a magnet's trackers come with it. AppErrors as
   * read().
   */
  async metainfo(uri: string, limitMs: number, signal: AbortSignal): Promise<Metainfo> {
    const { clock, downloads } = this.#deps
    const hops = downloads.hopsOf(undefined)
    return withDeadline({ clock, signal, limitMs, lateCode: 'MetadataTimeout' }, async inner => {
      const source = await readSource(uri, downloads.readers(hops), inner)
      if (source.kind === 'file') return source.metainfo
      const found = await this.#find(source.magnet, hops, inner)
      return { ...found, announceTiers: source.magnet.trackers.map(url => [url]) }
    })
  }

  /** How addresses are read by the hops of new downloads; null = plainly. AppError CircuitsUnavailable. */
  hiddenFetch(): SourceFetch | null {
    const { downloads } = this.#deps
    const hops = downloads.hopsOf(undefined)
    return hops === 0 ? null : downloads.readers(hops).http
  }

  async #metadataOf(magnet: Magnet, hops: number, signal: AbortSignal): Promise<Uint8Array> {
    const { infoBytes, v2 } = await this.#find(magnet, hops, signal)
    const announceTiers = magnet.trackers.map(url => [url])
    return encodeMetainfo({ infoBytes, v2, announceTiers, webSeeds: magnet.webSeeds ?? [] })
  }

  async #find(magnet: Magnet, hops: number, signal: AbortSignal): Promise<Metainfo> {
    const { downloads, previews } = this.#deps
    await previews.recall(magnet.infoHash)
    for (;;) {
      const way = await previews.wayFor(magnet.infoHash, hops, signal)
      // From here to the begin of a preview nothing is waited for: no download can come between.
      if (downloads.has(magnet.infoHash)) return downloads.whenMetadata(magnet.infoHash, signal)
      try {
        return await previews.fetch(magnet, signal, way)
      } catch (error) {
        // A download of this info hash was added meanwhile and goes on with the work (ask it), or another preview.
        const tookOver = error instanceof AppError && error.code === 'Aborted' && !signal.aborted
        if (!tookOver) throw error
      }
    }
  }
}

/** Named as the files of a download are. */
function* filesOf({ files, multiFile }: Metainfo): Generator<{ index: number; name: string; size: number }, void> {
  for (const { index, path, length, padding } of files)
    if (!padding) yield { index, name: (multiFile ? path.slice(1) : path).join('/'), size: length }
}
