// The same in German.

import type { Translation } from '../../language/texts.ts'
import type { HopTexts } from './hops.ts'

/** Texts by their keys. */
export const german: Translation<HopTexts> = {
  anonymity: 'Anonymität',
  asSet: 'Wie in den Einstellungen',
  asSetHelp: 'Gilt, was in den Einstellungen steht.',
  slower: 'Circuits sind langsamer als das offene Netz, und https-Tracker können über sie nicht gefragt werden.',
  open: 'Offen',
  openCost: 'Am schnellsten. Alle im Schwarm sehen die Adresse dieses Knotens.',
  overHops_one: '{{count, number}} Hop',
  overHops_other: '{{count, number}} Hops',
  oneCost: 'Peers sehen die Adresse eines Ausgangs. Dieser kennt die Adresse dieses Knotens und was er lädt.',
  twoCost: 'Langsamer. Kein Hop allein kennt diesen Knoten und was er lädt; zwei, die zusammenarbeiten, schon.',
  threeCost: 'Am langsamsten. Zwischen dem ersten und dem letzten Hop liegt einer, der beides nicht kennt.',
  ready_one: '{{count, number}} Circuit bereit',
  ready_other: '{{count, number}} Circuits bereit',
  readyAndMore_one: '{{count, number}} Circuit bereit, {{building, number}} im Aufbau',
  readyAndMore_other: '{{count, number}} Circuits bereit, {{building, number}} im Aufbau',
  relays_one: '{{count, number}} Relay bekannt',
  relays_other: '{{count, number}} Relays bekannt',
  exits_one: '{{count, number}} Ausgang bekannt',
  exits_other: '{{count, number}} Ausgänge bekannt',
  building_one: '{{count, number}} Circuit im Aufbau',
  building_other: '{{count, number}} Circuits im Aufbau',
  lastFailure: 'zuletzt gescheitert: {{failure}}',
}
