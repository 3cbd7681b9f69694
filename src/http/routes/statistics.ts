// Routes of statistics (spec 4.10; decisions part 5; decision 0316).

import { route } from '../route.ts'
import { CommunitiesReply, DispersyReply, Ipv8Reply, TriblerReply } from '../schemas/statistics.ts'

const communities = route({
  id: 'statistics.communities',
  method: 'GET',
  path: '/statistics/communities',
  kind: 'json',
  scope: 'read',
  tag: 'statistics',
  summary: 'The overlay networks this node takes part in',
  choices: [
    'One entry an overlay that runs; none before the engine does. `mainline_dht4` and `mainline_dht6` are the Mainline DHT ' +
      'over IPv4 and IPv6: `candidates` are the nodes in its routing table, `global_time` is 0, it has no common clock.',
    'Overlays of circuits come with the first anonymous download: `identifier` is the id of the community, `classification` its name. ' +
      'Extra, only of these: `packets_dropped`, `bytes_sent`, `bytes_received`.',
  ],
  parameters: null,
  reply: CommunitiesReply,
  errors: [],
  sample: { path: '/statistics/communities', status: 200 },
  run: ({ services }) => ({ dispersy_community_statistics: services.statistics.communities() }),
})

const dispersy = route({
  id: 'statistics.dispersy',
  method: 'GET',
  path: '/statistics/dispersy',
  kind: 'json',
  scope: 'read',
  tag: 'statistics',
  summary: 'What passed the ports of overlays',
  choices: [
    'Counted are the UDP port for peers, which uTP and the DHT share, and while they run that of the overlays of circuits: payload ' +
      'bytes and datagrams. All zeros while there is none (uTP and DHT are off, or the node is starting).',
    'Addresses are those of the overlays while they run; what is not known is `0.0.0.0:0`. `connection` is public when the machine has the address at which others ' +
      'see it, else unknown.',
  ],
  parameters: null,
  reply: DispersyReply,
  errors: [],
  sample: { path: '/statistics/dispersy', status: 200 },
  run: ({ services }) => ({ dispersy_statistics: services.statistics.dispersy() }),
})

const ipv8 = route({
  id: 'statistics.ipv8',
  method: 'GET',
  path: '/statistics/ipv8',
  kind: 'json',
  scope: 'read',
  tag: 'statistics',
  summary: 'Bytes of the overlays of circuits',
  choices: ['Extra. Zeros before the overlays run, which an anonymous download starts.'],
  parameters: null,
  reply: Ipv8Reply,
  errors: [],
  sample: { path: '/statistics/ipv8', status: 200 },
  run: ({ services }) => ({ ipv8_statistics: services.statistics.ipv8() }),
})

const tribler = route({
  id: 'statistics.tribler',
  method: 'GET',
  path: '/statistics/tribler',
  kind: 'json',
  scope: 'read',
  tag: 'statistics',
  summary: 'Figures of this service',
  choices: [
    '`database_size`: the store with its log. Queues, since the start: `DHT` = metadata of magnet links, from peers; `HTTP` = ' +
      'torrent files from web servers.',
    '`num_channels` is 0: there are no channels yet.',
  ],
  parameters: null,
  reply: TriblerReply,
  errors: [],
  sample: { path: '/statistics/tribler', status: 200 },
  run: async ({ services }) => ({ tribler_statistics: await services.statistics.tribler() }),
})

/** Every route of this file. */
export const statisticsRoutes = [communities, dispersy, ipv8, tribler] as const
