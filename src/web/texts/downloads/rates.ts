// What the graph of a download's rates says, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  choose: 'Time shown',
  section: 'Rates',
  live: 'Live',
  liveName: 'Rates of this download while it is shown here',
  hour: 'Hour',
  day: 'Day',
  month: 'Month',
  hourName: 'Rates of this download in the last hour',
  dayName: 'Rates of this download in the last day',
  monthName: 'Rates of this download in the last month',
  nothing: 'Nothing was transferred in this time.',
  came: 'Down: about {{bytes}}, {{most}} at most.',
  went: 'Up: about {{bytes}}, {{most}} at most.',
  table: 'As a table',
  since: 'From',
  down: 'Down',
  up: 'Up',
} as const

/** Its texts by their keys, as translations have them. */
export type RatesTexts = typeof english

/** One of these texts. */
export const text = textsOf('rates', english)
