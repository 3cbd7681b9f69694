// When a film plays without a stall, in words, and what would help. Pure.

import { text } from '../../texts/player.ts'
import { place } from '../format.ts'
import type { FilmGrain } from './repack-lag.ts'

/** From when on a film plays. */
export interface FilmForecast extends FilmGrain {
  readonly state: 'plays' | 'later' | 'never' | 'unknown'
  /** Seconds; null = never, or not known. */
  readonly startInSec: number | null
  /** The same if other downloads paused; null = they make no difference. */
  readonly startAloneSec: number | null
  /** Second of the film that nobody who is connected has; null = all can be had. */
  readonly stopsAtSec: number | null
  /** Peers and web seeds that are connected. */
  readonly sources: number
  readonly helps: readonly ('wait' | 'more-peers' | 'pause-others')[]
}

/** `not-yet`: the film has not been looked at yet; `none`: how fast it is played will not be known. */
export type ForecastAnswer = FilmForecast | 'not-yet' | 'none'

/** A line, and what would help; '' = nothing. */
export interface ForecastWords {
  readonly line: string
  readonly help: string
}

/** What is said before anything is known. */
export const lookingWords: ForecastWords = { line: text('looking'), help: '' }

/** What is said while a film is waited for. */
export function forecastWords(forecast: FilmForecast): ForecastWords {
  return { line: lineOf(forecast), help: helpOf(forecast) }
}

function lineOf({ state, startInSec, stopsAtSec, sources }: FilmForecast): string {
  if (state === 'plays') return text('playsNow')
  if (state === 'later') return text('playsIn', { time: waitWords(startInSec ?? 0) })
  if (stopsAtSec !== null) return stopsAtSec > 0 ? text('stopsAt', { place: place(stopsAtSec) }) : text('cannotBegin')
  if (sources === 0) return text('nobody')
  return state === 'never' ? text('nothingComes') : text('findingRate')
}

function helpOf({ state, stopsAtSec, sources, startAloneSec, helps }: FilmForecast): string {
  const texts: string[] = []
  if (stopsAtSec !== null) texts.push(text('helpMissing'))
  else if (helps.includes('more-peers') && sources > 0) {
    if (state === 'later') texts.push(text('helpSlow'))
    else if (state === 'never') texts.push(text('helpPeers'))
  }
  if (helps.includes('pause-others')) {
    texts.push(startAloneSec === null ? text('helpPause') : text('helpPauseTo', { time: waitWords(startAloneSec) }))
  }
  return texts.join(' ')
}

/** In steps, so that it is not read out each second. */
function waitWords(seconds: number): string {
  if (seconds <= 5) return text('fewSeconds')
  if (seconds < 60) return text('aboutSeconds', { seconds: Math.ceil(seconds / 5) * 5 })
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return text('aboutMinutes', { count: minutes })
  const hours = Math.round(seconds / 1800) / 2
  return text('aboutHours', { count: hours })
}
