// Which way a film is played: by the browser's own player, or by the page, which repacks it (decision 0545). Judged by
// what its tracks are and by what this browser says of them. Pure.

import type { Trouble } from '../playable.ts'

/** A track, as far as playing it goes. */
export interface KnownTrack {
  /** Its number in the file. */
  readonly id: number
  readonly kind: 'video' | 'audio' | 'subtitle' | 'other'
  /** A short name in lower case: h264, hevc, aac, ac3, dts, pcm, ... */
  readonly codec: string
  /** What browsers are asked with (RFC 6381); null: not known. */
  readonly codecString: string | null
  /** BCP 47 or ISO 639-2; und: not said. */
  readonly language: string
  /** '': none. */
  readonly name: string
  readonly isDefault: boolean
  /** Of subtitles: for what is not said in the language of the sound. Absent: no. */
  readonly isForced?: boolean
  /** Of sound; 0: not known. */
  readonly channels: number
}

/** A film, as far as playing it goes. */
export interface KnownFilm {
  /** mp4, matroska, webm, mpegts, avi, ... */
  readonly container: string
  /** Null: not known. */
  readonly durationSec: number | null
  readonly tracks: readonly KnownTrack[]
}

/** What this browser says of itself. */
export interface Abilities {
  /** Its media element plays a type (canPlayType). */
  plays(type: string): boolean
  /** Its source buffers take a type (MediaSource.isTypeSupported). */
  takes(type: string): boolean
  /** Sound of a codec can be decoded by the page. */
  decodes(codec: string): boolean
}

/** Which tracks the page plays. Sound is copied, or converted to FLAC. */
export interface RemuxPlan {
  readonly video: number | null
  readonly sound: { readonly id: number; readonly converted: boolean } | null
}

/** The browser plays it, with what it will lack; or the page does. */
export type FilmWay =
  | { readonly by: 'browser'; readonly lacks: Trouble | null }
  | { readonly by: 'page'; readonly plan: RemuxPlan }

/** What sound is converted to: every frame stands for itself, and no network lies between it and the player. */
const CONVERTED = 'audio/mp4; codecs="flac"'
/** Containers that the page takes apart. */
const TAKEN_APART: ReadonlySet<string> = new Set(['mp4', 'matroska', 'webm', 'mpegts'])
/** Pictures of a cover are no film. */
const COVERS: ReadonlySet<string> = new Set(['mjpeg', 'png', 'bmp'])

/** The way of a film; `soundId`: the track that was chosen, null = none was. */
export function wayOf(film: KnownFilm, can: Abilities, soundId: number | null): FilmWay {
  const lacks = lacksOf(film, can)
  if (lacks === null && (soundId === null || soundId === soundsOf(film)[0]?.id)) return { by: 'browser', lacks }
  const plan = planOf(film, can, soundId)
  return plan === null ? { by: 'browser', lacks } : { by: 'page', plan }
}

/** What the film will lack where the browser plays it as it is. */
export function lacksOf(film: KnownFilm, can: Abilities): Trouble | null {
  const picture = pictureOf(film)
  const [first] = soundsOf(film)
  const sounds = first === undefined || elementPlays(first, can)
  if (!elementTakes(film, can)) return 'format'
  if (picture !== null && !elementPlays(picture, can)) return first !== undefined && sounds ? 'picture' : 'format'
  return sounds ? null : 'sound'
}

/**
 * How the page plays it: null = it cannot. Without a chosen track the one that is marked as default, else the first;
 * where that cannot be played another that can.
 */
export function planOf(film: KnownFilm, can: Abilities, soundId: number | null): RemuxPlan | null {
  if (!TAKEN_APART.has(film.container)) return null
  const picture = pictureOf(film)
  if (picture !== null && !bufferTakes(picture, can)) return null
  const sounds = soundsOf(film)
  const inOrder = [
    ...sounds.filter(({ id }) => id === soundId),
    ...sounds.filter(({ isDefault }) => isDefault),
    ...sounds,
  ]
  const [sound] = inOrder.flatMap(track => soundPlan(track, can) ?? [])
  if (sound === undefined && (sounds.length > 0 || picture === null)) return null
  return { video: picture?.id ?? null, sound: sound ?? null }
}

/** How a track of sound is played by the page; null = it cannot be. */
export function soundPlan(track: KnownTrack, can: Abilities): RemuxPlan['sound'] {
  if (bufferTakes(track, can)) return { id: track.id, converted: false }
  return can.decodes(track.codec) && can.takes(CONVERTED) ? { id: track.id, converted: true } : null
}

/** The tracks of sound, in the order of the file. */
export function soundsOf({ tracks }: KnownFilm): KnownTrack[] {
  return tracks.filter(({ kind }) => kind === 'audio')
}

/** Those of them that are heard by one way or the other. */
export function choicesOf(film: KnownFilm, can: Abilities): KnownTrack[] {
  const playable = soundsOf(film).filter(({ id }) => {
    const way = wayOf(film, can, id)
    return way.by === 'page' ? way.plan.sound?.id === id : way.lacks === null
  })
  return playable.length > 1 ? playable : []
}

/** What is shown; null: it has no picture. */
function pictureOf({ tracks }: KnownFilm): KnownTrack | null {
  return tracks.find(({ kind, codec }) => kind === 'video' && !COVERS.has(codec)) ?? null
}

// Of Matroska some browsers say nothing and play it: their element is asked by playing.
function elementTakes({ container }: KnownFilm, can: Abilities): boolean {
  if (container === 'avi') return false
  return container !== 'mpegts' || can.plays('video/mp2t')
}

function elementPlays({ kind, codec, codecString }: KnownTrack, can: Abilities): boolean {
  // What has no name to ask with is judged by what the element makes of it.
  if (codecString === null || codec === 'pcm') return true
  const top = kind === 'video' ? 'video' : 'audio'
  return ['mp4', 'webm'].some(container => can.plays(`${top}/${container}; codecs="${codecString}"`))
}

function bufferTakes({ kind, codec, codecString }: KnownTrack, can: Abilities): boolean {
  if (codecString === null || codec === 'pcm' || codec === 'vorbis' || codec === 'vp8') return false
  return can.takes(`${kind === 'video' ? 'video' : 'audio'}/mp4; codecs="${codecString}"`)
}
