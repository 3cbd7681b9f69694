// JSON schemas of settings, variables and torrent metadata (spec 2.15, 2.16, 4.2).

import { Type } from '@sinclair/typebox'
import type { Json } from '../../services/settings/settings-api.ts'

const AnyJson = Type.Unsafe<Json>(Type.Any({ description: 'any JSON value' }))

const OptionalText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** Part `network` of GET /variables. */
const NetworkReply = Type.Object({
  bound_to: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'addresses of libtorrent.interface that are there now; empty: nothing leaves; null: bound to none',
  }),
  kept_to_devices: Type.Boolean({
    description:
      'sockets keep to the devices of libtorrent.interface, whatever the routes say; false: to addresses alone',
  }),
  proxied: Type.Boolean({ description: 'peers are reached through the proxy' }),
  external_ipv4: OptionalText('the address at which others see this node'),
  external_ipv6: OptionalText('the address at which others see this node'),
  mappings: Type.Array(
    Type.Object({
      gateway: Type.String(),
      via: Type.Union([Type.Literal('PCP'), Type.Literal('NAT-PMP'), Type.Literal('UPnP')]),
      protocol: Type.Union([Type.Literal('tcp'), Type.Literal('udp')]),
      internal_port: Type.Integer(),
      external_port: Type.Integer(),
      external_ip: OptionalText('null when the router does not tell'),
    }),
    { description: 'ports that routers lead to this node' },
  ),
  mapping_problems: Type.Array(Type.Object({ gateway: Type.String(), problem: Type.String() }), {
    description: 'why routers map nothing',
  }),
})

/** GET /variables. */
export const VariablesReply = Type.Object({
  variables: Type.Object({
    ports: Type.Record(Type.String(), Type.Integer(), { description: 'port by name, levels parted by ~' }),
    network: Type.Optional(NetworkReply),
  }),
})

/** Options by section; which there are is documented by the node's own table (openapi.ts puts it in this place). */
export const SettingsSections = Type.Record(Type.String(), Type.Record(Type.String(), AnyJson))

/** GET /settings. */
export const SettingsReply = Type.Object({
  settings: SettingsSections,
  ports: Type.Record(Type.String(), Type.Integer(), { description: 'ports in use, by section~option' }),
})

/** POST /settings. */
export const SettingsChangeReply = Type.Object({
  modified: Type.Boolean(),
  restart_required: Type.Array(Type.String(), { description: 'extra: options that change at the next start' }),
  overridden: Type.Array(Type.String(), {
    description: 'extra: options that stay as they are, because a flag or the environment says so',
  }),
})

/** GET /settings/effective. */
export const EffectiveSettingsReply = Type.Object({
  file: Type.String({ description: 'path of the configuration file' }),
  settings: Type.Record(
    Type.String(),
    Type.Record(
      Type.String(),
      Type.Object({
        value: AnyJson,
        source: Type.Union(
          (['default', 'file', 'environment', 'flag'] as const).map(each => Type.Literal(each)),
          { description: 'the later ones win' },
        ),
        stored: Type.Unsafe<Json>(Type.Any({ description: 'the value in the file; null = it has none' })),
        default: AnyJson,
        needs_restart: Type.Boolean({ description: 'a change is used at the next start' }),
        restart_pending: Type.Boolean({ description: 'it was changed and waits for the next start' }),
      }),
    ),
    { description: 'options by section; values of secrets are null' },
  ),
})

/** Query of GET /torrentinfo. */
export const TorrentInfoParameters = Type.Object({
  torrent: Type.String({ description: 'a magnet link, an http(s) URL or a file path; uri is read too' }),
  anon_hops: Type.Optional(Type.Integer({ minimum: 0, maximum: 3, description: 'an integer from 0 (plain) to 3' })),
})

/** GET /torrentinfo. */
export const TorrentInfoReply = Type.Object({
  metainfo: Type.Unsafe<Json>(
    Type.Any({ description: 'the torrent dictionary; text where UTF-8, other binary as hex' }),
  ),
  infohash: Type.String({ description: 'extra' }),
  download_exists: Type.Boolean({ description: 'extra' }),
})

/** GET /settings/history. */
export const SettingsHistoryParameters = Type.Object({
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'an id: only changes with a smaller one',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: '1 to 1000, how many at most; default 100' }),
  ),
})

/** The same. */
export const SettingsHistoryReply = Type.Object({
  history: Type.Array(
    Type.Object({
      id: Type.Integer(),
      time: Type.Integer({ description: 'Unix time, seconds' }),
      option: Type.String({ description: '`section.option`' }),
      value: AnyJson,
      origin: Type.Union([Type.Literal('request'), Type.Literal('file')]),
    }),
  ),
})
