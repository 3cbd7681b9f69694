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
  workDone: '{{done, number}} of {{total, number}} downloads',
  stopWork: 'Stop',
  stoppedAt: 'Stopped. {{done, number}} of {{total, number}} downloads were done.',
  failed: 'It did not work for {{failed, number}} of {{total, number}} downloads.',
  reason: '{{names}}: {{message}}',
  reasonOfMore: '{{names}} and {{more, number}} more: {{message}}',
  removed: 'Removed.',
  removing_one: '{{count, number}} download will be removed.',
  removing_other: '{{count, number}} downloads will be removed.',
  removingFiles_one: '{{count, number}} download will be removed with its files.',
  removingFiles_other: '{{count, number}} downloads will be removed with their files.',
  undo: 'Undo',
  removeNow: 'Remove now',
  copyHere: '{{what}}: copy it from here.',
} as const

/** Its texts by their keys, as translations have them. */
export type PartsTexts = typeof english

/** One of these texts. */
export const text = textsOf('parts', english)
