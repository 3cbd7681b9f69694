// The same in German.

import type { Translation } from '../language/texts.ts'
import type { PartsTexts } from './parts.ts'

/** Texts by their keys. */
export const german: Translation<PartsTexts> = {
  cancel: 'Abbrechen',
  close: 'Schließen',
  working: 'Moment …',
  chooseFiles: 'Torrent-Dateien wählen',
  leaveOut: '{{name}} weglassen',
  more: 'Mehr anzeigen (noch {{left, number}})',
  dismiss: 'Schließen',
  lost: 'Verbindung getrennt.',
  mayBeOld: 'Was du siehst, kann veraltet sein; das Dashboard verbindet sich von selbst wieder.',
  tryNow: 'Jetzt versuchen',
  down: 'Download',
  up: 'Upload',
  lastRates: 'Raten der letzten Minuten',
  copied: '{{what}} kopiert.',
  workDone: '{{done, number}} von {{total, number}} Downloads',
  stopWork: 'Anhalten',
  stoppedAt: 'Angehalten. {{done, number}} von {{total, number}} Downloads sind erledigt.',
  failed: 'Bei {{failed, number}} von {{total, number}} Downloads ging es nicht.',
  reason: '{{names}}: {{message}}',
  reasonOfMore: '{{names}} und {{more, number}} weitere: {{message}}',
  removed: 'Entfernt.',
  removing_one: '{{count, number}} Download wird entfernt.',
  removing_other: '{{count, number}} Downloads werden entfernt.',
  removingFiles_one: '{{count, number}} Download wird mit seinen Dateien entfernt.',
  removingFiles_other: '{{count, number}} Downloads werden mit ihren Dateien entfernt.',
  undo: 'Rückgängig',
  removeNow: 'Jetzt entfernen',
  copyHere: '{{what}}: von hier kopieren.',
}
