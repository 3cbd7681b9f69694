// The session and the place of the page, for every part of it.

import { effect, type Signal, signal } from '@preact/signals'
import { addressOf, type Place, placeOf } from '../model/place.ts'
import { Session } from './session.ts'

/** The one session of this page. */
export const session = new Session()

/** Where the page is; follows the address. */
export const place: Signal<Place> = signal(placeOf(location.hash))

globalThis.addEventListener('hashchange', () => {
  place.value = placeOf(location.hash)
})

/** Goes to a place; `replace`: without a step in the history. */
export function go(to: Place, replace = false): void {
  const address = addressOf(to)
  if (replace) {
    history.replaceState(null, '', address)
    place.value = to
  } else location.hash = address
}

/** The window's width class: a phone shows one thing at a time. */
export const narrow: Signal<boolean> = signal(false)
const phone = matchMedia('(max-width: 760px)')
narrow.value = phone.matches
phone.addEventListener('change', () => {
  narrow.value = phone.matches
})

const titles: Readonly<Record<Place['page'], string>> = {
  downloads: 'Downloads',
  play: 'Player',
  channels: 'Channels',
  channel: 'Channel',
  wallets: 'Wallets',
  market: 'Market',
  circuits: 'Circuits',
  statistics: 'Statistics',
  events: 'Events',
  settings: 'Settings',
}

// The rates where there are any, else what page this is.
effect(() => {
  const { down, up } = session.totals.value
  const busy = session.key.value !== null && (down >= 1 || up >= 1)
  const inMiB = (rate: number) => (rate / 1024 / 1024).toFixed(1)
  const title = busy ? `↓ ${inMiB(down)} ↑ ${inMiB(up)} MiB/s` : titles[place.value.page]
  document.title = session.key.value === null ? 'Tributary' : `${title} – Tributary`
})
