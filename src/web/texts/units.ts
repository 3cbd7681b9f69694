// Units of time, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  days: '{{count, number}} d',
  hours: '{{count, number}} h',
  minutes: '{{count, number}} min',
  seconds: '{{count, number}} s',
} as const

/** Its texts by their keys, as translations have them. */
export type UnitTexts = typeof english

/** A number with its unit. */
export const text = textsOf('units', english)
