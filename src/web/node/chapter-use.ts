// Which chapters are used at this device: those that were opened here, or of which the node tells what happened.
// Nothing is asked of a chapter for it, because asking starts it.

import { effect, type Signal, signal } from '@preact/signals'
import type { ChapterPages } from '../chapter-pages.ts'
import { type ChapterUse, chapterUseIn, type SettingsNow, withUsed } from '../chapter-ways.ts'
import { keep, readKept } from '../model/kept.ts'
import { place, session } from './context.ts'

const KEPT = 'tributary.chapters'

/** What is used, and whether all are shown. */
export const chapterUse: Signal<ChapterUse> = signal({ used: [], all: false })

/** The settings that the node has, for the switches among them. */
export const switchesNow: Signal<SettingsNow> = signal(null)

function set(next: ChapterUse): void {
  if (next === chapterUse.value) return
  chapterUse.value = next
  keep(localStorage, KEPT, next)
}

/** Shows all chapters, or those that are used. */
export function showAllChapters(all: boolean): void {
  set({ ...chapterUse.value, all })
}

/** Reads what was kept and follows places and events, from now on. */
export function followChapters(chapters: readonly ChapterPages[]): void {
  const ids = chapters.map(({ id }) => id)
  const owners = new Map(
    chapters.flatMap(({ id, events = {} }) => Object.keys(events).map(type => [type, id] as const)),
  )
  const use = (id: string) => set(withUsed(chapterUse.value, id))
  chapterUse.value = chapterUseIn(readKept(localStorage, KEPT), ids)
  place.subscribe(at => {
    if (at.page === 'chapter') use(at.chapter)
  })
  followSwitches()
  session.watchEvents(({ type }) => {
    const owner = owners.get(type)
    if (owner !== undefined) use(owner)
  })
}

/** Asks for the settings at once, and when a page is left where somebody may have changed them. */
function followSwitches(): void {
  let asked = new AbortController()
  let keyBefore: string | null = null
  let left = ''
  effect(() => {
    const key = session.key.value
    const { page } = place.value
    const isDue = key !== null && (key !== keyBefore || left === 'settings' || left === 'chapter')
    keyBefore = key
    left = page
    if (!isDue) return
    asked.abort()
    asked = new AbortController()
    const { signal: ended } = asked
    session.api.call('GET /settings/effective', { signal: ended }).then(
      ({ settings }) => {
        if (!ended.aborted) switchesNow.value = settings
      },
      // A key that may not see them: nothing is known to be off.
      () => undefined,
    )
  })
}
