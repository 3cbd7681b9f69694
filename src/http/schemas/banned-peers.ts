// JSON schemas of bans by hand (extra, decision 0564).

import { Type } from '@sinclair/typebox'

/** Body of PUT and DELETE /peers/banned. */
export const BannedPeerParameters = Type.Object({
  ip: Type.String({ maxLength: 64, description: 'an IPv4 or IPv6 address, without a port' }),
})

/** GET /peers/banned. */
export const BannedPeersReply = Type.Object({
  banned: Type.Array(Type.String(), { description: 'addresses, the newest last' }),
})
/** PUT /peers/banned. */
export const PeerBannedReply = Type.Object({ added: Type.Boolean() })
/** DELETE /peers/banned. */
export const PeerLiftedReply = Type.Object({ removed: Type.Boolean() })
