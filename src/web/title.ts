// The window's title: the rates where there are any, else what page this is.

import { effect } from '@preact/signals'
import { chapterPages } from './chapters.ts'
import type { Place } from './model/place.ts'
import { place, session } from './node/context.ts'
import { text } from './texts/frame.ts'

const titles: Readonly<Record<Exclude<Place['page'], 'chapter'>, string>> = {
  downloads: text('downloads'),
  play: text('player'),
  statistics: text('statistics'),
  events: text('events'),
  doctor: text('doctor'),
  settings: text('settings'),
}

function titleOf(at: Place): string {
  if (at.page !== 'chapter') return titles[at.page]
  const pages = chapterPages.find(({ id }) => id === at.chapter)
  return pages?.titleAt?.(at.parts) ?? pages?.name ?? ''
}

/** Keeps the number of unfinished downloads on the sign of the installed app, where there is one. */
function keepBadge(): void {
  // Browsers have it where the page came by https or from this machine.
  if (!('setAppBadge' in navigator)) return
  let shown = 0
  effect(() => {
    const { count, groups } = session.totals.value
    const unfinished = session.key.value === null ? 0 : Math.max(0, count - groups.completed)
    if (unfinished === shown) return
    shown = unfinished
    // None takes the sign away. It is refused where the app is not installed.
    navigator.setAppBadge(unfinished).catch(() => undefined)
  })
}

/** Keeps the window's title and the app's sign, from now on. */
export function keepTitle(): void {
  keepBadge()
  effect(() => {
    const { down, up } = session.totals.value
    const busy = session.key.value !== null && (down >= 1 || up >= 1)
    const inMiB = (rate: number) => (rate / 1024 / 1024).toFixed(1)
    const title = busy ? `↓ ${inMiB(down)} ↑ ${inMiB(up)} MiB/s` : titleOf(place.value)
    document.title = session.key.value === null ? 'Tributary' : `${title} – Tributary`
  })
}
