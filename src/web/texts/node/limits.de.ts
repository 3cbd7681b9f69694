// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { LimitsTexts } from './limits.ts'

/** Texts by their keys. */
export const german: Translation<LimitsTexts> = {
  limits: 'Tempolimits',
  slowMode: 'Langsam-Modus',
  onNow: 'Der Langsam-Modus ist an.',
  offNow: 'Der Langsam-Modus ist aus.',
  onUntil: 'Der Langsam-Modus ist nach Zeitplan bis {{time}} an.',
  offUntil: 'Der Langsam-Modus ist nach Zeitplan bis {{time}} aus.',
  until: 'bis {{time}}',
  usual: 'Übliche Limits',
  usualHelp: 'Für alle Downloads zusammen. Leer heißt: kein Limit.',
  slow: 'Limits im Langsam-Modus',
  slowHelp: 'Gelten statt der üblichen, solange der Langsam-Modus an ist.',
  down: 'Download',
  up: 'Upload',
  unit: 'Einheit',
  set: 'Übernehmen',
  noLimit: 'Keine Limits',
  saved: 'Die Limits gelten.',
  held: 'Auf der Kommandozeile oder in der Umgebung festgelegt und hier nicht zu ändern: {{names}}.',
  notRate: 'Das ist kein Tempo. Geben Sie eine Zahl ein, oder nichts für kein Limit.',
  noneIn: 'keines',
  now: 'Limits jetzt: Download {{down}}, Upload {{up}}.',
}
