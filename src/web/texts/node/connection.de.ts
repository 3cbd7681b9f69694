// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { ConnectionTexts } from './connection.ts'

/** Texts by their keys. */
export const german: Translation<ConnectionTexts> = {
  unreachable: 'Der Knoten antwortet nicht. Läuft er?',
  strangeAnswer: 'Der Knoten hat mit {{status}} geantwortet, ohne einen Grund zu nennen.',
  ended: 'Der Knoten hat die Verbindung beendet.',
  keyChanged: 'Der Knoten nimmt diesen Schlüssel nicht mehr an. Geben Sie den jetzigen ein.',
  finished: 'Fertig: {{name}}',
  failed: 'Fehler: {{error}}',
  notMoved: 'Dateien wurden nicht verschoben: {{error}}',
  finishedTitle: 'Download fertig',
  failedTitle: 'Download durch einen Fehler angehalten',
  notMovedTitle: 'Dateien wurden nicht verschoben',
  stalledTitle: 'Eine Festplatte antwortet nicht',
  withDetail: '{{text}} ({{detail}})',
}
