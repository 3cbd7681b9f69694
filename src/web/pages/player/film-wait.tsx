// A film that is still coming in: it waits for the moment from which it plays to its end without a stall, says when
// that is and what would help, and lets nobody wait who does not want to.

import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { forecastSources } from '../../chapters.ts'
import { forecastWords, lookingWords } from '../../model/film/forecast-words.ts'
import { repackLagSec } from '../../model/film/repack-lag.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/player.ts'
import { useBeginnings } from './use-beginnings.ts'
import { useForecast } from './use-forecast.ts'
import { useReadWatch } from './use-read-watch.ts'

/** Whether somebody can say when a file plays, and it is not all there. */
export function isWaitedFor(file: DownloadFile): boolean {
  return file.progress < 1 && forecastSources.length > 0
}

interface FilmWaitProps {
  readonly infohash: string
  readonly file: DownloadFile
  readonly video: RefObject<HTMLVideoElement | null>
  /** The page repacks it: `coming` while it prepares that, when it is not time yet. */
  readonly repacked: 'no' | 'coming' | 'yes'
  /** The moment has come, or nobody wants to wait. */
  play(): void
}

/** What is said over the film, and a button. */
export function FilmWait({ infohash, file, video, repacked, play }: FilmWaitProps) {
  const { answer, problem } = useForecast(video, infohash, file.index, useBeginnings(infohash))
  const forecast = answer === null || answer === 'not-yet' || answer === 'none' ? null : answer
  const isTime = answer === 'none' || forecast?.state === 'plays'
  const lagSec = forecast === null || repacked === 'no' ? 0 : repackLagSec(forecast)
  useEffect(() => {
    if (!isTime || repacked === 'coming') return undefined
    const timer = setTimeout(play, lagSec * 1000)
    return () => clearTimeout(timer)
  }, [isTime, repacked])
  // What nobody reads does not come first: it plays as well as it can, or shows the browser's own button to be tapped.
  useReadWatch(video, repacked === 'no', play)
  const { line, help } = forecast === null ? lookingWords : forecastWords(forecast)
  return (
    <div class="film-choice waits" role="group" aria-label={text('waiting')}>
      <div class="film-wait" role="status">
        <p>{problem || line}</p>
        {help !== '' && <p>{help}</p>}
      </div>
      <button type="button" class="primary" onClick={play}>
        <Icon name="play" size={16} /> {text('playNow')}
      </button>
    </div>
  )
}
