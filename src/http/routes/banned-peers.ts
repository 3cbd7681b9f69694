// Bans of peers by hand: addresses that no download talks to (extra, decision 0564).

import { route } from '../route.ts'
import { BannedPeerParameters, BannedPeersReply, PeerBannedReply, PeerLiftedReply } from '../schemas/banned-peers.ts'

const tag = 'downloads'
const SAMPLE = { ip: '203.0.113.7' }

const listBanned = route({
  id: 'peers.banned',
  method: 'GET',
  path: '/peers/banned',
  kind: 'json',
  scope: 'read',
  tag,
  summary: 'Addresses that were banned by hand',
  choices: [
    'The whole route is extra. Addresses that the node bans itself for some hours, for broken data, and those of IP filters are not among them.',
  ],
  parameters: null,
  reply: BannedPeersReply,
  errors: [],
  sample: { path: '/peers/banned', status: 200 },
  run: ({ services }) => ({ banned: [...services.bannedPeers.list()] }),
})

const banPeer = route({
  id: 'peers.ban',
  method: 'PUT',
  path: '/peers/banned',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Bans an address',
  choices: [
    'The whole route is extra. Its connections are closed and no new ones made, in no download, until the ban is lifted; the setting ' +
      '`network.banned_peers` holds it. `added` is false when it was banned. The 1,001st is 409.',
    'Peers of hidden swarms have no address that lasts: it does not reach them.',
  ],
  parameters: BannedPeerParameters,
  reply: PeerBannedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'InvalidSetting', 'ScopeMissing', 'StateConflict'],
  sample: { path: '/peers/banned', body: SAMPLE, status: 200 },
  run: async ({ services }, { parameters, caller }) => ({
    added: await services.bannedPeers.ban(parameters.ip, caller),
  }),
})

const liftBan = route({
  id: 'peers.lift',
  method: 'DELETE',
  path: '/peers/banned',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Lifts the ban of an address',
  choices: ['The whole route is extra. `removed` is false when it was not banned.'],
  parameters: BannedPeerParameters,
  reply: PeerLiftedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'InvalidSetting', 'ScopeMissing', 'StateConflict'],
  sample: { path: '/peers/banned', body: SAMPLE, status: 200 },
  run: async ({ services }, { parameters, caller }) => ({
    removed: await services.bannedPeers.lift(parameters.ip, caller),
  }),
})

/** Every route of this file. */
export const bannedPeerRoutes = [listBanned, banPeer, liftBan] as const
