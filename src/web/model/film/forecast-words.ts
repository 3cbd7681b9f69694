// When a film plays without a stall, in words, and what would help. Pure.

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
export const lookingWords: ForecastWords = { line: 'Waiting for the first part of the film…', help: '' }

/** What is said while a film is waited for. */
export function forecastWords(forecast: FilmForecast): ForecastWords {
  return { line: lineOf(forecast), help: helpOf(forecast) }
}

function lineOf({ state, startInSec, stopsAtSec, sources }: FilmForecast): string {
  if (state === 'plays') return 'It plays without a stop now.'
  if (state === 'later') return `It plays without a stop in ${waitWords(startInSec ?? 0)}.`
  if (stopsAtSec !== null) return stopsAtSec > 0 ? `It would stop at ${place(stopsAtSec)}.` : 'It cannot begin yet.'
  if (sources === 0) return 'Nobody who has this film is connected yet.'
  return state === 'never' ? 'Nothing of it comes in at the moment.' : 'Finding out how fast it comes in…'
}

function helpOf({ state, stopsAtSec, sources, startAloneSec, helps }: FilmForecast): string {
  const texts: string[] = []
  if (stopsAtSec !== null) texts.push('No peer that is connected has what comes then; others may join who do.')
  else if (helps.includes('more-peers') && sources > 0) {
    if (state === 'later') texts.push('It comes in slower than it plays: more peers would make the wait shorter.')
    else if (state === 'never') texts.push('More peers would help.')
  }
  if (helps.includes('pause-others')) {
    const then = startAloneSec === null ? '' : `, to ${waitWords(startAloneSec)}`
    texts.push(`Pausing other downloads would make the wait shorter${then}.`)
  }
  return texts.join(' ')
}

/** In steps, so that it is not read out each second. */
function waitWords(seconds: number): string {
  if (seconds <= 5) return 'a few seconds'
  if (seconds < 60) return `about ${Math.ceil(seconds / 5) * 5} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`
  const hours = Math.round(seconds / 1800) / 2
  return hours === 1 ? 'about an hour' : `about ${hours} hours`
}
