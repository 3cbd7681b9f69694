// Which tracks of a film have texts that are read.

import type { FilmFacts, FilmTrack } from '../film-facts.ts'

const TEXTS: ReadonlySet<string> = new Set(['srt', 'ass', 'vtt', 'tx3g'])

/** The tracks, in the order of the film; none of MP4 in fragments. */
export function textTracks({ container, fragmented, tracks }: FilmFacts): FilmTrack[] {
  const isRead = container === 'matroska' || container === 'webm' || (container === 'mp4' && !fragmented)
  return isRead ? tracks.filter(({ kind, codec }) => kind === 'subtitle' && TEXTS.has(codec)) : []
}
