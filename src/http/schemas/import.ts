// JSON schemas of POST /import (extra).

import { Type } from '@sinclair/typebox'

const Path = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description })

/** Body of POST /import. */
export const ImportParameters = Type.Object({
  from: Type.Union([Type.Literal('transmission'), Type.Literal('qbittorrent'), Type.Literal('libtorrent')], {
    description: 'transmission, qbittorrent or libtorrent',
  }),
  folder: Path('the absolute path of the folder in which that client keeps torrents and resume files'),
  map: Type.Optional(
    Type.Array(Type.Tuple([Path('a path of that client'), Path('what it is here')]), {
      maxItems: 100,
      description: 'a list of pairs: a path as that client names it, and the absolute path that it is here',
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'a boolean: only tell what would be done' })),
  sample: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 16, description: 'pieces of each torrent hashed as evidence; default 1' }),
  ),
  after: Type.Optional(Type.String({ maxLength: 1024, description: '`next` of the part before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'torrents at most; default 50' })),
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** POST /import. */
export const ImportReply = Type.Object({
  results: Type.Array(
    Type.Object({
      source: Type.String({ description: 'its name in the folder' }),
      infohash: Type.String({ pattern: '^([0-9a-f]{40})?$' }),
      name: Type.String(),
      result: Type.Union([
        Type.Literal('imported'),
        Type.Literal('checking'),
        Type.Literal('paused'),
        Type.Literal('exists'),
        Type.Literal('refused'),
      ]),
      reasons: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
      destination: Type.String({ description: 'folder its files lie in' }),
      pieces: Count('pieces of the torrent'),
      pieces_kept: Count('taken as verified'),
      pieces_to_check: Count('to be hashed'),
      pieces_sampled: Count('hashed as evidence'),
    }),
  ),
  total: Count('torrents in the folder'),
  next: Type.String({ description: '`after` of the next part; empty: this was the last one' }),
})
