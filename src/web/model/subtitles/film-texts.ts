// Subtitles inside of a film: which tracks can be shown, and which is shown without being chosen. Pure.

import type { KnownFilm, KnownTrack } from '../film/film-way.ts'

/** Texts; the others are pictures. */
const TEXTS: ReadonlySet<string> = new Set(['srt', 'ass', 'vtt', 'tx3g'])
/** Containers that the node reads texts of. */
const READ: ReadonlySet<string> = new Set(['matroska', 'webm', 'mp4'])

/** The tracks of texts, in the order of the film. */
export function textTracksOf({ container, tracks }: KnownFilm): KnownTrack[] {
  const isRead = READ.has(container)
  return isRead ? tracks.filter(({ kind, codec }) => kind === 'subtitle' && TEXTS.has(codec)) : []
}

/**
 * What is shown unless something is chosen: what is said in other languages than that of the sound, written in that;
 * null = nothing. That a track is marked as default says little: Matroska has it of each that does not say otherwise.
 */
export function shownAtFirst(film: KnownFilm, soundId: number | null): KnownTrack | null {
  const sounds = film.tracks.filter(({ kind }) => kind === 'audio')
  const heard = sounds.find(({ id }) => id === soundId) ?? sounds[0]
  if (heard === undefined) return null
  const language = languageOf(heard.language)
  return textTracksOf(film).find(track => track.isForced === true && languageOf(track.language) === language) ?? null
}

/** `eng`, `en` and `en-US` are one. */
function languageOf(tag: string): string {
  try {
    return new Intl.Locale(tag).language
  } catch {
    // Not the form of a language at all.
    return tag
  }
}
