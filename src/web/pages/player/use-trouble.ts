// What keeps the browser from playing a film: found by what its element shows, told as long as it lasts. Where a
// link has expired it asks for another; where no more comes it tries again until it does. What the page can play
// instead (FilmWay) is no trouble.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { missingOf, type Trouble, troubleOf } from '../../model/playable.ts'
import { addressOf } from '../../node/api.ts'
import type { FilmWay, PagePlay } from './use-film-way.ts'

/** A new link is asked for when one that worked fails; a file that cannot be played fails at once again. */
const RETRY_AFTER_MS = 10_000
/** A new link has come by then, or none does. */
const JUDGED_AFTER_MS = 1500

/** Trouble, and what the element and the page's own player are to call. */
export interface TroubleWatch extends PagePlay {
  readonly trouble: Trouble | null
  /** Its `error`. */
  failed(): void
  /** Its `loadedmetadata` and `timeupdate`. */
  looked(): void
}

/** `renew` asks for a new link. */
export function useTrouble(
  video: RefObject<HTMLVideoElement | null>,
  file: DownloadFile,
  filmWay: FilmWay,
  renew: () => void,
): TroubleWatch {
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  // What it has shown, whatever was said of it: what a film is may be known before it plays, or later.
  const [shown, setShown] = useState(false)
  const [sounded, setSounded] = useState(false)
  const renewedMs = useRef(Number.NEGATIVE_INFINITY)
  const latest = useRef(renew)
  latest.current = renew
  useEffect(() => {
    if (trouble !== 'stopped') return undefined
    const timer = setInterval(() => latest.current(), RETRY_AFTER_MS)
    return () => clearInterval(timer)
  }, [trouble])
  const way = useRef(filmWay)
  way.current = filmWay
  const tell = (found: Trouble | null) => {
    const { byPage, src, takeOver } = way.current
    const isOfFilm = found !== null && found !== 'stopped'
    // What the element makes of the link says nothing any more when the page is about to play.
    const another = isOfFilm && ((byPage && src === null) || takeOver())
    setTrouble(another ? null : found)
  }
  const judge = async () => {
    const code = video.current?.error?.code
    if (code !== undefined) tell(troubleOf(code, await linkWorks(file)))
  }
  const failed = () => {
    // What the page has repacked is no film to this browser; of the link that says nothing.
    if (way.current.src !== null) return way.current.giveUp()
    if (way.current.byPage) return
    const now = performance.now()
    if (trouble === 'stopped' || now - renewedMs.current < RETRY_AFTER_MS) return void judge()
    renewedMs.current = now
    setTimeout(() => void judge(), JUDGED_AFTER_MS)
    return renew()
  }
  const looked = () => {
    const element = video.current
    // What the page still holds goes on playing when its link has stopped.
    if (way.current.src !== null && trouble === 'stopped') return
    // Elements tell of a time also when they have failed, or begin again: that says nothing of the film.
    if (element === null || element.error !== null || element.seeking) return
    if (element.readyState < HTMLMediaElement.HAVE_METADATA) return
    const { videoWidth: width, currentTime } = element
    const playedSec = Math.min(currentTime, playedSecOf(element))
    const soundBytes = soundBytesOf(element)
    // What the page has repacked says nothing of what the browser makes of the film.
    if (way.current.src === null) {
      if (width > 0) setShown(true)
      if (soundBytes !== null && soundBytes > 0) setSounded(true)
    }
    tell(missingOf({ name: file.name, width, playedSec, soundBytes }))
  }
  const stopped = () => {
    const now = performance.now()
    setTrouble('stopped')
    if (now - renewedMs.current < RETRY_AFTER_MS) return
    renewedMs.current = now
    latest.current()
  }
  const came = () => setTrouble(known => (known === 'stopped' ? null : known))
  const disproved = filmWay.lacks === 'sound' ? sounded : shown
  const lacks = filmWay.byPage || disproved ? null : filmWay.lacks
  return { trouble: trouble ?? lacks, failed, looked, stopped, came }
}

function playedSecOf({ played }: HTMLMediaElement): number {
  let sum = 0
  for (let at = 0; at < played.length; at++) sum += played.end(at) - played.start(at)
  return sum
}

/** Null where the browser does not count it. */
function soundBytesOf(element: HTMLMediaElement): number | null {
  const { webkitAudioDecodedByteCount: bytes } = element as { webkitAudioDecodedByteCount?: number }
  return bytes ?? null
}

// Without the key: the link alone is what the element has.
async function linkWorks(file: DownloadFile): Promise<boolean> {
  try {
    return (await fetch(addressOf(file.stream_url), { method: 'HEAD' })).ok
  } catch {
    return false
  }
}
