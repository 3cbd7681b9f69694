// A film as the package mediabunny reads it: what is in it, and its tracks by their numbers. It runs in the worker.

import {
  Input,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
  MATROSKA,
  MP4,
  MPEG_TS,
  QTFF,
  WEBM,
} from 'mediabunny'
import type { KnownFilm, KnownTrack } from '../model/film/film-way.ts'
import type { RangeSource } from './range-source.ts'
import { watchedSource } from './watched-source.ts'

const FORMATS = [MP4, QTFF, MATROSKA, WEBM, MPEG_TS]
/** Bytes that may be read to find a place: a film without an index would be read from its start on. */
const MAX_LOOK_BYTES = 64 * 1024 * 1024
/** Of one packet or element, whatever the film says of its length. */
const MAX_READ_BYTES = 64 * 1024 * 1024
const CACHE_BYTES = 4 * 1024 * 1024

/** A film that one run reads: it ends with the run. */
export class FilmInput {
  readonly input: Input
  readonly signal: AbortSignal
  #lookLeft: number | null = MAX_LOOK_BYTES

  /** Reads until `signal` fires. */
  constructor(source: RangeSource, signal: AbortSignal) {
    this.signal = signal
    const bytes = watchedSource({
      getSize: () => source.size,
      maxCacheSize: CACHE_BYTES,
      read: (start, end) => {
        if (end - start > MAX_READ_BYTES) throw new Error('A packet of the film is too large.')
        this.#count(end - start)
        return source.read(start, end, signal)
      },
      // Whoever waits for the bytes hears of it.
      handleUnhandledError: () => undefined,
    })
    this.input = new Input({ formats: FORMATS, source: bytes })
  }

  /** The place is found: from now on it is read as it is played. */
  found(): void {
    this.#lookLeft = null
  }

  /** Lets its memory go. */
  close(): void {
    this.input.dispose()
  }

  /** Where its times begin: transport streams are cut out of something longer, others begin at 0. */
  async startSec(): Promise<number> {
    return (await this.input.getFormat()) === MPEG_TS ? this.input.getFirstTimestamp() : 0
  }

  /** Rejects where there is none of this number. */
  async videoTrack(id: number): Promise<InputVideoTrack> {
    return theOne(await this.input.getVideoTracks(), id)
  }

  /** Rejects where there is none of this number. */
  async audioTrack(id: number): Promise<InputAudioTrack> {
    return theOne(await this.input.getAudioTracks(), id)
  }

  #count(bytes: number): void {
    if (this.#lookLeft === null) return
    this.#lookLeft -= bytes
    if (this.#lookLeft < 0) throw new Error('The film has no index: this place cannot be found.')
  }
}

function theOne<Track extends InputTrack>(tracks: readonly Track[], id: number): Track {
  const found = tracks.find(track => track.id === id)
  if (found === undefined) throw new Error(`The film has no track ${id}.`)
  return found
}

/** What is known of a film. Rejects where it cannot be read. */
export async function filmOf({ input }: FilmInput): Promise<KnownFilm> {
  const tracks = await input.getTracks()
  const { name } = await input.getFormat()
  return {
    container: containers[name] ?? name.toLowerCase(),
    durationSec: await input.getDurationFromMetadata(),
    tracks: await Promise.all(tracks.map(trackOf)),
  }
}

const containers: Readonly<Record<string, string>> = {
  MP4: 'mp4',
  'QuickTime File Format': 'mp4',
  Matroska: 'matroska',
  WebM: 'webm',
  'MPEG Transport Stream': 'mpegts',
}

async function trackOf(track: InputTrack): Promise<KnownTrack> {
  const [codec, codecString, language, name, disposition] = await Promise.all([
    track.getCodec(),
    track.getCodecParameterString(),
    track.getLanguageCode(),
    track.getName(),
    track.getDisposition(),
  ])
  return {
    id: track.id,
    kind: track.isVideoTrack() ? 'video' : track.isAudioTrack() ? 'audio' : 'other',
    codec: codec === 'avc' ? 'h264' : codec === null ? 'unknown' : codec.replace(/^pcm-.*/, 'pcm'),
    codecString,
    language,
    name: name ?? '',
    isDefault: disposition.default,
    channels: track.isAudioTrack() ? await track.getNumberOfChannels() : 0,
  }
}
