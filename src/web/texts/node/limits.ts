// Limits of speed of the whole node, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  limits: 'Speed limits',
  slowMode: 'Slow mode',
  onNow: 'Slow mode is on.',
  offNow: 'Slow mode is off.',
  onUntil: 'Slow mode is on until {{time}}, by its schedule.',
  offUntil: 'Slow mode is off until {{time}}, by its schedule.',
  until: 'until {{time}}',
  usual: 'Usual limits',
  usualHelp: 'Of all downloads together. Empty means no limit.',
  slow: 'Limits in slow mode',
  slowHelp: 'In force instead of the usual ones while slow mode is on.',
  down: 'Download',
  up: 'Upload',
  unit: 'Unit',
  set: 'Set',
  noLimit: 'No limits',
  saved: 'The limits are set.',
  held: 'Set on the command line or in the environment, and cannot be changed here: {{names}}.',
  notRate: 'This is not a speed. Enter a number, or nothing for no limit.',
  noneIn: 'none',
  now: 'Limits now: {{down}} down, {{up}} up.',
} as const

/** Its texts by their keys, as translations have them. */
export type LimitsTexts = typeof english

/** A text of the limits. */
export const text = textsOf('limits', english)
