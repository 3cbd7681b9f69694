// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { SettingsTexts } from './settings.ts'

/** Texts by their keys. */
export const german: Translation<SettingsTexts> = {
  settings: 'Einstellungen',
  loading: 'Wird geladen …',
  welcome: 'Willkommen noch einmal zeigen',
  search: 'Einstellungen suchen',
  allSettings: 'Alle Einstellungen',
  nothingFound: 'Keine Einstellung passt dazu.',
  needsRestart: 'Gilt nach dem nächsten Start.',
  keptIn: 'Stehen in dieser Datei des Knotens:',
  file: 'Einstellungen als Datei',
  exportFile: 'Exportieren',
  importFile: 'Importieren …',
  fileHelp:
    'Was an diesem Knoten eingestellt wurde, ohne Passwörter und Schlüssel. Beim Import sehen Sie zuerst, was er ändern würde.',
  notSettings: '{{name}} ist keine Datei mit Einstellungen, die hier oder an einem anderen Knoten exportiert wurde.',
  leftOut_one:
    '{{count, number}} Einstellung der Datei wurde ausgelassen: Dieser Knoten kennt sie nicht, oder sie lässt sich hier nicht ändern.',
  leftOut_other:
    '{{count, number}} Einstellungen der Datei wurden ausgelassen: Dieser Knoten kennt sie nicht, oder sie lassen sich hier nicht ändern.',
  sameAsFile: 'Die Datei würde nichts ändern.',
  showChanges: 'Was sich ändern würde',
  fromTo: '{{before}} → {{after}}',
  sections: 'Abschnitte',
  notShown: 'nicht angezeigt',
  range: 'Von {{from, number}} bis {{to, number}}.',
  rangeIn: 'Von {{from}} bis {{to}}.',
  unitOf: 'Einheit von {{name}}',
  notInBounds: 'Geben Sie eine Zahl innerhalb der angezeigten Grenzen ein.',
  seconds: 'Sekunden',
  minutes: 'Minuten',
  hours: 'Stunden',
  days: 'Tage',
  weekGrid: 'Stunden der Woche',
  weekHelp:
    'Ziehen Sie über die Stunden, in denen der Langsam-Modus an ist, und noch einmal, um sie herauszunehmen. Mit der Tastatur: Pfeiltasten und Leertaste, oder Umschalttaste mit Pfeiltasten für viele. Die Zeilen darunter sagen dasselbe auf die Minute genau.',
  weekCell: '{{day}}, {{from}} bis {{to}}',
  weekCellPart: '{{day}}, {{from}} bis {{to}}, ein Teil davon',
  weekUnread: 'Stunden lassen sich wieder wählen, wenn diese Zeile Tage und Zeiten hat: {{line}}',
  weekTooMany: 'Stunden lassen sich wieder wählen, wenn es höchstens {{count, number}} Zeilen sind.',
  byFlag: 'auf der Kommandozeile gesetzt',
  byEnvironment: 'in der Umgebung gesetzt',
  pending: 'gilt nach einem Neustart',
  changes: 'Änderungen',
  changed_one: '{{count, number}} Änderung',
  changed_other: '{{count, number}} Änderungen',
  changedElsewhere_one:
    '{{count, number}} dieser Einstellungen wurde inzwischen anderswo geändert. Nichts wurde gespeichert: Wählen Sie, welcher Wert bleibt, und speichern Sie erneut.',
  changedElsewhere_other:
    '{{count, number}} dieser Einstellungen wurden inzwischen anderswo geändert. Nichts wurde gespeichert: Wählen Sie, welche Werte bleiben, und speichern Sie erneut.',
  nowIs: 'Inzwischen anderswo geändert, jetzt: {{value}}',
  keepMine: 'Meinen Wert behalten',
  takeTheirs: 'Den neuen Wert übernehmen',
  on: 'an',
  off: 'aus',
  empty: 'leer',
  undo: 'Zurücksetzen',
  save: 'Speichern',
  saved: 'Gespeichert.',
  savedForRestart_one: 'Gespeichert. {{count, number}} Änderung gilt nach einem Neustart.',
  savedForRestart_other: 'Gespeichert. {{count, number}} Änderungen gelten nach einem Neustart.',
}
