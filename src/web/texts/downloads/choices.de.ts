// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { ChoiceTexts } from './choices.ts'

/** Texts by their keys. */
export const german: Translation<ChoiceTexts> = {
  keep: 'Lassen, wie es ist',
  none: 'Keine eigene Grenze',
  never: 'Ohne Ende',
  settings: 'Wie in den Einstellungen',
  kibPerSec: 'KiB/s',
  minutesUnit: 'Minuten',
  ratioUnit: 'Ratio',
}
