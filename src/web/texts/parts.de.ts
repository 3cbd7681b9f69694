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
  copyHere: '{{what}}: von hier kopieren.',
}
