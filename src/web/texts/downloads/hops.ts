// What downloads say of the hops they go over, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  anonymity: 'Anonymity',
  asSet: 'As in the settings',
  asSetHelp: 'Uses the default from Settings.',
  slower: 'Circuits are slower than the open network, and https trackers cannot be asked through them.',
  open: 'In the open',
  openCost: 'Fastest. Everybody in the swarm sees the address of this node.',
  overHops_one: '{{count, number}} hop',
  overHops_other: '{{count, number}} hops',
  oneCost: 'Peers see the address of an exit. That exit knows the address of this node and what it fetches.',
  twoCost: 'Slower. No single hop knows both this node and what it fetches; two that work together do.',
  threeCost: 'Slowest. The first and the last hop have one between them that knows neither.',
  ready_one: '{{count, number}} circuit ready',
  ready_other: '{{count, number}} circuits ready',
  readyAndMore_one: '{{count, number}} circuit ready, {{building, number}} being built',
  readyAndMore_other: '{{count, number}} circuits ready, {{building, number}} being built',
  relays_one: '{{count, number}} relay known',
  relays_other: '{{count, number}} relays known',
  exits_one: '{{count, number}} exit known',
  exits_other: '{{count, number}} exits known',
  building_one: '{{count, number}} circuit being built',
  building_other: '{{count, number}} circuits being built',
  lastFailure: 'last failure: {{failure}}',
} as const

/** Its texts by their keys, as translations have them. */
export type HopTexts = typeof english

/** One of these texts. */
export const text = textsOf('hops', english)
