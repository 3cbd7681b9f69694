// JSON schemas of what is looked at before a download is added (extra, decision 0544).

import { Type } from '@sinclair/typebox'
import { TorrentInfoParameters } from './settings.ts'

/** Query of GET /torrentinfo/files. */
export const TorrentFilesParameters = TorrentInfoParameters

/** GET and POST /torrentinfo/files. */
export const TorrentFilesReply = Type.Object({
  files: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: 'place in torrent order, from 0; padding files keep theirs' }),
      name: Type.String({ description: 'path under the torrent root, with /' }),
      size: Type.Integer({ minimum: 0, description: 'bytes' }),
    }),
  ),
  name: Type.String({ description: 'what the torrent is called' }),
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  private: Type.Boolean({ description: 'peers come from its trackers alone (BEP 27)' }),
  download_exists: Type.Boolean({ description: 'it is a download already' }),
})

/** Query of GET /folders. */
export const FolderParameters = Type.Object({
  path: Type.Optional(
    Type.String({ maxLength: 4096, description: 'an absolute path; absent = where new downloads go' }),
  ),
})

/** GET /folders. */
export const FolderReply = Type.Object({
  path: Type.String({ description: 'absolute, without links' }),
  exists: Type.Boolean({ description: 'false: it is made when a download needs it' }),
  parent: Type.Union([Type.String(), Type.Null()], {
    description: 'the folder around it; null: the caller may name none',
  }),
  folders: Type.Array(Type.String(), { description: 'names of the folders in it, at most 1,000', maxItems: 1000 }),
  more: Type.Boolean({ description: 'there are more' }),
  free_bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'bytes that can still be written there; null: nobody can tell',
  }),
  roots: Type.Array(Type.String(), { description: 'where one may begin to look' }),
})
