// The same in German.

import type { Translation } from '../language/texts.ts'
import type { UnitTexts } from './units.ts'

/** Texts by their keys. */
export const german: Translation<UnitTexts> = {
  days: 'T',
  hours: 'Std',
  minutes: 'Min',
  seconds: 's',
}
