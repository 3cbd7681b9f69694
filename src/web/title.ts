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

/** Keeps the window's title, from now on. */
export function keepTitle(): void {
  effect(() => {
    const { down, up } = session.totals.value
    const busy = session.key.value !== null && (down >= 1 || up >= 1)
    const inMiB = (rate: number) => (rate / 1024 / 1024).toFixed(1)
    const title = busy ? `↓ ${inMiB(down)} ↑ ${inMiB(up)} MiB/s` : titleOf(place.value)
    document.title = session.key.value === null ? 'Tributary' : `${title} – Tributary`
  })
}
