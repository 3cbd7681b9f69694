// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { DevicesTexts } from './devices.ts'

/** Texts by their keys. */
export const german: Translation<DevicesTexts> = {
  heading: 'Geräte und Schlüssel',
  about:
    'Jeder Browser, der über einen Link angemeldet wurde, und jedes Programm mit eigenem Schlüssel. Wer entfernt wird, ist abgemeldet.',
  none: 'Keine: Nur der Schlüssel des Knotens selbst ist in Gebrauch.',
  thisOne: 'Dieser Browser',
  bound: 'Nur Downloads mit dem Label {{label}}',
  since: 'seit {{date}}',
  remove: '{{name}} entfernen',
  removed: '{{name}} ist abgemeldet.',
  signIn: 'Am Telefon anmelden',
  mayField: 'Das Telefon darf',
  mayWatch: 'ansehen, was da ist',
  mayAdd: 'ansehen, Downloads hinzufügen und entfernen',
  mayAdmin: 'alles, außer Geld auszugeben',
  show: 'Code zeigen',
  code: 'QR-Code, der ein Telefon anmeldet',
  scan: 'Innerhalb von zehn Minuten mit der Kamera des Telefons erfassen. Er gilt einmal, unter {{host}}.',
  waiting: 'Wartet auf das Telefon…',
  used: '{{name}} ist angemeldet.',
  spent: 'Der Code wurde aus einem anderen Netz versucht oder zurückgenommen. Einen neuen zeigen.',
  expired: 'Der Code ist zu alt. Einen neuen zeigen.',
  alone:
    'Ein Telefon erreicht diesen Knoten nicht: Er ist nur von diesem Rechner aus erreichbar. Unten api.http_host auf eine Adresse dieses Rechners im eigenen Netz (oder 0.0.0.0) setzen, den Knoten neu starten und das Dashboard unter dieser Adresse öffnen.',
  unnamed:
    'Unter welcher Adresse ein Telefon diesen Knoten erreicht, ist nicht bekannt. Das Dashboard unter der Adresse oder dem Namen öffnen, den dieser Rechner im eigenen Netz hat, oder unten api.host_names setzen.',
  unencrypted: 'Die Verbindung ist nicht verschlüsselt: nur in Netzen verwenden, denen man vertraut.',
}
