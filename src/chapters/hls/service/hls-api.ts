// What the routes of HLS ask.

import type { Asker } from '../../../services/downloads/streams-api.ts'
import type { SegmentPlan } from '../core/segment-plan.ts'

/** Which film is meant. */
export interface AskedFilm {
  readonly infohash: string
  readonly fileIndex: string
  /** Number of the sound track; null = the default one, 0 = without sound. */
  readonly sound: number | null
  /** The picture becomes H.264 also where it could be copied as it is (HEVC); absent: no. */
  readonly wantsH264?: boolean
}

/** Films of downloads in segments. */
export interface HlsService {
  /**
   * How a film is cut. What its facts need is asked of the swarm for up to 20 s. AppErrors MediaUnreadable (also: why
   * it cannot be cut), ConversionTooSlow, NotReady (its index is not there yet), DownloadNotFound, FileNotFound,
   * MetadataTimeout, TooManyRequests, Aborted, and what reading the download's files rejects with.
   */
  plan(film: AskedFilm, asker: Asker): Promise<SegmentPlan>
  /**
   * One segment, or the head of all, by its name in the playlist. What it is made of is asked of the swarm, as long as
   * `asker` is there. AppErrors as of plan(), and NotFound: there is none of this name.
   */
  segment(film: AskedFilm, name: string, asker: Asker): Promise<Uint8Array>
}

/** Texts of films in segments. */
export interface HlsTexts {
  /**
   * The texts that begin in one segment, of a track that the plan names. What the segment is made of is asked of the
   * swarm, as long as `asker` is there. AppErrors as of segment().
   */
  texts(film: AskedFilm, track: number, segment: number, asker: Asker): Promise<Uint8Array>
}

/** What the routes of this chapter use beside the services of the core. */
export interface HlsRouteServices {
  readonly hls: HlsService & HlsTexts
}
