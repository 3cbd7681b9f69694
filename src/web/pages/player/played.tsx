// A film with what is beside it: where it begins, subtitles, speed, the next one, other players.

import type { RefObject } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { DownloadFile, WatchingRecord } from '../../../client/core-routes.ts'
import { neighboursOf } from '../../model/episodes.ts'
import { beginsAt } from '../../model/film-places.ts'
import { textsName } from '../../model/film/sound-names.ts'
import { bytes, percent, rate } from '../../model/format.ts'
import { SUBTITLE_NAME } from '../../model/subtitles/subtitles.ts'
import { session } from '../../node/context.ts'
import { recordOf } from '../../node/session.ts'
import { GiveLink } from '../../parts/give-link.tsx'
import { text } from '../../texts/player.ts'
import { ContinueChoice } from './continue-choice.tsx'
import { Film } from './film.tsx'
import { FilmTextTrack } from './film-text-track.tsx'
import { FilmWait, isWaitedFor } from './film-wait.tsx'
import { FloatButton, floatFilm, KeyHelp, NeighbourButtons, SpeedChoice } from './film-tools.tsx'
import { isFollowed, NextUp, playNext } from './next-up.tsx'
import { SoundChoice } from './sound-choice.tsx'
import { type SubtitleSize, sizeOf, SubtitleTools } from './subtitle-tools.tsx'
import { useFilmTexts } from './use-film-texts.ts'
import { type PagePlay, useFilmWay } from './use-film-way.ts'
import { useKeys } from './use-keys.ts'
import { usePlaceReports } from './use-place-reports.ts'
import { useSeekWait } from './use-seek-wait.ts'
import { useSubtitles } from './use-subtitles.ts'
import { useTrouble } from './use-trouble.ts'
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
  // What follows by itself goes on where nobody sees it wait.
  const [waits, setWaits] = useState(() => isWaitedFor(file) && !(document.hidden && isFollowed(infohash, file.index)))
  const [speed, setSpeed] = useSpeed(video)
  const playing = useRef(false)
  const play = useRef<PagePlay>(null)
  const way = useFilmWay(video, infohash, file, play)
  const watch = useTrouble(video, file, way, renew)
  play.current = watch
  const subtitles = useSubtitles(files, file)
  const texts = useFilmTexts(video, infohash, file.index, way)
  const open = (own: File) => {
    texts.choose(null)
    subtitles.open(own)
  }
  const [size, setSize] = useSubtitleSize()
  const neighbours = useMemo(() => neighboursOf(files, file.index), [files, file.index])
  const { previous, next } = neighbours
  useSeekWait(video, isWaitedFor(file) && startSec !== null && !waits, startSec ?? 0, () => setWaits(true))
  usePlaceReports(video, infohash, file.index, startSec)
  useKeys({
    video,
    failedToggle: () => {
      if (watch.trouble === 'stopped') toggleFailed(playing)
    },
    fullscreen: () => toggleFullscreen(stage.current),
    subtitles: () => toggleSubtitles(video.current),
    next: () => next !== null && playNext(infohash, next.index),
    previous: () => previous !== null && playNext(infohash, previous.index),
    float: () => floatFilm(video),
    speed: setSpeed,
  })
  const repacked = way.byPage ? (way.src === null ? 'coming' : 'yes') : 'no'
  const waiting = (
    <FilmWait infohash={infohash} file={file} video={video} repacked={repacked} play={() => setWaits(false)} />
  )
  return (
    <>
      <div class={`film cues-${size}`} onDrop={event => dropped(event, open)}>
        <Film
          file={file}
          video={video}
          startSec={startSec}
          playing={playing}
          waiting={waits ? waiting : null}
          begin={placeSec => {
            // The first answers where it begins, the second that nobody wants to wait.
            if (startSec === null) setStart(beginsAt(placeSec, goesOn))
            else setWaits(false)
          }}
          way={way}
          watch={watch}
        >
          {subtitles.url !== null && (
            <track
              key={subtitles.url}
              ref={showTrack}
              default
              kind="subtitles"
              label={subtitles.source?.name}
              src={subtitles.url}
            />
          )}
          {texts.chosen !== null && (
            <FilmTextTrack
              key={texts.chosen.id}
              label={textsName(texts.chosen, texts.tracks.indexOf(texts.chosen))}
              cues={texts.cues}
              offsetSec={subtitles.offsetSec}
            />
          )}
        </Film>
        {startSec === null && <ContinueChoice place={goesOn} choose={setStart} />}
        {next !== null && <NextUp infohash={infohash} next={next} video={video} />}
      </div>
      <div class="button-line">
        <NeighbourButtons infohash={infohash} neighbours={neighbours} />
        <WatchedButton infohash={infohash} file={file.index} watched={known?.watched ?? false} />
        <WaysOut file={file} position={() => video.current?.currentTime || goesOn} />
        <GiveLink infohash={infohash} file={file.index} what={file.name} />
        <FloatButton video={video} />
        <SpeedChoice speed={speed} choose={setSpeed} />
        <SoundChoice way={way} />
        <SubtitleTools subtitles={{ ...subtitles, open }} texts={texts} size={size} setSize={setSize} />
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

const SIZE_KEY = 'tributary.subtitle-size'

/** Kept in this browser. */
function useSubtitleSize(): [SubtitleSize, (size: SubtitleSize) => void] {
  const [size, setSize] = useState(() => sizeOf(localStorage.getItem(SIZE_KEY)))
  const change = (to: SubtitleSize) => {
    localStorage.setItem(SIZE_KEY, String(to))
    setSize(to)
  }
  return [size, change]
}

/** Subtitles are taken here; torrents go on to the page, which adds them. */
function dropped(event: DragEvent, open: (file: File) => void): void {
  const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => SUBTITLE_NAME.test(name))
  if (file === undefined) return
  event.preventDefault()
  open(file)
}

/** `default` alone does not show one that comes later than the film (WebKit). */
function showTrack(element: HTMLTrackElement | null): void {
  if (element !== null) element.track.mode = 'showing'
}

/** Of a film that has failed the element can neither play nor pause: what it does afterwards is changed. */
function toggleFailed(playing: RefObject<boolean>): void {
  playing.current = playing.current !== true
  session.notify(playing.current ? text('goesOn') : text('staysPaused'))
}

function toggleFullscreen(stage: HTMLElement | null): void {
  const done = document.fullscreenElement === null ? stage?.requestFullscreen() : document.exitFullscreen()
  done?.catch(() => undefined)
}

function toggleSubtitles(video: HTMLVideoElement | null): void {
  for (const track of video?.textTracks ?? []) track.mode = track.mode === 'showing' ? 'hidden' : 'showing'
}

/** How much of it is here, and how fast the rest comes. */
function comingOf(infohash: string): string {
  const record = recordOf(session, infohash) ?? null
  if (record === null) return ''
  const here = record.progress < 1 ? ` · ${text('here', { percent: percent(record.progress) })}` : ''
  return record.speed_down >= 1 ? `${here} · ↓ ${rate(record.speed_down)}` : here
}
