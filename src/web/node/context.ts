// The session and the place of the page, for every part of it.

import { type Signal, signal } from '@preact/signals'
import { magnetIn } from '../model/adding.ts'
import { loginCodeIn } from '../model/login-code.ts'
import { addressOf, home, type Place, placeOf } from '../model/place.ts'
import { Session } from './session.ts'

/** The one session of this page. */
export const session = new Session()

/** Where the page is. */
export const place: Signal<Place> = signal(home)

/** A magnet link that the browser opened here, until the dialog for adding has it; '' = none. */
export const offeredLink: Signal<string> = signal('')

/**
 * Lets the place follow the address, from now on. `chapters`: ids of those that have pages. The code of a link that
 * signs in, with which the page was opened; '' = none.
 */
export function followAddress(chapters: readonly string[]): string {
  const follow = () => {
    takeMagnet()
    place.value = placeOf(location.hash, chapters)
  }
  globalThis.addEventListener('hashchange', () => {
    const code = takeLoginCode()
    follow()
    if (code !== '' && session.key.value === null) void session.signIn(code)
  })
  const code = takeLoginCode()
  follow()
  return code
}

/** Takes the code of a link out of the address and the history, whether it is used or not. */
function takeLoginCode(): string {
  const code = loginCodeIn(location.hash)
  if (code === null) return ''
  history.replaceState(null, '', addressOf(home))
  return code
}

/** Takes a magnet link out of the address: it is shown and not added, for any page may lead here. */
function takeMagnet(): void {
  const link = magnetIn(location.hash)
  if (link === null) return
  history.replaceState(null, '', addressOf(home))
  offeredLink.value = link
}

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
