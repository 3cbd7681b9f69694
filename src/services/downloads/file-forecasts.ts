// From when on files of downloads play without a stall: what the engine says of one, which knows what comes in, and
// what all others take from the line. Invariant: a download that is all there is not woken for it.

import { TtlMap } from '../../base/ttl-map.ts'
import type { FilmFacts } from '../../torrent/streams/film-facts.ts'
import type { Forecast } from '../../torrent/streams/forecast.ts'
import type { PlayFrom } from '../../torrent/types.ts'
import type { DownloadEntry } from './download-entry.ts'

const MAX_KEPT = 64
/** Each looks at every piece and all downloads: who asks again at once hears the same. */
const KEPT_MS = 1000

/** What is said of a film that is all there, of which nothing else is to be found out. */
const ALL_THERE: Forecast = {
  state: 'plays',
  startInSec: 0,
  startAloneSec: null,
  stopsAtSec: null,
  missingBytes: 0,
  rate: 0,
  sources: 0,
  helps: [],
}

/** The forecasts of all downloads. */
export class FileForecasts {
  readonly #kept = new TtlMap<Forecast | null>(MAX_KEPT, KEPT_MS)

  /**
   * From when on a file plays from a place to its end, by what is known of the film; null where `film` has no rate.
   * `others`: all downloads. AppErrors FileNotFound, MetadataNotFound, NotReady.
   */
  async of(
    entry: DownloadEntry,
    fileIndex: number,
    from: PlayFrom,
    film: FilmFacts,
    others: Iterable<DownloadEntry>,
    nowMs: number,
  ): Promise<Forecast | null> {
    const key = `${entry.stored.infoHash}/${fileIndex}/${film.bytesPerSecond}/${JSON.stringify(from)}`
    const known = this.#kept.get(key, nowMs)
    if (known !== undefined) return known
    if (isAllThere(entry, fileIndex)) return film.bytesPerSecond > 0 ? ALL_THERE : null
    const torrent = await entry.torrent.wake()
    const forecast = torrent.forecast(fileIndex, from, film, rateOfOthers(others, entry))
    this.#kept.set(key, forecast, nowMs)
    return forecast
  }
}

/** A file that is selected in a suspended download with everything that is selected. */
function isAllThere({ torrent, stored }: DownloadEntry, fileIndex: number): boolean {
  if (!torrent.suspended) return false
  const { progress, pieceCount } = torrent.snapshot()
  const { selectedFiles } = stored
  return progress === 1 && pieceCount > 0 && (selectedFiles === null || selectedFiles.includes(fileIndex))
}

/** Bytes/s of all downloads but one that are under way. */
function rateOfOthers(entries: Iterable<DownloadEntry>, one: DownloadEntry): number {
  let rate = 0
  // Suspended ones fetch nothing.
  for (const entry of entries) if (entry !== one && entry.loaded) rate += entry.torrent.downRate
  return rate
}
