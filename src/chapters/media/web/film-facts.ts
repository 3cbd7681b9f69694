// Tells the player of the dashboard what a film is before it plays, and from when on it does without a stall.

import type { ForecastAnswer } from '../../../web/model/film/forecast-words.ts'
import type { FilmGrain } from '../../../web/model/film/repack-lag.ts'
import { ApiError, NodeApi } from '../../../web/node/api.ts'
import { session } from '../../../web/node/context.ts'
import type { FilmSource, ForecastSource } from '../../../web/film-source.ts'
import type { MediaRoutes } from '../client/routes.ts'

const api = new NodeApi<MediaRoutes>(session.node)
/** What is known after this time is answered: tracks are in the head, an index may come much later. */
const WAIT_SEC = 5
/** Who waits for the film to play hears soon that they are not there yet. */
const SHORT_WAIT_SEC = 2

type Facts = Awaited<ReturnType<typeof mediaOf>>['facts']

async function mediaOf(infohash: string, fileindex: number, wait: number, from: number, signal: AbortSignal) {
  const path = { infohash, fileindex }
  const parameters = { wait, keyframes: false, from }
  return (await api.call('GET /downloads/{infohash}/media/{fileindex}', { path, parameters, signal })).media
}

/** What is known of a file. */
export const filmFacts: FilmSource = async (infohash, fileindex, signal) => {
  const { facts } = await mediaOf(infohash, fileindex, WAIT_SEC, 0, signal)
  if (facts === null) return null
  const tracks = facts.tracks.map(({ codec_string: codecString, default: isDefault, ...track }) => ({
    ...track,
    codecString,
    isDefault,
  }))
  return { container: facts.container, durationSec: facts.duration, tracks }
}

/** From when on a file plays. */
export const filmForecast: ForecastSource = async (infohash, fileindex, fromSec, signal): Promise<ForecastAnswer> => {
  try {
    const { facts, forecast, complete } = await mediaOf(
      infohash,
      fileindex,
      SHORT_WAIT_SEC,
      Math.max(0, fromSec),
      signal,
    )
    if (forecast === null) return complete ? 'none' : 'not-yet'
    const { state, start_in: startInSec, start_alone: startAloneSec, stops_at: stopsAtSec, sources, helps } = forecast
    const told = { state, startInSec, startAloneSec, stopsAtSec, sources, helps }
    return { ...told, missingBytes: forecast.missing_bytes, rate: forecast.rate, ...grainOf(facts) }
  } catch (error) {
    if (error instanceof ApiError && willNotBeKnown(error)) return 'none'
    throw error
  }
}

function grainOf(facts: Facts): Pick<FilmGrain, 'bytesPerSecond' | 'keySec'> {
  const { bitrate = null, duration = null, keyframes = null } = facts ?? {}
  const keySec = duration === null || keyframes === null ? null : duration / Math.max(1, keyframes.count)
  return { bytesPerSecond: bitrate === null ? null : bitrate / 8, keySec }
}

/** It is no film that can be read, or this key may not ask: it plays as well as it can. */
function willNotBeKnown({ status, code }: ApiError): boolean {
  return code === 'MediaUnreadable' || status === 403 || status === 404
}
