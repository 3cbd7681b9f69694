// What tracks of sound and of subtitles are called in the choice of them. Pure.

import { languageTag } from '../../language/texts.ts'
import { text } from '../../texts/player.ts'
import type { KnownTrack } from './film-way.ts'

const codecNames: Readonly<Record<string, string>> = {
  aac: 'AAC',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  dts: 'DTS',
  flac: 'FLAC',
  mp3: 'MP3',
  opus: 'Opus',
  pcm: 'PCM',
  vorbis: 'Vorbis',
}

const speakerNames: Readonly<Record<number, string>> = { 1: text('mono'), 2: text('stereo'), 6: '5.1', 8: '7.1' }

/** A track of sound: `English · AC-3 5.1 · Commentary`. `at`: its place among them, from 0. */
export function soundName({ language, codec, channels, name }: KnownTrack, at: number): string {
  const speakers = speakerNames[channels] ?? (channels > 0 ? text('channels', { count: channels }) : '')
  const kind = `${codecNames[codec] ?? codec} ${speakers}`.trim()
  return [languageName(language) ?? text('soundTrack', { count: at + 1 }), kind, name]
    .filter(part => part !== '')
    .join(' · ')
}

/** A track of subtitles: `English · Signs · forced`. `at`: its place among them, from 0. */
export function textsName({ language, name, isForced = false }: KnownTrack, at: number): string {
  const forced = isForced && !/forced/i.test(name) ? text('forced') : ''
  return [languageName(language) ?? text('subtitleTrack', { count: at + 1 }), name, forced]
    .filter(part => part !== '')
    .join(' · ')
}

/** Null: the file does not say it, or nobody knows it. */
function languageName(language: string): string | null {
  if (language === '' || language === 'und') return null
  try {
    return new Intl.DisplayNames([languageTag()], { type: 'language', fallback: 'code' }).of(language) ?? null
  } catch {
    // Not the form of a language at all.
    return null
  }
}
