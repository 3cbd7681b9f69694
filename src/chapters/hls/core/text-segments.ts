// Texts of a film as a rendition of HLS (RFC 8216, 3.5 and 4.3.4.1): which there are, and one segment of them.

import { type Cue, webVttOf } from '../../../wire/subtitles/cue.ts'
import type { FilmTrack } from '../../media/core/film-facts.ts'
import type { Cut } from './cuts.ts'
import { ticksOf } from './timeline.ts'

/** Its name in the playlist of variants. */
export const TEXT_GROUP = 'texts'
const LANGUAGE = /^[A-Za-z0-9]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/

/** A line of the playlist of variants for each track; `query` belongs to each address. */
export function textRenditions(tracks: readonly FilmTrack[], query: string): string {
  const seen = new Set<string>()
  return tracks.map(track => rendition(track, nameOf(track, seen), query)).join('')
}

/** Names are each there once, and what ends them is not in them. */
function nameOf({ id, name, language }: FilmTrack, seen: Set<string>): string {
  const plain = (name || (language === 'und' ? '' : language) || 'Subtitles').replaceAll(/["\r\n]/g, ' ')
  const own = seen.has(plain) ? `${plain} (${id})` : plain
  seen.add(own)
  return own
}

function rendition({ id, language, isForced }: FilmTrack, name: string, query: string): string {
  const spoken = language !== 'und' && LANGUAGE.test(language) ? `,LANGUAGE="${language}"` : ''
  const shown = `DEFAULT=NO,AUTOSELECT=YES,FORCED=${isForced ? 'YES' : 'NO'}`
  return `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="${TEXT_GROUP}",NAME="${name}"${spoken},${shown},URI="subtitles/${id}/index.m3u8?${query}"\n`
}

/**
 * The texts that are shown in a part of the film, with their whole times, so that players which begin with it have
 * those that began before (RFC 8216, 3.5); times of the film, with what they are on the clock of segments. Texts have
 * whole milliseconds, so the cuts are taken in them too: what begins exactly at a cut is not in the segment before.
 */
export function textSegment(cues: readonly Cue[], { start, end }: Pick<Cut, 'start' | 'end'>): Uint8Array {
  const [from, to] = [Math.round(start * 1000), Math.round(end * 1000)]
  const own = cues.filter(({ startMs, endMs }) => startMs < to && endMs > from)
  const vtt = webVttOf(own, 0)
  const clock = `X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:${ticksOf(0)}\n`
  return Buffer.from(vtt.replace('WEBVTT\n', `WEBVTT\n${clock}`))
}
