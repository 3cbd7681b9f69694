// JSON schemas of GET /statistics/* (spec 2.13 and 4.10).

import { Type } from '@sinclair/typebox'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Sent = Count('datagrams sent since the start')
const Received = Count('datagrams received since the start')

/** GET /statistics/communities. */
export const CommunitiesReply = Type.Object({
  dispersy_community_statistics: Type.Array(
    Type.Object({
      identifier: Type.String({ description: 'the overlay' }),
      member: Type.String({ description: 'this node in it, hexadecimal' }),
      classification: Type.String({ description: 'its kind' }),
      candidates: Count('others that are known in it'),
      global_time: Count('the clock its members share, 0 = it has none'),
      packets_sent: Sent,
      packets_received: Received,
      packets_dropped: Type.Optional(Count('extra, of overlays of circuits: datagrams that were of no use')),
      bytes_sent: Type.Optional(Count('extra, of overlays of circuits')),
      bytes_received: Type.Optional(Count('extra, of overlays of circuits')),
    }),
  ),
})

/** GET /statistics/dispersy. */
export const DispersyReply = Type.Object({
  dispersy_statistics: Type.Object({
    wan_address: Type.String({ description: 'ip:port from outside; 0.0.0.0:0 = not known' }),
    lan_address: Type.String({ description: 'ip:port in its own network; 0.0.0.0:0 = none' }),
    connection: Type.Union([Type.Literal('unknown'), Type.Literal('public')]),
    runtime: Type.Number({ minimum: 0, description: 'seconds since the first of these UDP ports was bound' }),
    total_downloaded: Count('bytes received'),
    total_uploaded: Count('bytes sent'),
    packets_sent: Sent,
    packets_received: Received,
  }),
})

/** GET /statistics/ipv8. */
export const Ipv8Reply = Type.Object({
  ipv8_statistics: Type.Object({
    total_up: Count('bytes sent'),
    total_down: Count('bytes received'),
    session_uptime: Type.Number({ minimum: 0, description: 'seconds the overlays have run' }),
  }),
})

/** GET /statistics/tribler. */
export const TriblerReply = Type.Object({
  tribler_statistics: Type.Object({
    num_channels: Count('channels that are known'),
    database_size: Count('bytes of the store on the disk'),
    torrent_queue_stats: Type.Array(
      Type.Object({
        failed: Count('that came to nothing'),
        total: Count('pending, success and failed together'),
        pending: Count('being looked for now'),
        success: Count('that were found'),
        type: Type.String({ description: 'the queue' }),
      }),
    ),
  }),
})
