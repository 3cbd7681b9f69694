// The same in German.

import type { Translation } from '../language/texts.ts'
import type { UnitTexts } from './units.ts'

/** Texts by their keys. */
export const german: Translation<UnitTexts> = {
  days: '{{count, number}} T',
  hours: '{{count, number}} Std',
  minutes: '{{count, number}} Min',
  seconds: '{{count, number}} s',
}
