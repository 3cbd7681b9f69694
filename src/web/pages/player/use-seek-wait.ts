// A jump in a film that is still coming in: to a place that the browser has not got, it waits there for the moment from
// which it plays on without a stall, as at its start.

import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** Nearer places are the same: a film that is loaded again, by a new link or by the page, goes on where it was. */
const JUMP_SEC = 1

/** Calls `wait` after a jump, once it plays. `watched`: it may have to wait; `startSec`: where it begins. */
export function useSeekWait(
  video: RefObject<HTMLVideoElement | null>,
  watched: boolean,
  startSec: number,
  wait: () => void,
): void {
  useEffect(() => {
    const element = video.current
    if (element === null || !watched) return undefined
    let placeSec = element.currentTime || startSec
    // It was moved while it stood: it waits when it is played.
    let moved = false
    const passed = () => {
      if (!element.seeking && element.currentTime > 0) placeSec = element.currentTime
    }
    const sought = () => {
      if (Math.abs(element.currentTime - placeSec) < JUMP_SEC) return
      placeSec = element.currentTime
      moved = !isBuffered(element)
      if (moved && !element.paused) wait()
    }
    const played = () => {
      if (moved && !isBuffered(element)) wait()
      moved = false
    }
    element.addEventListener('timeupdate', passed)
    element.addEventListener('seeking', sought)
    element.addEventListener('play', played)
    return () => {
      element.removeEventListener('timeupdate', passed)
      element.removeEventListener('seeking', sought)
      element.removeEventListener('play', played)
    }
  }, [watched])
}

function isBuffered({ buffered, currentTime }: HTMLMediaElement): boolean {
  for (let at = 0; at < buffered.length; at++) {
    if (buffered.start(at) <= currentTime && currentTime < buffered.end(at)) return true
  }
  return false
}
