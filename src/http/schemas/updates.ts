// JSON schemas of torrents that are updated through the DHT (BEP 46): everything here is extra.

import { Type } from '@sinclair/typebox'

const Time = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}: Unix time, seconds; 0 = never` })
const Seq = Type.String({ pattern: '^[0-9]*$', description: 'sequence number, decimal text; empty = none' })
const Infohash = Type.String({ pattern: '^(?:[0-9a-f]{40})?$', description: 'empty = none was found yet' })
const Target = Type.String({
  pattern: '^[0-9a-f]{40}$',
  description: 'where the item lies in the DHT: the name of the entry',
})
const PublicKey = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Ed25519, hexadecimal' })
const Salt = Type.String({ pattern: '^(?:[0-9a-f]{2}){0,64}$', description: 'hexadecimal; empty = none' })
const ErrorText = Type.String({ description: 'what went wrong last; empty = nothing' })

/** A followed key. */
const Followed = Type.Object({
  target: Target,
  uri: Type.String({ description: 'the link it came from' }),
  public_key: PublicKey,
  salt: Salt,
  infohash: Infohash,
  seq: Seq,
  state: Type.Union(
    [Type.Literal('searching'), Type.Literal('following'), Type.Literal('paused'), Type.Literal('off')],
    {
      description:
        'searching = nothing was found yet, paused = the newest version is stopped, off = this node has no DHT',
    },
  ),
  time_added: Time('when it was added'),
  time_checked: Time('when the DHT was asked last'),
  time_updated: Time('when the newest version was taken up'),
  versions: Type.Array(
    Type.Object({ infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }), seq: Seq, time: Time('when it was taken up') }),
    { description: 'oldest first' },
  ),
  error: ErrorText,
})

/** GET /updates/followed. */
export const FollowedReply = Type.Object({ followed: Type.Array(Followed) })

/** POST /updates/followed/{target}/check. */
export const CheckReply = Type.Object({ target: Target, infohash: Infohash, seq: Seq, updated: Type.Boolean() })

/** DELETE /updates/followed/{target}. */
export const UnfollowReply = Type.Object({ target: Target, removed: Type.Boolean() })

/** A published name. */
export const PublishedSchema = Type.Object({
  name: Type.String({ description: 'the salt of the item' }),
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  uri: Type.String({ description: 'the link that others add' }),
  public_key: PublicKey,
  salt: Salt,
  seq: Seq,
  time_published: Time('when this version was published'),
  copies: Type.Integer({ minimum: 0, description: 'nodes of the DHT that took it last; 0 = it is tried again' }),
  error: ErrorText,
})

/** GET /updates/published. */
export const PublishedReply = Type.Object({ published: Type.Array(PublishedSchema) })

/** Body of PUT /updates/published. */
export const PublishParameters = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64, description: '1 to 64 bytes; the same name = the next version' }),
  infohash: Type.String({ pattern: '^[0-9a-fA-F]{40}$', description: 'the infohash of a download' }),
})

/** DELETE /updates/published/{name}. */
export const WithdrawReply = Type.Object({ name: Type.String(), removed: Type.Boolean() })
