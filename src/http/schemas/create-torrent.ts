// JSON schemas of POST /createtorrent (extra, decisions part 7).

import { Type } from '@sinclair/typebox'

const Url = Type.String({ maxLength: 2048, description: 'a URL' })
const Text = (description: string) => Type.String({ maxLength: 4096, description })

/** Body of POST /createtorrent. */
export const CreateTorrentParameters = Type.Object({
  path: Type.String({ maxLength: 4096, description: 'the absolute path of a file or folder' }),
  format: Type.Optional(
    Type.Union([Type.Literal('v1'), Type.Literal('v2'), Type.Literal('hybrid')], {
      description: 'v1, v2 or hybrid (the default)',
    }),
  ),
  piece_length: Type.Optional(
    Type.Integer({ minimum: 0, description: 'bytes, a power of two from 16384 to 134217728; 0 or absent = by size' }),
  ),
  trackers: Type.Optional(
    Type.Array(Type.Array(Url, { maxItems: 200 }), {
      maxItems: 200,
      description: 'a list of tiers, each a list of URLs; a URL alone is a tier of its own',
    }),
  ),
  web_seeds: Type.Optional(Type.Array(Url, { maxItems: 100, description: 'a list of http(s) URLs' })),
  private: Type.Optional(Type.Boolean({ description: 'a boolean: peers only from its trackers' })),
  source: Type.Optional(Text('a text in the info dictionary, e.g. the name of the tracker')),
  comment: Type.Optional(Text('a text')),
  created_by: Type.Optional(Text('a text; default this program')),
  creation_date: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Unix time in seconds, 0 = none; default now' }),
  ),
  export: Type.Optional(Type.Boolean({ description: 'a boolean: write <name>.torrent next to the content' })),
  export_path: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: 'an absolute path: of the file when it ends in .torrent, else of a folder',
    }),
  ),
  add: Type.Optional(Type.Boolean({ description: 'a boolean: seed it from where it lies' })),
})

/** POST /createtorrent. */
export const CreateTorrentReply = Type.Object({
  id: Type.Integer({ description: 'number of the creation, as in its events' }),
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  infohash_v2: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
  name: Type.String(),
  size: Type.Integer({ minimum: 0, description: 'bytes of all files' }),
  files: Type.Integer({ minimum: 1 }),
  piece_length: Type.Integer({ minimum: 16384 }),
  total_pieces: Type.Integer({ minimum: 1 }),
  skipped: Type.Integer({ minimum: 0, description: 'links and devices that were left out' }),
  torrent_path: Type.Union([Type.String(), Type.Null()], { description: 'where the torrent file was written' }),
  added: Type.Boolean({ description: 'false also when the download was there already' }),
  torrent: Type.String({ description: 'the torrent file, base64' }),
})
