// What is said of the peers of a download, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  loading: 'Loading…',
  peers: 'Peers',
  noPeers: 'No peer is connected.',
  peer: 'Peer',
  has: 'Has',
  down: 'Down',
  up: 'Up',
  unknownClient: 'Unknown client',
  port: 'port {{port}}',
  webSeed: 'Web seed',
  outgoing: 'outgoing',
  incoming: 'incoming',
  encrypted: 'encrypted',
  snubbed: 'snubbed',
  optimistic: 'optimistic',
  peerAddress: 'Address of a peer, with its port',
  add: 'Add',
  peerCalled: 'While the download runs it connects to {{address}}.',
  peerKnown: 'It is connected to {{address}} already, or connecting.',
  commands: 'Commands',
  banOne: 'Ban {{ip}}',
  banTitle: 'Ban this address',
  banWarning: 'Every download ends its connections with {{ip}} and makes no new ones, until the ban is lifted.',
  ban: 'Ban',
  banned: '{{ip}} is banned.',
  bans_one: '{{count, number}} banned address',
  bans_other: '{{count, number}} banned addresses',
  lift: 'Lift ban',
  liftOne: 'Lift the ban of {{ip}}',
  lifted: 'The ban of {{ip}} is lifted.',
} as const

/** Its texts by their keys, as translations have them. */
export type PeersTexts = typeof english

/** One of these texts. */
export const text = textsOf('peers', english)
