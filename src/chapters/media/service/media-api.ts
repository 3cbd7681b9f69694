// What the routes of films ask.

import type { Asker } from '../../../services/downloads/streams-api.ts'
import type { Forecast } from '../../../torrent/streams/forecast.ts'
import type { ByteRange } from '../core/byte-source.ts'
import type { FilmFacts } from '../core/film-facts.ts'
import type { SubtitleOrder, SubtitlePart } from '../core/subtitles/subtitle-part.ts'

/** What is known of a file now. */
export interface MediaAnswer {
  /** Path under the torrent root with `/`. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Null: nothing yet. */
  readonly facts: FilmFacts | null
  /** What is to be read next, and was asked of the swarm; null = all is known. */
  readonly wanted: ByteRange | null
  /** The parts of it that are not there yet. */
  readonly missing: readonly ByteRange[]
}

/** Facts of films in downloads. */
export interface MediaService {
  /** What is kept of a file of a download; null: nothing yet. Wakes and reads no download. */
  kept(infohash: string, fileIndex: number): Promise<FilmFacts | null>
  /**
   * What is known of the file. What must be downloaded for it is asked of the swarm for up to `waitMs`, as long as
   * `asker` is there. AppErrors MediaUnreadable, DownloadNotFound, FileNotFound, MetadataTimeout, TooManyRequests,
   * NotReady, Aborted, and what reading the download's files rejects with.
   */
  facts(infohash: string, fileIndex: string, waitMs: number, asker: Asker): Promise<MediaAnswer>
}

/** When films play. */
export interface MediaForecasts {
  /**
   * From when on the file plays from a second of it to its end without a stall; null where nothing is known of how fast
   * it is played. AppErrors DownloadNotFound, FileNotFound, NotReady.
   */
  forecast(infohash: string, fileIndex: string, fromSec: number, facts: FilmFacts | null): Promise<Forecast | null>
}

/** Facts of films that are played while they come in. */
export interface MediaWatching {
  /**
   * Calls `tell` with what is known of the file as it becomes more, and asks the swarm for the rest as long as `asker`
   * is there. Resolves when all has been told. AppErrors as MediaService.facts().
   */
  watch(infohash: string, fileIndex: string, asker: Asker, tell: (facts: FilmFacts) => void): Promise<void>
}

/** Texts inside of films. */
export interface MediaTexts {
  /**
   * The texts of a part of the file, as far as it is there: nothing is asked of the swarm. AppErrors NotFound: it has
   * no texts by this number; MediaUnreadable, DownloadNotFound, FileNotFound, MetadataTimeout, TooManyRequests,
   * NotReady, Aborted, and what reading the download's files rejects with.
   */
  texts(infohash: string, fileIndex: string, order: SubtitleOrder, asker: Asker): Promise<SubtitlePart>
}

/** What the routes of this chapter use beside the services of the core. */
export interface MediaRouteServices {
  readonly media: MediaService & MediaForecasts & MediaTexts
}
