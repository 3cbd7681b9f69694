// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { DoingTexts } from './doing.ts'

/** Texts by their keys. */
export const german: Translation<DoingTexts> = {
  downloading_one: 'Lädt mit {{rate}}, verbunden mit {{count, number}} Peer.',
  downloading_other: 'Lädt mit {{rate}}, verbunden mit {{count, number}} Peers.',
  downloadingLeft_one: 'Lädt mit {{rate}}, verbunden mit {{count, number}} Peer; fertig in etwa {{left}}.',
  downloadingLeft_other: 'Lädt mit {{rate}}, verbunden mit {{count, number}} Peers; fertig in etwa {{left}}.',
  seeding_one: 'Fertig; verteilt mit {{rate}}, verbunden mit {{count, number}} Peer.',
  seeding_other: 'Fertig; verteilt mit {{rate}}, verbunden mit {{count, number}} Peers.',
}
