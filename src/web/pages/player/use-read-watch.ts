// A browser that reads nothing of a film that waits is found out, while somebody looks at the page.

import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { LOOK_MS, ReadWatch } from '../../model/film/read-watch.ts'

/** Calls `nothing` when the element has read nothing for a while. `watched`: it is the element that reads. */
export function useReadWatch(video: RefObject<HTMLVideoElement | null>, watched: boolean, nothing: () => void): void {
  useEffect(() => {
    if (!watched) return undefined
    let watch = new ReadWatch()
    const timer = setInterval(() => {
      const element = video.current
      if (element === null || document.hidden) watch = new ReadWatch()
      else if (watch.look(stateOf(element), performance.now())) nothing()
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [watched])
}

function stateOf({ networkState, buffered, currentTime }: HTMLMediaElement) {
  let aheadSec = 0
  for (let at = 0; at < buffered.length; at++) {
    if (buffered.start(at) <= currentTime) aheadSec = Math.max(aheadSec, buffered.end(at) - currentTime)
  }
  return { isIdle: networkState === HTMLMediaElement.NETWORK_IDLE, aheadSec }
}
