// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { WelcomeTexts } from './welcome.ts'

/** Texts by their keys. */
export const german: Translation<WelcomeTexts> = {
  heading: 'Willkommen bei Tributary',
  about: 'Vier Dinge vor dem ersten Download. Jedes lässt sich überspringen und später in den Einstellungen ändern.',
  save: 'Speichern',
  skip: 'Überspringen',
  saved: 'Gespeichert. Fügen Sie Ihren ersten Download hinzu.',
  folders: 'Wohin Downloads kommen',
  folderHeld: 'Sie kommen nach {{path}}; das wurde auf der Befehlszeile oder in der Umgebung festgelegt.',
  line: 'Geschwindigkeit Ihrer Leitung',
  lineHelp: 'Wie Ihr Anbieter sie nennt. Bleibt sie leer, wird nichts begrenzt, was es nicht schon ist.',
  down: 'Download',
  up: 'Upload',
  unit: 'Einheit',
  share: 'Tributary nutzt höchstens {{down}} im Download und {{up}} im Upload; der Rest bleibt für andere frei.',
  unlimited: 'jede Geschwindigkeit',
  notRate: 'Das ist keine Geschwindigkeit. Geben Sie eine Zahl ein, oder nichts für keine Grenze.',
  lineHeld: 'Grenzen wurden auf der Befehlszeile oder in der Umgebung festgelegt und sind hier nicht zu ändern.',
  start: 'Mit dem System starten',
  startService:
    'Einen Dienst startet das System, sobald dieser Befehl darauf ausgeführt wurde (das Debian-Paket tut das):',
  startContainer: 'Ein Container braucht eine Neustart-Regel; die mitgelieferte Compose-Datei hat eine:',
  startOwn:
    'Tributary läuft als Ihr eigenes Programm. Mit diesem Befehl, in einem Terminal Ihres Benutzers, startet systemd es ab dem nächsten Start des Rechners:',
  copy: 'Befehl kopieren',
  command: 'Der Befehl',
  health: 'Ist alles da?',
  looking: 'Prüft…',
  healthy: 'Alles, was Tributary von diesem Rechner braucht, ist in Ordnung.',
  more_one: 'Und {{count, number}} weitere Sache.',
  more_other: 'Und {{count, number}} weitere Sachen.',
  doctor: 'Diagnose öffnen',
}
