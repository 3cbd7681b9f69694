// What the page of circuits says, in English.

import { textsOf } from '../../../../web/language/texts.ts'

const english = {
  circuits: 'Circuits',
  about:
    'A download with hops reaches its peers over circuits: chains of other nodes, each of which knows its neighbours only. See which there are, and what this node carries for others.',
  asking: 'Loading…',
  notShown: 'Circuits are not shown: {{problem}}',
  circuitReady: 'Circuit ready',
  circuitGone: 'Circuit closed',
  anyCircuit: 'Circuit',
  overHops_one: 'over {{count}} hop',
  overHops_other: 'over {{count}} hops',
  eventsBefore_one: '{{count}} more event before it',
  eventsBefore_other: '{{count}} more events before it',
  ready_one: '{{count, number}} circuit ready',
  ready_other: '{{count, number}} circuits ready',
  // One circuit.
  path: 'Path',
  down: 'Down',
  up: 'Up',
  roundTrip: 'Round trip',
  notMeasured: 'not measured yet',
  milliseconds: '{{count, number}} ms',
  pingsLost: 'Pings lost',
  carried: 'Carried',
  age: 'Age',
  stateExtending: 'Being built',
  stateReady: 'Ready',
  stateClosing: 'Closing',
  purposeData: 'Downloads and trackers',
  purposeIntroduction: 'Being found by anonymous downloaders',
  purposeSeeding: 'Seeding to an anonymous downloader',
  purposeFetching: 'Fetching from an anonymous seeder',
  relay: 'Relay',
  exit: 'Exit',
  introductionPoint: 'Introduction point',
  rendezvousPoint: 'Rendezvous point',
  thisNode: 'This node',
  internet: 'Internet',
  anonymousDownloaders: 'Anonymous downloaders',
  anonymousDownloader: 'Anonymous downloader',
  anonymousSeeder: 'Anonymous seeder',
  noAnswerYet: 'no answer yet',
  // Its lists.
  ownCircuits: 'Circuits of this node',
  noneOwn: 'None yet. Add a download with hops, and the node builds some.',
  more_one: 'and {{count, number}} more',
  more_other: 'and {{count, number}} more',
  forOthers: 'Passing through for others',
  noneForOthers: 'Nothing passes through this node for others now.',
  circuitsOfOthers: 'Circuits of others',
  nodeIs: 'This node is',
  from: 'From',
  to: 'To',
  bytes: 'Bytes',
  // The network.
  network: 'Network',
  relaysKnown: 'Relays known',
  exitsAmongThem: 'Exits among them',
  runningFor: 'Running for',
  notRunning: 'not running',
  publicAddress: 'Public address',
  ownPort: 'Own UDP port',
  notKnown: 'not known',
  traffic: 'Traffic since the start',
  ownDown: 'Downloaded',
  ownUp: 'Uploaded',
  relayed: 'Relayed for others',
  exited: 'Exit traffic for others',
  slots: 'Slots used',
  slotsOf: '{{used, number}} of {{all, number}}',
} as const

/** Its texts by their keys, as translations have them. */
export type CircuitTexts = typeof english

/** A text of the page. */
export const text = textsOf('circuits', english)
