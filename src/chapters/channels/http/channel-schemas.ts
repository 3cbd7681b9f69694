// JSON schemas of channels, subscriptions, own channels and grants (spec 2.2 and 4.3; decisions part 3).

import { Type } from '@sinclair/typebox'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** dispersy_cid. */
export const ChannelIdText = Type.String({
  pattern: '^[0-9a-f]{40}$',
  description: 'SHA-1 of the public key, hexadecimal',
})
/** A public key as text. */
export const KeyText = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'an Ed25519 public key, hexadecimal' })
/** The parameter of lists that the family filter is for. */
export const FilterParameters = Type.Object({
  disable_filter: Type.Optional(Type.Boolean({ description: '1 = the family filter is off for this request' })),
})

const MODE_NAMES = 'open, semi-open or closed'
const Mode = [Type.Literal('open'), Type.Literal('semi-open'), Type.Literal('closed')]

/** A channel (spec 2.2). */
export const ChannelSchema = Type.Object({
  id: Count('number of this node for it'),
  dispersy_cid: ChannelIdText,
  name: Type.String(),
  description: Type.String(),
  subscribed: Type.Boolean(),
  votes: Count('subscribers known to this node'),
  torrents: Count('torrents in it'),
  spam: Count('nodes known that call it spam'),
  modified: Type.Integer({ description: 'time of its newest record: Unix time, seconds' }),
  can_edit: Type.Boolean({ description: 'own, or this node may add to it' }),
  mode: Type.Union(Mode, { description: 'extra: who may write beside the owner' }),
  own: Type.Boolean({ description: 'extra: this node has its key' }),
})

const Standing = Type.Object({
  state: Type.Union(
    (['off', 'starting', 'failed', 'alone', 'connected'] as const).map(state => Type.Literal(state)),
    {
      description:
        'extra: of the overlay of channels: off (by a setting), starting, failed (it is tried again), alone (nobody met yet), connected',
    },
  ),
  peers: Count('nodes it is connected to there'),
  setting: Type.String({ description: 'why it is off; else empty' }),
  problem: Type.String({ description: 'why its start failed; else empty' }),
})

/** GET /channels/discovered. */
export const DiscoveredReply = Type.Object({ channels: Type.Array(ChannelSchema), network: Standing })
/** GET /channels/popular. */
export const ChannelsReply = Type.Object({ channels: Type.Array(ChannelSchema) })
/** GET /channels/popular: parameters. */
export const PopularParameters = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'channels at most, 10 by default' })),
})

const Name = (description: string) => Type.String({ maxLength: 4096, description })
// May be empty, also where something is changed.
const Description = Type.Optional(
  Type.String({ minLength: 0, maxLength: 65_536, description: 'cut at 1,023 characters' }),
)

/** Body of PUT /channels/discovered. */
export const NewChannelParameters = Type.Object({
  name: Name('cut at 255 characters'),
  description: Description,
  mode: Type.Optional(Type.Union(Mode, { description: `${MODE_NAMES}; closed by default` })),
})
/** PUT /channels/discovered. */
export const NewChannelReply = Type.Object({
  added: Count('its number'),
  dispersy_cid: Type.String({ pattern: '^[0-9a-f]{40}$', description: 'extra: the id of the new channel' }),
})

const Overview = Type.Object({ name: Type.String(), description: Type.String(), identifier: ChannelIdText })

/** GET /channels/discovered/{channelid}. */
export const OverviewReply = Type.Object({
  overview: Overview,
  channel: Type.Unsafe<(typeof ChannelSchema)['static']>({
    ...ChannelSchema,
    description: 'extra: its record as lists have it',
  }),
})
/** Body of PATCH /channels/discovered/{channelid}. */
export const ChannelChangeParameters = Type.Object({
  name: Type.Optional(Name('cut at 255 characters')),
  description: Description,
  mode: Type.Optional(Type.Union(Mode, { description: MODE_NAMES })),
})
/** Answers of changes. */
export const ModifiedReply = Type.Object({ modified: Type.Boolean() })
/** Answers of removals. */
export const RemovedReply = Type.Object({ removed: Type.Boolean() })

/** GET /mychannel. */
export const MyChannelReply = Type.Object({ mychannel: Overview })
/** Body of POST /mychannel. */
export const MyChannelParameters = Type.Object({
  name: Type.Optional(Name('cut at 255 characters')),
  description: Description,
})

/** GET /channels/subscribed. */
export const SubscribedListReply = Type.Object({ subscribed: Type.Array(ChannelSchema) })
/** GET /channels/subscribed/{channelid}. */
export const SubscriptionReply = Type.Object({
  subscribed: Type.Boolean(),
  votes: Count('subscribers known to this node'),
})
/** PUT /channels/subscribed/{channelid}. */
export const SubscribedReply = Type.Object({ subscribed: Type.Boolean() })
/** DELETE /channels/subscribed/{channelid}. */
export const UnsubscribedReply = Type.Object({ unsubscribed: Type.Boolean() })

/** Body of PUT /channels/discovered/{channelid}/spam. */
export const SpamParameters = Type.Object({
  spam: Type.Optional(Type.Boolean({ description: 'false = taken back; true by default' })),
})
/** PUT /channels/discovered/{channelid}/spam. */
export const SpamReply = Type.Object({ spam: Type.Boolean() })

/** GET /channels/author. */
export const AuthorReply = Type.Object({ author: KeyText })
/** GET /channels/discovered/{channelid}/grants. */
export const GrantsReply = Type.Object({
  grants: Type.Array(
    Type.Object({
      contributor: KeyText,
      add: Type.Boolean({ description: 'may add and comment, and edit or delete its own' }),
      moderate: Type.Boolean({ description: "may edit and delete others' too" }),
    }),
  ),
})
/** Body of PUT /channels/discovered/{channelid}/grants. */
export const GrantParameters = Type.Object({
  contributor: Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'what GET /channels/author of the other node tells',
  }),
  add: Type.Optional(Type.Boolean({ description: 'true by default' })),
  moderate: Type.Optional(Type.Boolean({ description: 'false by default' })),
})
/** PUT /channels/discovered/{channelid}/grants. */
export const GrantedReply = Type.Object({ granted: Type.Boolean() })
