// What all containers have in common when facts are made of them.

import type { FilmTrack } from './film-facts.ts'

/** Covers are tracks of pictures in some containers. */
const STILL: ReadonlySet<string> = new Set(['mjpeg', 'png', 'bmp'])

/** The track whose key frames count: the first film, else the first sound; null = there is neither. */
export function keyTrackOf(tracks: readonly FilmTrack[]): FilmTrack | null {
  const film = tracks.find(({ kind, codec }) => kind === 'video' && !STILL.has(codec))
  return film ?? tracks.find(({ kind }) => kind === 'audio') ?? null
}

/** No film plays longer, s: four months. */
export const MOST_SECONDS = 10_000_000
/** Shorter than a sample of sound, s: no film, and its bitrate would be no number. */
const LEAST_SECONDS = 1e-5
/** No sound has more, Hz. */
const MOST_HERTZ = 2 ** 31

/** A duration as a file says it, s; null where no film can have it, or none is said. */
export function soundDuration(seconds: number | null): number | null {
  return seconds !== null && seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS ? seconds : null
}

/** A sample rate as a file says it, Hz; 0 where no sound can have it. */
export function soundHertz(rate: number): number {
  return rate >= 0 && rate < MOST_HERTZ ? Math.round(rate) : 0
}

/** Bits/s of a file of `size` bytes that plays `duration` seconds; null = not known. */
export function bitrateOf(size: number, duration: number | null): number | null {
  const rate = duration === null || duration <= 0 ? 0 : Math.round((size * 8) / duration)
  return rate > 0 ? rate : null
}
