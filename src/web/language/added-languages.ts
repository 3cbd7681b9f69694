// Languages that came as one file: `added/fr.json` has the texts of all areas, `{"frame": {"downloads": "…"}}`, in the
// form of i18next. What it lacks is English. Pure.

import type { Language } from './language-for.ts'
import type { Catalogue } from './texts.ts'

/**
 * Languages by their files. `files`: what loads the JSON of each, by its path, whose name is the tag of the language.
 * Names that are no tags are left out, and of their content what is no text.
 */
export function addedLanguages(files: Readonly<Record<string, () => Promise<unknown>>>): Language[] {
  return Object.entries(files).flatMap(([path, load]) => {
    const tag =
      path
        .split('/')
        .at(-1)
        ?.replace(/\.json$/, '') ?? ''
    const name = nameOf(tag)
    return name === null ? [] : [{ tag, name, load: async () => areasOf(await load()) }]
  })
}

/** What its speakers call it; null: it is no tag of a language. */
function nameOf(tag: string): string | null {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? null
  } catch {
    return null
  }
}

function areasOf(content: unknown): Record<string, Catalogue> {
  return Object.fromEntries(entriesOf(content).map(([area, texts]) => [area, textsIn(texts)]))
}

function textsIn(texts: unknown): Catalogue {
  return Object.fromEntries(
    entriesOf(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  )
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
