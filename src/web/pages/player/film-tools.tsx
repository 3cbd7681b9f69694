// Beside the film: speed, the small window, the next and the previous film, and which keys there are.

import type { RefObject } from 'preact'
import type { DownloadFile } from '../../../client/core-routes.ts'
import type { Neighbours } from '../../model/episodes.ts'
import { keyHelp } from '../../model/player-key-words.ts'
import { speeds } from '../../model/player-keys.ts'
import { text } from '../../texts/player.ts'
import { playNext } from './next-up.tsx'

/** Shows the film in a small window above all others, or takes it back. */
export function floatFilm({ current }: RefObject<HTMLVideoElement | null>): void {
  if (current === null || !document.pictureInPictureEnabled) return
  const done = document.pictureInPictureElement === null ? current.requestPictureInPicture() : leaveFloating()
  done.catch(() => undefined)
}

function leaveFloating(): Promise<unknown> {
  return document.exitPictureInPicture()
}

interface SpeedChoiceProps {
  readonly speed: number
  choose(speed: number): void
}

/** A choice of speeds. */
export function SpeedChoice({ speed, choose }: SpeedChoiceProps) {
  return (
    <label class="film-choice-line">
      {text('speed')}
      <select value={String(speed)} onChange={event => choose(Number(event.currentTarget.value))}>
        {speeds.map(each => (
          <option key={each} value={String(each)}>
            {each} ×
          </option>
        ))}
      </select>
    </label>
  )
}

/** A button for the small window; nothing where the browser has none. */
export function FloatButton({ video }: { video: RefObject<HTMLVideoElement | null> }) {
  if (!document.pictureInPictureEnabled) return null
  return (
    <button type="button" title={text('smallWindowKey')} onClick={() => floatFilm(video)}>
      {text('smallWindow')}
    </button>
  )
}

interface NeighbourButtonsProps {
  readonly infohash: string
  readonly neighbours: Neighbours<DownloadFile>
}

/** The films before and after this one. */
export function NeighbourButtons({ infohash, neighbours: { previous, next } }: NeighbourButtonsProps) {
  return (
    <>
      {previous !== null && (
        <button type="button" title={previous.name} onClick={() => playNext(infohash, previous.index)}>
          {text('previous')}
        </button>
      )}
      {next !== null && (
        <button type="button" title={next.name} onClick={() => playNext(infohash, next.index)}>
          {text('next')}
        </button>
      )}
    </>
  )
}

/** Which keys there are. */
export function KeyHelp() {
  return (
    <details class="key-help">
      <summary>{text('keys')}</summary>
      <dl>
        {keyHelp.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
