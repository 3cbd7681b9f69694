// The route for the health of a torrent of a channel (extra; field notes part 10). It translates names and nothing
// else.

import { routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import { HealthParameters, HealthReply } from './torrent-health-schemas.ts'
import { torrentOf } from './channel-path.ts'
import { SAMPLE_INFOHASH } from '../../../http/routes/infohash.ts'

const route = routeWith<ChannelRouteServices>()

/** Seconds, where the client names none. */
const DEFAULT_TIMEOUT_S = 20

export const torrentHealth = route({
  id: 'torrents.health',
  method: 'GET',
  path: '/torrents/{infohash}/health',
  kind: 'json',
  scope: 'read',
  tag: 'channels',
  summary: 'How many seeders and leechers a torrent of a channel has',
  choices: [
    'The whole route is extra. Its trackers and the DHT are asked unless that was done within the last four hours or ' +
      '`refresh=1` is given; the answer comes when all have told or `timeout` is over, a row for each of them.',
    'The largest numbers go into num_seeders and num_leechers, as with the torrent checker, which does this for all torrents of ' +
      'channels, some each minute (setting `torrent_checking.enabled`; when it is off, nobody is asked here either).',
    'For a download over circuits nobody is asked.',
  ],
  parameters: HealthParameters,
  reply: HealthReply,
  errors: ['TorrentNotFound', 'TooManyRequests', 'NotReady', 'DiskError', 'StateUnreadable'],
  sample: { path: `/torrents/${SAMPLE_INFOHASH}/health`, query: 'refresh=1&timeout=5', status: 200 },
  run: async ({ services }, { path, parameters }) => {
    const { refresh = false, timeout = DEFAULT_TIMEOUT_S } = parameters
    return { health: await services.torrentHealth.health(torrentOf(path), refresh, timeout * 1000) }
  },
})

/** All routes of this file. */
export const torrentHealthRoutes = [torrentHealth]
