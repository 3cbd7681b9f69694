// Keys of the player, wherever the focus is, but for fields and what takes the same key itself.

import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { placeAfter } from '../../model/film-places.ts'
import { actionOf, type PlayerAction, repeats, speedFrom } from '../../model/player-keys.ts'

/** What keys reach beside the film itself. */
export interface KeyedParts {
  readonly video: RefObject<HTMLVideoElement | null>
  /** Play or pause, of a film that has failed. */
  failedToggle(): void
  fullscreen(): void
  subtitles(): void
  next(): void
  previous(): void
  float(): void
  speed(value: number): void
}

/** Follows keys while the player is shown. */
export function useKeys(parts: KeyedParts): void {
  const latest = useRef(parts)
  latest.current = parts
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || takesKey(event)) return
      const action = actionOf(event.key)
      const { video } = latest.current
      if (action === null || video.current === null) return
      event.preventDefault()
      if (!event.repeat || repeats(action)) perform(action, video.current, latest.current)
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [])
}

function takesKey({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null) return true
  if (!(target instanceof Element)) return false
  if (target.closest('input, select, textarea') !== null) return true
  // The browser's own player has these, whatever a page makes of them: they would act twice.
  if (target instanceof HTMLVideoElement && /^(?: |Arrow.*)$/.test(key)) return true
  return key === ' ' && target.closest('button, a, summary') !== null
}

function perform(action: PlayerAction, video: HTMLVideoElement, parts: KeyedParts): void {
  switch (action.does) {
    case 'toggle':
      if (video.error !== null) return parts.failedToggle()
      if (video.paused) void video.play().catch(() => undefined)
      else video.pause()
      return
    case 'seek':
      video.currentTime = placeAfter(video.currentTime, action.by, video.duration)
      return
    case 'part':
      if (Number.isFinite(video.duration)) video.currentTime = video.duration * action.by
      return
    case 'volume':
      video.volume = Math.max(0, Math.min(1, video.volume + action.by))
      return
    case 'mute':
      video.muted = !video.muted
      return
    case 'speed':
      return parts.speed(speedFrom(video.playbackRate, action.by))
    default:
      return parts[action.does]()
  }
}
