// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { RatesTexts } from './rates.ts'

/** Texts by their keys. */
export const german: Translation<RatesTexts> = {
  choose: 'Gezeigte Zeit',
  section: 'Raten',
  live: 'Live',
  liveName: 'Raten dieses Downloads, solange er hier gezeigt wird',
  hour: 'Stunde',
  day: 'Tag',
  month: 'Monat',
  hourName: 'Raten dieses Downloads in der letzten Stunde',
  dayName: 'Raten dieses Downloads am letzten Tag',
  monthName: 'Raten dieses Downloads im letzten Monat',
  nothing: 'In dieser Zeit wurde nichts übertragen.',
  came: 'Herunter: etwa {{bytes}}, höchstens {{most}}.',
  went: 'Hoch: etwa {{bytes}}, höchstens {{most}}.',
  table: 'Als Tabelle',
  since: 'Ab',
  down: 'Herunter',
  up: 'Hoch',
}
