// The languages that the dashboard speaks, and the one that this browser was told.

import { addedLanguages } from './added-languages.ts'
import type { Language } from './language-for.ts'

const files = import.meta.glob('./added/*.json', { import: 'default' })

/** All of them. */
export const languages: readonly Language[] = [
  { tag: 'en', name: 'English', load: async () => ({}) },
  { tag: 'de', name: 'Deutsch', load: async () => (await import('./german.ts')).german },
  ...addedLanguages(files),
]

const KEPT = 'tributary.language'

/** What this browser was told; null: it goes by what it prefers. */
export function chosenTag(): string | null {
  return localStorage.getItem(KEPT)
}

/** Keeps the choice for this browser; null: none. It holds from the next load on. */
export function chooseLanguage(tag: string | null): void {
  if (tag === null) localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, tag)
}
