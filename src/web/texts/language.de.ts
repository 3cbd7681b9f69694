// The same in German.

import type { Translation } from '../language/texts.ts'
import type { LanguageTexts } from './language.ts'

/** Texts by their keys. */
export const german: Translation<LanguageTexts> = {
  language: 'Sprache',
  browser: 'Wie im Browser eingestellt',
  help: 'Gilt für diesen Browser. Kommandozeile, Protokoll und Schnittstelle bleiben englisch.',
}
