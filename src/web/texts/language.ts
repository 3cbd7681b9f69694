// The choice of the language, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  language: 'Language',
  browser: 'As the browser prefers',
  help: 'For this browser. The command line, the log and the interface stay English.',
} as const

/** Its texts by their keys, as translations have them. */
export type LanguageTexts = typeof english

/** A text of the choice. */
export const text = textsOf('language', english)
