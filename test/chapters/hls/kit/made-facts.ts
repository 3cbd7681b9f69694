// Facts of a film of 14.5 seconds that was never made: H.264 with two sounds, five key frames.

import { type FilmFacts, type FilmTrack, plainTrack } from '../../../../src/chapters/media/core/film-facts.ts'

const video: FilmTrack = {
  ...plainTrack,
  id: 1,
  kind: 'video',
  codec: 'h264',
  codecString: 'avc1.640028',
  width: 320,
  height: 180,
}
const sound: FilmTrack = {
  ...plainTrack,
  id: 2,
  kind: 'audio',
  codec: 'aac',
  codecString: 'mp4a.40.2',
  isDefault: true,
}
const second: FilmTrack = { ...plainTrack, id: 3, kind: 'audio', codec: 'ac3', codecString: 'ac-3' }

/** Subtitles inside of it, for `tracks`. */
export const madeTexts: FilmTrack = {
  ...plainTrack,
  id: 4,
  kind: 'subtitle',
  codec: 'srt',
  language: 'eng',
  name: 'Signs "n" songs',
  isForced: true,
}

/** The facts, with what a test wants otherwise. */
export function madeFacts(more: Partial<FilmFacts> = {}): FilmFacts {
  return {
    container: 'matroska',
    fragmented: false,
    duration: 14.5,
    bitrate: 551_724,
    seek: 'keys',
    note: '',
    tracks: [video, sound, second],
    chapters: [],
    index: [{ start: 0, end: 900 }],
    keys: { track: 1, times: [0, 2, 5, 8, 10], bytes: [900, 200_000, 400_000, 600_000, 700_000], gap: 0 },
    ...more,
  }
}
