// From when on films in downloads play without a stall: their facts put to the engine, which knows what comes in.

import { AppError } from '../../../base/errors.ts'
import type { FilmFacts as WindowFacts } from '../../../torrent/streams/film-facts.ts'
import type { Forecast } from '../../../torrent/streams/forecast.ts'
import type { FilmFacts } from '../core/film-facts.ts'
import { windowFacts } from './window-facts.ts'

/** Who knows downloads; see Downloads.forecast(). */
export interface ForecastingDownloads {
  forecast(
    infohash: string,
    fileIndex: number,
    from: { readonly second: number },
    film: WindowFacts,
  ): Promise<Forecast | null>
}

/** See MediaForecasts.forecast(). */
export async function filmForecast(
  downloads: ForecastingDownloads,
  infohash: string,
  fileIndex: string,
  fromSec: number,
  facts: FilmFacts | null,
): Promise<Forecast | null> {
  const film = facts === null ? null : windowFacts(facts)
  if (film === null) return null
  try {
    return await downloads.forecast(infohash, Number(fileIndex), { second: fromSec }, film)
  } catch (error) {
    // Facts may be kept of a download whose metadata is to be fetched once more.
    if (error instanceof AppError && error.code === 'MetadataNotFound') return null
    throw error
  }
}
