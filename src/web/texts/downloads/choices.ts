// A number, or what stands for one: the words of that choice, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  keep: 'Leave as it is',
  none: 'No own limit',
  never: 'Without end',
  settings: 'As the settings say',
  kibPerSec: 'KiB/s',
  minutesUnit: 'minutes',
  ratioUnit: 'ratio',
} as const

/** Its texts by their keys, as translations have them. */
export type ChoiceTexts = typeof english

/** One of these texts. */
export const text = textsOf('choices', english)
