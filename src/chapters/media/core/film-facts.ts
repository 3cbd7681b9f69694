// What is known of a film: the facts that players, forecasts, playlists and windows are made of. Times in seconds from
// its first picture or sound on, bytes from the start of the file. Types and limits only.

import type { ByteRange } from './byte-source.ts'

/** How a file is packed. */
export type Container = 'mp4' | 'matroska' | 'webm' | 'mpegts' | 'flac' | 'mp3' | 'ogg' | 'adts' | 'wave' | 'avi'

/**
 * How a place in time is found: by the table of key frames; by the share of bytes, and a look at what is there; not
 * yet, because there is no index and only what was downloaded can be looked through; not at all.
 */
export type SeekKind = 'keys' | 'bytes' | 'not-yet' | 'no'

/** What a track holds. */
export type TrackKind = 'video' | 'audio' | 'subtitle' | 'other'

/** Tracks of a film in its facts, at most. */
export const MAX_TRACKS = 64
/** Chapters, at most. */
export const MAX_CHAPTERS = 1000

/** One track. */
export interface FilmTrack {
  /** Its number in the file. */
  readonly id: number
  readonly kind: TrackKind
  /** A short name in lower case: h264, hevc, av1, aac, ac3, dts, srt, ass, pgs, ...; else what the file calls it. */
  readonly codec: string
  /** What a browser is asked with (RFC 6381), such as avc1.640028; null = not known. */
  readonly codecString: string | null
  /** BCP 47 or ISO 639-2 as the file says it; und = it does not. */
  readonly language: string
  /** '' = none. */
  readonly name: string
  readonly isDefault: boolean
  readonly isForced: boolean
  /** Of pictures, pixels; else 0. */
  readonly width: number
  readonly height: number
  /** Of sound; 0 = not known. */
  readonly channels: number
  /** Hz; 0 = not known. */
  readonly sampleRate: number
}

/** One chapter. */
export interface FilmChapter {
  readonly start: number
  readonly title: string
}

/** Where one may begin to play: time and byte of key frames, by rising time. Both lists are equally long. */
export interface KeyTable {
  /** Number of the track whose frames they are. */
  readonly track: number
  readonly times: readonly number[]
  /** Of MP4 the frame itself, of fragmented MP4 its fragment, of Matroska its cluster. */
  readonly bytes: readonly number[]
  /** Of those that follow each other closer than this many seconds only the first is listed; 0 = all are. */
  readonly gap: number
}

/** What is known of a film. */
export interface FilmFacts {
  readonly container: Container
  /** MP4 in fragments. */
  readonly fragmented: boolean
  /** Seconds; null = not known. */
  readonly duration: number | null
  /** Bits/s of the whole file on average; null = not known. */
  readonly bitrate: number | null
  readonly seek: SeekKind
  /** What a reader of the facts should know, a sentence or more; '' = nothing. */
  readonly note: string
  readonly tracks: readonly FilmTrack[]
  readonly chapters: readonly FilmChapter[]
  /** Where the index lies: what a player reads beside the place it plays. */
  readonly index: readonly ByteRange[]
  /** Null: there is none, or it is not there yet. */
  readonly keys: KeyTable | null
}

/** How far a reading came. */
export interface FilmReading {
  /** What is known; null = nothing yet. */
  readonly facts: FilmFacts | null
  /** What must be downloaded for the rest; null = there is no rest. */
  readonly missing: ByteRange | null
  /**
   * Titles of chapters were not there, which nothing waits for: when more of the film is there, more is known. Absent:
   * no.
   */
  readonly passing?: boolean
  /** Bytes that were read for it. */
  readonly fetched: number
}

/** A track with what most tracks have. */
export const plainTrack: Omit<FilmTrack, 'id' | 'kind' | 'codec'> = {
  codecString: null,
  language: 'und',
  name: '',
  isDefault: false,
  isForced: false,
  width: 0,
  height: 0,
  channels: 0,
  sampleRate: 0,
}
