// The same in German.

import type { Translation } from '../language/texts.ts'
import type { KeysTexts } from './keys.ts'

/** Texts by their keys. */
export const german: Translation<KeysTexts> = {
  heading: 'Tasten',
  everywhere: 'Überall',
  list: 'Downloads',
  player: 'Player',
  help: 'diese Hilfe',
  search: 'Downloads durchsuchen',
  escape: 'Offenes schließen, Auswahl aufheben',
  move: 'zu einer anderen Zeile',
  pages: 'eine Seite hinauf, hinab',
  ends: 'zur ersten, letzten Zeile',
  open: 'Download öffnen',
  mark: 'Zeile auswählen oder nicht',
  range: 'bis hierher auswählen',
  all: 'alle auswählen',
  queue: 'Ausgewählte in der Warteschlange verschieben',
  remove: 'Ausgewählte entfernen',
  paste: 'kopierten Link oder Datei hinzufügen',
  space: 'Leertaste',
  enter: 'Eingabetaste',
  shift: 'Umschalt {{key}}',
  ctrl: 'Strg {{key}}',
  alt: 'Alt {{key}}',
  del: 'Entf',
  homeEnd: 'Pos1 Ende',
  pageKeys: 'Bild auf Bild ab',
  esc: 'Esc',
  app: 'Als App',
  installable: 'Das Dashboard lässt sich als App installieren: in der Adressleiste oder im Menü des Browsers.',
  insecure:
    'Um das Dashboard als App zu installieren, braucht der Browser https (Einstellung api.https_enabled) oder die Seite unter localhost.',
}
