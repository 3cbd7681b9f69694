// Which tracks of a film have texts that are read.

import type { FilmFacts, FilmTrack } from '../film-facts.ts'

const TEXTS: ReadonlySet<string> = new Set(['srt', 'ass', 'vtt', 'tx3g'])
const READ: ReadonlySet<string> = new Set(['matroska', 'webm', 'mp4'])

/** The tracks, in the order of the film. */
export function textTracks({ container, tracks }: FilmFacts): FilmTrack[] {
  const isRead = READ.has(container)
  return isRead ? tracks.filter(({ kind, codec }) => kind === 'subtitle' && TEXTS.has(codec)) : []
}
