// Which language a browser gets. Pure.

import { PSEUDO } from './pseudo-text.ts'
import type { Catalogue } from './texts.ts'

/** A language. */
export interface Language {
  /** BCP 47: `de`. */
  readonly tag: string
  /** What its speakers call it. */
  readonly name: string
  /** Its texts, by area. */
  load(): Promise<Readonly<Record<string, Catalogue>>>
}

/** For tests, and chosen by nobody else. */
const strange: Language = { tag: PSEUDO, name: PSEUDO, load: async () => ({}) }

/**
 * The one of `languages` for what was chosen, else for what the browser prefers (`navigator.languages`); undefined
 * where it has none of those.
 */
export function languageFor(
  languages: readonly Language[],
  chosen: string | null,
  preferred: readonly string[],
): Language | undefined {
  const all = chosen === PSEUDO ? [...languages, strange] : languages
  const wanted = chosen === null ? preferred : [chosen]
  return wanted
    .map(tag => all.find(each => each.tag === tag) ?? all.find(each => each.tag === tag.split('-')[0]))
    .find(found => found !== undefined)
}
