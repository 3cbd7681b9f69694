// What buttons, dialogs and messages say that all pages have, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  cancel: 'Cancel',
  close: 'Close',
  working: 'Working…',
  chooseFiles: 'Choose torrent files',
  leaveOut: 'Leave out {{name}}',
  more: 'Show more ({{left, number}} left)',
  dismiss: 'Dismiss',
  lost: 'Connection lost.',
  mayBeOld: 'What you see may be out of date; the dashboard reconnects by itself.',
  tryNow: 'Try now',
  down: 'Down',
  up: 'Up',
  lastRates: 'Rates of the last minutes',
  copied: '{{what}} copied.',
  copyHere: '{{what}}: copy it from here.',
} as const

/** Its texts by their keys, as translations have them. */
export type PartsTexts = typeof english

/** One of these texts. */
export const text = textsOf('parts', english)
