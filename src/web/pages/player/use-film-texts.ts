// Subtitles inside of the film, as they come in: texts around the place that is played are asked of the node, and more
// of them as it moves on, or when what lacked has come.

import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Cue, mergedCues } from '../../../wire/subtitles/cue.ts'
import { filmSources } from '../../chapters.ts'
import type { KnownTrack } from '../../model/film/film-way.ts'
import { shownAtFirst, textTracksOf } from '../../model/subtitles/film-texts.ts'
import { TextWindows } from '../../model/subtitles/text-windows.ts'
import { ApiError } from '../../node/api.ts'
import { session } from '../../node/context.ts'
import type { FilmWay } from './use-film-way.ts'

/** How often it is looked whether something is to be asked. */
const LOOK_MS = 1000
const NO_CUES: readonly Cue[] = []
/** Asking again would bring the same. */
const FINAL: ReadonlySet<string> = new Set(['NotFound', 'MediaUnreadable', 'FileNotFound', 'DownloadNotFound'])

/** Subtitles inside of the film. */
export interface FilmTexts {
  readonly tracks: readonly KnownTrack[]
  /** What is shown; null: nothing. */
  readonly chosen: KnownTrack | null
  /** Its texts that are known. */
  readonly cues: readonly Cue[]
  choose(track: KnownTrack | null): void
}

/** Those of one file. */
export function useFilmTexts(
  video: RefObject<HTMLVideoElement | null>,
  infohash: string,
  fileindex: number,
  { known, soundId }: FilmWay,
): FilmTexts {
  const tracks = useMemo(() => (known === null ? [] : textTracksOf(known)), [known])
  const [chosen, setChosen] = useState<KnownTrack | null>(null)
  const isChosen = useRef(false)
  const [cues, setCues] = useState(NO_CUES)
  useEffect(() => {
    if (known !== null && !isChosen.current) setChosen(shownAtFirst(known, soundId))
  }, [known])
  const choose = (track: KnownTrack | null) => {
    isChosen.current = true
    setChosen(track)
  }
  useEffect(() => {
    setCues(NO_CUES)
    const element = video.current
    const [source] = filmSources
    if (chosen === null || element === null || source === undefined) return undefined
    const ended = new AbortController()
    const windows = new TextWindows(known?.durationSec ?? null)
    let isBusy = false
    const look = async (): Promise<void> => {
      if (isBusy || document.hidden) return
      const span = windows.next(element.currentTime, performance.now(), element.paused)
      if (span === null) return
      isBusy = true
      try {
        const part = await source.texts(infohash, fileindex, chosen.id, span, ended.signal)
        if (ended.signal.aborted) return
        windows.answered(part.covered, performance.now())
        setCues(before => mergedCues(before, part.cues))
      } catch (error) {
        if (ended.signal.aborted) return
        windows.failed(performance.now())
        if (!(error instanceof ApiError) || !FINAL.has(error.code)) return
        session.notify(error.message, 'bad')
        // What is known of them goes on being shown.
        if (windows.hasSome) end()
        else choose(null)
      } finally {
        isBusy = false
      }
    }
    const run = (): void => void look()
    const goesOn = (): void => windows.goesOn(performance.now())
    const timer = setInterval(run, LOOK_MS)
    const end = (): void => {
      ended.abort()
      clearInterval(timer)
      element.removeEventListener('seeking', run)
      element.removeEventListener('playing', goesOn)
    }
    element.addEventListener('seeking', run)
    element.addEventListener('playing', goesOn)
    run()
    return end
  }, [chosen?.id])
  return { tracks, chosen, cues, choose }
}
