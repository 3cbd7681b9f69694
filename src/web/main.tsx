// Starts the dashboard: its language first, since every part of the page takes its texts when it is loaded.

import './language/browser-language.ts'
import { languageFor } from './language/language-for.ts'
import { chosenTag, languages } from './language/languages.ts'
import { direction, languageTag, setLanguage } from './language/texts.ts'

const language = languageFor(languages, chosenTag(), navigator.languages)
if (language !== undefined && language.tag !== 'en') {
  // A page in English is better than none: the node may be another version by now.
  const loaded = await Promise.all([language.load(), import('./language/node-codes.ts')]).catch(() => null)
  loaded?.[1].addNodeCodes()
  await setLanguage(language.tag, loaded?.[0] ?? {})
}
document.documentElement.lang = languageTag()
document.documentElement.dir = direction()
await import('./start.tsx')
