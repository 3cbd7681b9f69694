// Facts of films as the interface says them.

import type { Static } from '@sinclair/typebox'
import type { MediaAnswer, MediaForecasts } from '../service/media-api.ts'
import type { MediaReply } from './media-schemas.ts'

type Media = Static<typeof MediaReply>['media']
type Forecast = Awaited<ReturnType<MediaForecasts['forecast']>>

/** What is answered of a file. `keyframes`: false = without times and bytes; `from`: second that is forecast. */
export function shownMedia(
  { name, size, facts, wanted, missing }: MediaAnswer,
  keyframes: boolean,
  forecast: Forecast = null,
  from = 0,
): Media {
  const missingBytes = missing.reduce((sum, { start, end }) => sum + end - start, 0)
  const known = facts === null ? null : shownFacts(facts, keyframes)
  return {
    name,
    size,
    complete: wanted === null,
    facts: known,
    wanted,
    missing: [...missing],
    missing_bytes: missingBytes,
    forecast: shownForecast(forecast, from),
  }
}

function shownForecast(forecast: Forecast, from: number): Media['forecast'] {
  if (forecast === null) return null
  const { state, startInSec, startAloneSec, stopsAtSec, missingBytes, rate, sources, helps } = forecast
  return {
    state,
    from,
    start_in: startInSec,
    start_alone: startAloneSec,
    stops_at: stopsAtSec,
    missing_bytes: missingBytes,
    rate,
    sources,
    helps: [...helps],
  }
}

function shownFacts(
  { keys, tracks, chapters, index, ...facts }: NonNullable<MediaAnswer['facts']>,
  keyframes: boolean,
): NonNullable<Media['facts']> {
  return {
    ...facts,
    tracks: tracks.map(({ codecString, isDefault, isForced, sampleRate, ...track }) => ({
      ...track,
      codec_string: codecString,
      default: isDefault,
      forced: isForced,
      sample_rate: sampleRate,
    })),
    chapters: [...chapters],
    index: [...index],
    keyframes: keys && {
      track: keys.track,
      count: keys.times.length,
      gap: keys.gap,
      times: keyframes ? [...keys.times] : [],
      bytes: keyframes ? [...keys.bytes] : [],
    },
  }
}
