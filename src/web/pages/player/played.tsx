// A film with what is beside it: where it begins, subtitles, speed, the next one, other players.

import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { DownloadFile, WatchingRecord } from '../../../client/core-routes.ts'
import { neighboursOf } from '../../model/episodes.ts'
import { bytes, percent, rate } from '../../model/format.ts'
import { session } from '../../node/context.ts'
import { recordOf } from '../../node/session.ts'
import { ContinueChoice } from './continue-choice.tsx'
import { Film } from './film.tsx'
import { FloatButton, floatFilm, KeyHelp, NeighbourButtons, SpeedChoice } from './film-tools.tsx'
import { isFollowed, NextUp, playNext } from './next-up.tsx'
import { type Subtitle, SubtitleChoice, subtitlesFor } from './subtitle-choice.tsx'
import { useKeys } from './use-keys.ts'
import { usePlaceReports } from './use-place-reports.ts'
import { WatchedButton } from './watched-button.tsx'
import { WaysOut } from './ways-out.tsx'

interface PlayedProps {
  readonly infohash: string
  readonly file: DownloadFile
  readonly files: readonly DownloadFile[]
  readonly left: WatchingRecord | null
  /** What is shown in full screen: it stays when the next film comes. */
  readonly stage: RefObject<HTMLDivElement | null>
  renew(): void
}

/** The film, and the buttons below it. */
export function Played({ infohash, file, files, left, stage, renew }: PlayedProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [known] = useState(left)
  const goesOn = known?.continue_at ?? 0
  const [startSec, setStart] = useState<number | null>(() =>
    goesOn > 0 && !isFollowed(infohash, file.index) ? null : goesOn,
  )
  const [speed, setSpeed] = useSpeed(video)
  const [subtitle, setSubtitle] = useState<Subtitle | null>(null)
  const neighbours = useMemo(() => neighboursOf(files, file.index), [files, file.index])
  const { previous, next } = neighbours
  usePlaceReports(video, infohash, file.index, startSec)
  useKeys({
    video,
    fullscreen: () => toggleFullscreen(stage.current),
    subtitles: () => toggleSubtitles(video.current),
    next: () => next !== null && playNext(infohash, next.index),
    previous: () => previous !== null && playNext(infohash, previous.index),
    float: () => floatFilm(video),
    speed: setSpeed,
  })
  useEffect(
    () => () => {
      if (subtitle !== null) URL.revokeObjectURL(subtitle.url)
    },
    [subtitle],
  )
  return (
    <>
      <div class="film">
        <Film file={file} video={video} startSec={startSec} renew={renew}>
          {subtitle !== null && (
            <track key={subtitle.url} default kind="subtitles" label={subtitle.name} src={subtitle.url} />
          )}
        </Film>
        {startSec === null && <ContinueChoice place={goesOn} choose={setStart} />}
        {next !== null && <NextUp infohash={infohash} next={next} video={video} />}
      </div>
      <div class="button-line">
        <NeighbourButtons infohash={infohash} neighbours={neighbours} />
        <WatchedButton infohash={infohash} file={file.index} watched={known?.watched ?? false} />
        <WaysOut file={file} position={() => video.current?.currentTime || goesOn} />
        <FloatButton video={video} />
        <SpeedChoice speed={speed} choose={setSpeed} />
        <SubtitleChoice files={subtitlesFor(files)} choose={setSubtitle} />
        <span class="muted number">
          {bytes(file.size)}
          {comingOf(infohash)}
        </span>
        <KeyHelp />
      </div>
    </>
  )
}

/** A new link keeps the speed: that of an element falls back with each. */
function useSpeed(video: RefObject<HTMLVideoElement | null>): [number, (speed: number) => void] {
  const [speed, setSpeed] = useState(1)
  const change = (to: number) => {
    setSpeed(to)
    if (video.current === null) return
    video.current.defaultPlaybackRate = to
    video.current.playbackRate = to
  }
  return [speed, change]
}

function toggleFullscreen(stage: HTMLElement | null): void {
  const done = document.fullscreenElement === null ? stage?.requestFullscreen() : document.exitFullscreen()
  done?.catch(() => undefined)
}

function toggleSubtitles(video: HTMLVideoElement | null): void {
  const track = video?.textTracks[0]
  if (track !== undefined) track.mode = track.mode === 'showing' ? 'hidden' : 'showing'
}

/** How much of it is here, and how fast the rest comes. */
function comingOf(infohash: string): string {
  const record = recordOf(session, infohash)
  if (record === null) return ''
  const here = record.progress < 1 ? ` · ${percent(record.progress)} here` : ''
  return record.speed_down >= 1 ? `${here} · ↓ ${rate(record.speed_down)}` : here
}
