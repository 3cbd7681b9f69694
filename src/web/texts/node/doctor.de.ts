// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { DoctorTexts } from './doctor.ts'

/** Texts by their keys. */
export const german: Translation<DoctorTexts> = {
  heading: 'Diagnose',
  about: 'Was der Knoten von diesem Rechner braucht und ob er es hat. Die Prüfung ändert nichts.',
  examine: 'Erneut prüfen',
  examining: 'Prüft…',
  healthy: 'Alles in Ordnung. Geprüft um {{time}}.',
  problems_one: 'Ein Problem. Geprüft um {{time}}.',
  problems_other: '{{count, number}} Probleme. Geprüft um {{time}}.',
  warnings_one: 'Nichts hält den Knoten auf; eine Sache ist anzusehen. Geprüft um {{time}}.',
  warnings_other: 'Nichts hält den Knoten auf; {{count, number}} Sachen sind anzusehen. Geprüft um {{time}}.',
  problemGroup: 'Probleme',
  warningGroup: 'Anzusehen',
  okGroup: 'In Ordnung',
  problem: 'Problem',
  warning: 'Warnung',
  ok: 'OK',
  advice: 'Was zu tun ist:',
  certificate: 'Zertifikat',
  clock: 'Uhr',
  database: 'Datenbank',
  doctor: 'Diagnose',
  hash: 'Prüfung der Teile',
  media: 'Filme',
  mounts: 'Datenträger',
  openFiles: 'Offene Dateien',
  overlay: 'Anonymität',
  permissions: 'Ordner',
  ports: 'Ports',
  program: 'Programm',
  settings: 'Einstellungen',
}
