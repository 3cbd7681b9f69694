// What all containers have in common when facts are made of them.

import type { FilmTrack } from './film-facts.ts'

/** Covers are tracks of pictures in some containers. */
const STILL: ReadonlySet<string> = new Set(['mjpeg', 'png', 'bmp'])

/** The track whose key frames count: the first film, else the first sound; null = there is neither. */
export function keyTrackOf(tracks: readonly FilmTrack[]): FilmTrack | null {
  const film = tracks.find(({ kind, codec }) => kind === 'video' && !STILL.has(codec))
  return film ?? tracks.find(({ kind }) => kind === 'audio') ?? null
}

/** Bits/s of a file of `size` bytes that plays `duration` seconds; null = not known. */
export function bitrateOf(size: number, duration: number | null): number | null {
  return duration === null || duration <= 0 ? null : Math.round((size * 8) / duration)
}
