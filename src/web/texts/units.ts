// Units of time, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  days: 'd',
  hours: 'h',
  minutes: 'min',
  seconds: 's',
} as const

/** Its texts by their keys, as translations have them. */
export type UnitTexts = typeof english

/** What stands behind a number. */
export const text = textsOf('units', english)
