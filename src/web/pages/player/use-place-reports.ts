// Tells the node where a film is, so that any device goes on there: while it plays, when it pauses or ends, and when
// the page goes away or is put aside.

import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { PlaceReports } from '../../model/place-reports.ts'
import { tellPlace } from '../../node/commands.ts'

/** `fromSec`: the place that the node knows; null: it does not play yet, and nothing goes out. */
export function usePlaceReports(
  video: RefObject<HTMLVideoElement | null>,
  infohash: string,
  file: number,
  fromSec: number | null,
): void {
  useEffect(() => {
    const element = video.current
    if (element === null || fromSec === null) return undefined
    const reports = new PlaceReports(fromSec)
    const tell = (last: boolean) => {
      const { currentTime, duration, error, readyState } = element
      // What failed, or begins again with a new link, is at no place.
      if (error !== null || readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return
      if (!reports.due(performance.now(), currentTime, last)) return
      tellPlace(infohash, file, currentTime, Number.isFinite(duration) && duration > 0 ? duration : null)
    }
    const now = () => tell(false)
    const last = () => tell(true)
    const hidden = () => {
      if (document.hidden) tell(true)
    }
    element.addEventListener('timeupdate', now)
    element.addEventListener('pause', last)
    element.addEventListener('ended', last)
    document.addEventListener('visibilitychange', hidden)
    globalThis.addEventListener('pagehide', last)
    return () => {
      tell(true)
      element.removeEventListener('timeupdate', now)
      element.removeEventListener('pause', last)
      element.removeEventListener('ended', last)
      document.removeEventListener('visibilitychange', hidden)
      globalThis.removeEventListener('pagehide', last)
    }
  }, [infohash, file, fromSec])
}
