// Tracks of transport streams, MP3, Ogg and ADTS, as the package mediabunny reads them.

import { ADTS, CustomSource, Input, type InputTrack, Logging, LogLevel, MP3, MPEG_TS, OGG } from 'mediabunny'
import { DecodeError } from '../../../base/errors.ts'
import { type ByteSource, NotHere, OverBudget, ReadFailed } from '../core/byte-source.ts'
import { type FilmTrack, MAX_TRACKS, plainTrack } from '../core/film-facts.ts'
import { soundDuration, soundHertz } from '../core/film-parts.ts'

// What it thinks of a stranger's film is no business of the log.
Logging.level = LogLevel.Silent

/** Those that may be behind the bytes: no playlists, which would name other addresses. */
const FORMATS = [MPEG_TS, MP3, OGG, ADTS]
/** Names of codecs that the package has otherwise. */
const NAMES: Readonly<Record<string, string>> = { avc: 'h264' }

/** What the package says of a file. */
export interface PackageFacts {
  readonly tracks: readonly FilmTrack[]
  /** Seconds, as far as the head says it; null = it does not. */
  readonly duration: number | null
}

/** Reads them. Rejects with DecodeError when it is none of these, and with what reading throws. */
export async function readTracks(source: ByteSource): Promise<PackageFacts> {
  // What the package makes of a read that failed is not kept to: the first failure counts.
  const failures: Error[] = []
  const read = (start: number, end: number): Uint8Array => {
    try {
      return source.read(start, end)
    } catch (error) {
      if (error instanceof Error) failures.push(error)
      throw error
    }
  }
  const input = new Input({
    formats: FORMATS,
    source: new CustomSource({
      getSize: () => source.size,
      read,
      prefetchProfile: 'none',
      handleUnhandledError: () => undefined,
    }),
  })
  try {
    const found = (await input.getTracks()).slice(0, MAX_TRACKS)
    const tracks = await Promise.all(found.map(trackOf))
    const duration = await input.getDurationFromMetadata()
    return { tracks, duration: soundDuration(duration) }
  } catch {
    const [failure] = failures
    if (failure instanceof NotHere || failure instanceof OverBudget || failure instanceof ReadFailed) throw failure
    // Its own words are for programmers: "Assertion failed".
    throw new DecodeError('what is in it makes no sense')
  } finally {
    input.dispose()
  }
}

async function trackOf(track: InputTrack): Promise<FilmTrack> {
  const codec = await track.getCodec()
  const common = {
    ...plainTrack,
    id: track.id,
    codec: codec === null ? 'unknown' : codec.startsWith('pcm') ? 'pcm' : (NAMES[codec] ?? codec),
    codecString: codec?.startsWith('pcm') === true ? null : await track.getCodecParameterString(),
    language: (await track.getLanguageCode()) || 'und',
    isDefault: true,
  }
  if (track.isAudioTrack()) {
    const [channels, sampleRate] = [await track.getNumberOfChannels(), await track.getSampleRate()]
    return { ...common, kind: 'audio', channels, sampleRate: soundHertz(sampleRate) }
  }
  if (track.isVideoTrack()) {
    const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()]
    return { ...common, kind: 'video', width, height }
  }
  return { ...common, kind: 'other' }
}
