// The same in German.

import type { Translation } from '../language/texts.ts'
import type { KeyTexts } from './key.ts'

/** Texts by their keys. */
export const german: Translation<KeyTexts> = {
  heading: 'Dashboard öffnen',
  key: 'API-Schlüssel',
  open: 'Öffnen',
  asking: 'Anmeldung läuft …',
  wrong: 'Das ist nicht der Schlüssel dieses Knotens. Prüfen Sie, ob Zeichen fehlen.',
  kept: 'Dieser Browser behält den Schlüssel, bis Sie sich abmelden.',
  noKey: 'Kein Schlüssel zur Hand?',
  link: 'Auf dem Rechner des Knotens erzeugt dies einen Link, der Sie einmal anmeldet:',
  keyShow: 'Mit {{other}} statt {{command}} wird der Schlüssel selbst ausgegeben.',
  terminal: 'Im Terminal',
  debian: 'Debian-Paket',
  container: 'Container',
}
