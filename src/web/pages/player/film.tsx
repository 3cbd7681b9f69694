// The film: the browser's own player, on the signed link of a file or on what the page makes of it, and what keeps it
// from playing.

import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import type { Trouble } from '../../model/playable.ts'
import { troubleTexts } from '../../model/trouble-words.ts'
import { addressOf } from '../../node/api.ts'
import { Icon } from '../../parts/icons.tsx'
import type { FilmWay } from './use-film-way.ts'
import type { TroubleWatch } from './use-trouble.ts'

/** A pause that comes with a failure is not the user's. */
const FAILING_MS = 100

interface FilmProps {
  readonly file: DownloadFile
  readonly video: RefObject<HTMLVideoElement | null>
  /** Where it begins, seconds; null: it waits for that. */
  readonly startSec: number | null
  /**
   * Whether it is to play. A new link makes the element pause without a word, and so may one that fails at once, before
   * it has said that it plays: it is not what the element says.
   */
  readonly playing: RefObject<boolean>
  /** What is shown while it waits for the moment to begin; null: it does not. */
  readonly waiting: ComponentChildren
  /** Tracks of subtitles. */
  readonly children: ComponentChildren
  /** It is played, by its own button or a key, while it waits for either; the place it is at. */
  begin(placeSec: number): void
  readonly way: FilmWay
  readonly watch: TroubleWatch
}

function TroubleNote({ trouble }: { trouble: Trouble }) {
  return (
    <p class={`player-trouble ${trouble}`} role={trouble === 'sound' ? 'status' : 'alert'}>
      <Icon name="warn" size={16} /> {troubleTexts[trouble]}
    </p>
  )
}

/** Plays a file; goes on where it was when it gets a new link, and waits there if it did. */
export function Film({ file, video, startSec, playing, waiting, children, begin, way, watch }: FilmProps) {
  const waits = waiting !== null
  const position = useRef(startSec ?? 0)
  const first = useRef(true)
  // When the element said that it has failed; null: it has not.
  const failedMs = useRef<number | null>(null)
  const { trouble, failed, looked } = watch
  // While the page opens a film the element reads nothing: what it reads ahead of a film that comes in would keep the
  // page waiting for what it needs first, the index at the end.
  const shown = way.src ?? (way.byPage ? 'nothing' : 'link')
  const before = useRef(shown)
  useEffect(() => {
    const element = video.current
    if (element === null || first.current) {
      first.current = false
      return
    }
    const isOther = before.current !== shown
    before.current = shown
    if (shown === 'nothing') {
      element.removeAttribute('src')
      return element.load()
    }
    // A new link to what the page repacks is the page's.
    if (!isOther && way.src !== null) return
    if (!element.hasAttribute('src')) element.src = addressOf(file.stream_url)
    // Another source loads by itself, the same one does not.
    if (!isOther) element.load()
    element.currentTime = position.current
    if (playing.current) void element.play().catch(() => undefined)
  }, [file, shown])
  useEffect(() => {
    const element = video.current
    if (element === null || startSec === null) return
    position.current = startSec
    if (startSec > 0) element.currentTime = startSec
  }, [startSec])
  useEffect(() => {
    const element = video.current
    if (element === null || startSec === null) return
    playing.current = !waits
    if (waits) return element.pause()
    // Where a browser wants a tap first, its own button is there.
    void element.play().catch(() => undefined)
  }, [startSec, waits])
  return (
    <>
      <video
        ref={video}
        class="video"
        hidden={trouble === 'format'}
        controls
        playsInline
        // While it waits it is read from its place on: the node fetches what is read first.
        preload={startSec !== null && waits ? 'auto' : 'metadata'}
        src={way.src ?? addressOf(file.stream_url)}
        onLoadStart={() => {
          failedMs.current = null
        }}
        onLoadedMetadata={looked}
        onPlay={event => {
          playing.current = true
          if (startSec === null || waits) begin(event.currentTarget.currentTime)
        }}
        onSeeking={({ currentTarget: { currentTime } }) => {
          // What it jumps to may not come for long: another source begins there too.
          if (currentTime > 0) position.current = currentTime
        }}
        onPause={event => {
          const failing = failedMs.current === null || performance.now() - failedMs.current < FAILING_MS
          if (event.currentTarget.error === null || !failing) playing.current = false
        }}
        onTimeUpdate={event => {
          if (event.currentTarget.currentTime > 0) position.current = event.currentTarget.currentTime
          looked()
        }}
        onError={() => {
          failedMs.current = performance.now()
          failed()
        }}
      >
        {children}
      </video>
      {trouble !== null && <TroubleNote trouble={trouble} />}
      {startSec !== null && trouble !== 'format' && trouble !== 'stopped' && waiting}
    </>
  )
}
