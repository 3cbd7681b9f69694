// Tells the player of the dashboard what a film is before it plays, the texts inside of it, and from when on it plays
// without a stall.

import type { ForecastAnswer } from '../../../web/model/film/forecast-words.ts'
import type { FilmGrain } from '../../../web/model/film/repack-lag.ts'
import { ApiError, NodeApi } from '../../../web/node/api.ts'
import { session } from '../../../web/node/context.ts'
import type { FilmSource, FilmTextPart, ForecastSource } from '../../../web/film-source.ts'
import type { KnownFilm } from '../../../web/model/film/film-way.ts'
import { coveredIn, type Span } from '../../../wire/subtitles/spans.ts'
import { timedText } from '../../../wire/subtitles/timed-text.ts'
import type { MediaRoutes } from '../client/routes.ts'

const api = new NodeApi<MediaRoutes>(session.node)
/** What is known after this time is answered: tracks are in the head, an index may come much later. */
const WAIT_SEC = 5
/** Who waits for the film to play hears soon that they are not there yet. */
const SHORT_WAIT_SEC = 2

type Facts = Awaited<ReturnType<typeof mediaOf>>['facts']

async function mediaOf(infohash: string, fileindex: number, wait: number, from: number | null, signal: AbortSignal) {
  const path = { infohash, fileindex }
  // Without a place no forecast is made.
  const parameters = { wait, keyframes: false, ...(from !== null && { from }) }
  return (await api.call('GET /downloads/{infohash}/media/{fileindex}', { path, parameters, signal })).media
}

async function facts(infohash: string, fileindex: number, signal: AbortSignal): Promise<KnownFilm | null> {
  const { facts: found, complete } = await mediaOf(infohash, fileindex, WAIT_SEC, null, signal)
  // By what is not known yet the way would be chosen for good.
  if (found === null || (!complete && found.tracks.length === 0)) return null
  const tracks = found.tracks.map(({ codec_string: codecString, default: isDefault, forced: isForced, ...track }) => ({
    ...track,
    codecString,
    isDefault,
    isForced,
  }))
  const { container, duration: durationSec } = found
  return { container, durationSec, tracks }
}

async function texts(
  infohash: string,
  fileindex: number,
  track: number,
  { fromSec: from, toSec: to }: Span,
  signal: AbortSignal,
): Promise<FilmTextPart> {
  const path = { infohash, fileindex, track }
  const name = 'GET /downloads/{infohash}/media/{fileindex}/subtitles/{track}'
  const text = await (await api.open(name, { path, parameters: { from, to }, signal })).text()
  return { cues: timedText(text.split('\n'), true), covered: coveredIn(text) }
}

/** Films as the node knows them. */
export const filmFacts: FilmSource = { facts, texts }

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
