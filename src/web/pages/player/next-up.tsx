// The next film of a torrent: played when one has ended, after a countdown that can be stopped.

import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { go } from '../../node/context.ts'
import { text } from '../../texts/player.ts'
import { Icon } from '../../parts/icons.tsx'

const COUNTDOWN_SEC = 8

/** The film that follows another by itself: it goes on where it was left, without asking. */
let followed = ''

/** Whether a film came up as the next one of another. */
export function isFollowed(infohash: string, file: number): boolean {
  return followed === `${infohash}/${file}`
}

/** Plays another file of the torrent in the place of this one. */
export function playNext(infohash: string, file: number): void {
  followed = `${infohash}/${file}`
  go({ page: 'play', infohash, file }, true)
}

interface NextUpProps {
  readonly infohash: string
  readonly next: DownloadFile
  readonly video: RefObject<HTMLVideoElement | null>
}

/** Shown when the film has ended; counts down and plays the next one. */
export function NextUp({ infohash, next, video }: NextUpProps) {
  const [left, setLeft] = useState<number | null>(null)
  useEffect(() => {
    const element = video.current
    if (element === null) return undefined
    const ended = () => setLeft(COUNTDOWN_SEC)
    const again = () => setLeft(null)
    element.addEventListener('ended', ended)
    element.addEventListener('play', again)
    element.addEventListener('seeking', again)
    return () => {
      element.removeEventListener('ended', ended)
      element.removeEventListener('play', again)
      element.removeEventListener('seeking', again)
    }
  }, [next.index])
  useEffect(() => {
    if (left === null) return undefined
    if (left === 0) {
      playNext(infohash, next.index)
      return undefined
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  if (left === null) return null
  return (
    <div class="film-choice" role="group" aria-label={text('next')}>
      <p dir="auto">{text('nextIn', { left, name: next.name.split('/').at(-1) ?? '' })}</p>
      <button type="button" class="primary" onClick={() => playNext(infohash, next.index)}>
        <Icon name="play" size={16} /> {text('playNow')}
      </button>
      <button type="button" onClick={() => setLeft(null)}>
        {text('stop')}
      </button>
    </div>
  )
}
