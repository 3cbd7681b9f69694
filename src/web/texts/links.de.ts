// The same in German.

import type { Translation } from '../language/texts.ts'
import type { LinksTexts } from './links.ts'

/** Texts by their keys. */
export const german: Translation<LinksTexts> = {
  give: 'Link weitergeben …',
  title: 'Link weitergeben',
  make: 'Erstellen und kopieren',
  for: 'Für',
  forExample: 'das Tablet, Anna',
  forHelp: 'Wer den Link hat, kann dies ohne Schlüssel abspielen und nichts anderes.',
  opens: 'Er gilt',
  aWeek: 'eine Woche',
  aMonth: '30 Tage',
  aYear: 'ein Jahr',
  always: 'bis ich ihn zurücknehme',
  oneDevice: 'Nur für ein Gerät: das erste, das ihn öffnet',
  given: 'Weitergegebene Links',
  withoutEnd: 'ohne Ende',
  until: 'bis {{time}}',
  forDevice: 'für ein Gerät ({{device}})',
  notOpened: 'noch nicht geöffnet',
  copyFor: 'Link für {{name}} kopieren',
  codeFor: 'QR-Code des Links für {{name}}',
  link: 'Link',
  takeBack: 'Zurücknehmen',
  taken: 'Zurückgenommen.',
  code: 'QR-Code',
  codeHelp: 'Für die Kamera eines Telefons',
  codeOf: 'QR-Code von {{url}}',
  tooLong: 'Dieser Link ist zu lang für einen Code.',
  whoever: 'Wer eine Kamera darauf richtet, kann dies ohne Schlüssel abspielen, unter dieser Adresse:',
  alone:
    'Ein anderes Gerät kann dies nicht öffnen: Der Knoten ist nur auf diesem Rechner erreichbar. Lass ihn in deinem Netzwerk erreichbar sein (Einstellung api.http_host) und öffne das Dashboard unter der Adresse, die dieser Rechner dort hat.',
  unnamed:
    'Ein anderes Gerät kann dies nicht öffnen: Der Link nennt diesen Rechner so, wie nur er selbst sich nennt. Öffne das Dashboard unter der Adresse oder dem Namen, den dieser Rechner in deinem Netzwerk hat.',
}
