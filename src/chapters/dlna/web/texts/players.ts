// What the page of players in the network says, in English.

import { textsOf } from '../../../../web/language/texts.ts'

const english = {
  players: 'Players',
  asking: 'Loading…',
  found: 'Players find this node now.',
  off: 'Players are not served any more.',
  mayWatch: 'Players in this network may watch',
  mayWatchHelp:
    'Televisions, VLC and Kodi find “{{name}}” and play its films. Everybody in the network can: no key is asked for. Downloads over circuits are not shown.',
  servedAt: '{{name}}: {{address}}, port {{port}}',
  noName: 'says no name',
  plays: 'plays {{count, number}}',
  allowed: 'allowed',
  blocked: 'blocked',
  block: 'Block',
  allow: 'Allow',
  forget: 'Forget',
  isBlocked: '{{address}} is blocked, its links have ended.',
  isAllowed: '{{address}} may watch again.',
  isForgotten: '{{address}} is forgotten, its links have ended.',
  noDevice: 'No device has asked yet.',
  devices: 'Devices with links',
  address: 'Address',
  name: 'Name',
  state: 'State',
  lastSeen: 'Last seen',
  actions: 'Actions',
} as const

/** Its texts by their keys, as translations have them. */
export type PlayersTexts = typeof english

/** One of these texts. */
export const text = textsOf('players', english)
