// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { FilesTexts } from './files.ts'

/** Texts by their keys. */
export const german: Translation<FilesTexts> = {
  asking: 'Der Knoten wird gefragt …',
  notKnown: 'Die Dateien sind bekannt, sobald die Metadaten da sind.',
  chosen_one: '{{count, number}} Datei, {{chosen, number}} ausgewählt',
  chosen_other: '{{count, number}} Dateien, {{chosen, number}} ausgewählt',
  fetchAll: 'Alle laden',
  skipAll: 'Alle auslassen',
  playlist: 'Playlist',
  search: 'Dateien suchen',
  order: 'Reihenfolge der Dateien',
  byName: 'Nach Namen, in Ordnern',
  bySize: 'Größte zuerst',
  byProgress: 'Unvollständigste zuerst',
  nothingFound: 'Keine Datei heißt so.',
  files: 'Dateien',
  open: 'Ordner {{name}} öffnen',
  close: 'Ordner {{name}} schließen',
  priority: 'Priorität von {{name}}',
  mixed: 'Gemischt',
  skip: 'Auslassen',
  low: 'Niedrig',
  normal: 'Normal',
  high: 'Hoch',
  leftAt: 'unterbrochen bei {{place}}',
  watched: 'gesehen',
  someChosen: '{{chosen, number}} von {{all, number}} ausgewählt',
  rename: 'Umbenennen',
  renameOne: '{{name}} umbenennen',
  newName: 'Neuer Name',
  renameHelp: 'Auf der Platte des Knotens. Laden und Verteilen gehen weiter.',
  linkTitle: 'Einen Link für jeden Player kopieren',
  linkOf: 'Player-Link von {{name}} kopieren',
  playerLink: 'Player-Link',
  play: '{{name}} abspielen',
  save: '{{name}} speichern',
}
