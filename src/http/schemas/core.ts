// JSON schemas of state, settings, variables, torrent metadata and the error envelope (spec 2.14-2.16, 4.2, 4.9, 7).

import { Type } from '@sinclair/typebox'
import type { Json } from '../../services/api.ts'

const AnyJson = Type.Unsafe<Json>(Type.Any({ description: 'any JSON value' }))

/** GET /state. */
export const StateReply = Type.Object({
  state: Type.Union([Type.Literal('STARTING'), Type.Literal('UPGRADING'), Type.Literal('STARTED')]),
  last_exception: Type.Union([Type.String(), Type.Null()]),
})

/** GET /variables. */
export const VariablesReply = Type.Object({
  variables: Type.Object({
    ports: Type.Record(Type.String(), Type.Integer(), { description: 'port by name, levels parted by ~' }),
  }),
})

/** GET /settings. */
export const SettingsReply = Type.Object({
  settings: Type.Record(Type.String(), Type.Record(Type.String(), AnyJson), {
    description: 'options by section; secrets are null',
  }),
  ports: Type.Record(Type.String(), Type.Integer(), { description: 'ports in use, by section~option' }),
})

/** POST /settings. */
export const SettingsChangeReply = Type.Object({
  modified: Type.Boolean(),
  restart_required: Type.Array(Type.String(), { description: 'extra: options that change at the next start' }),
})

/** Query of GET /torrentinfo. */
export const TorrentInfoParameters = Type.Object({
  torrent: Type.String({ description: 'a magnet link, an http(s) URL or a file path; uri is read too' }),
})

/** GET /torrentinfo. */
export const TorrentInfoReply = Type.Object({
  metainfo: Type.Unsafe<Json>(
    Type.Any({ description: 'the torrent dictionary; text where UTF-8, other binary as hex' }),
  ),
  infohash: Type.String({ description: 'extra' }),
  download_exists: Type.Boolean({ description: 'extra' }),
})

/** Query of GET /events. */
export const EventsParameters = Type.Object({
  since: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'the id of the last event seen' }),
  ),
})

/** GET /healthz. */
export const HealthReply = Type.Object({ status: Type.Literal('ok') })

/** Spec part 7. */
export const ErrorSchema = Type.Object({
  error: Type.Object({
    handled: Type.Boolean({ description: 'false for a bug of the node, true for an error the client can act on' }),
    code: Type.String(),
    message: Type.String(),
  }),
})
