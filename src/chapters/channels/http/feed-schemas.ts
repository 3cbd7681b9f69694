// JSON schemas of feeds of channels (spec 2.5 and 4.6; decision 0418). All of a feed but its url is extra.

import { Type } from '@sinclair/typebox'

const Time = (description: string) =>
  Type.Integer({ minimum: 0, description: `extra: ${description}: Unix time, seconds; 0 = never` })

/** A feed (spec 2.5). */
const Feed = Type.Object({
  url: Type.String(),
  time_added: Time('when it was added'),
  last_check: Time('when it was looked at last'),
  next_check: Time('when it is looked at next'),
  failures: Type.Integer({ minimum: 0, description: 'extra: looks in a row that failed' }),
  error: Type.String({ description: 'extra: why the last look failed; empty = it did not' }),
})

/** GET /channels/discovered/{channelid}/rssfeeds. */
export const FeedsReply = Type.Object({ rssfeeds: Type.Array(Feed) })
/** PUT /channels/discovered/{channelid}/rssfeeds/{url}. */
export const FeedAddedReply = Type.Object({ added: Type.Boolean() })
/** DELETE /channels/discovered/{channelid}/rssfeeds/{url}. */
export const FeedRemovedReply = Type.Object({ removed: Type.Boolean() })
/** POST /channels/discovered/{channelid}/recheckfeeds. */
export const RecheckedReply = Type.Object({ rechecked: Type.Boolean() })
/** GET /channels/discovered/{channelid}/feed: parameters. */
export const ChannelFeedParameters = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal('atom'), Type.Literal('rss')], { description: 'atom (the default) or rss' }),
  ),
})
/** GET /channels/discovered/{channelid}/feedlinks. */
export const FeedLinksReply = Type.Object({
  atom_url: Type.String({ description: 'opens without a key' }),
  rss_url: Type.String({ description: 'opens without a key' }),
})
