// Routes of further keys (extra; decisions part 1, row "scopes of keys"). The key itself is shown once, when it is
// made.

import { Type } from '@sinclair/typebox'
import { AppError } from '../../base/errors.ts'
import { KEY_SCOPES } from '../../ports/key-list.ts'
import type { Caller } from '../../services/callers-api.ts'
import { route } from '../route.ts'

const tag = 'keys'

export const Name = Type.String({ description: '1 to 64 letters, digits, dots, hyphens and underlines' })
export const Scopes = Type.Array(Type.Union(KEY_SCOPES.map(scope => Type.Literal(scope))), {
  description: 'what it may open; admin = everything but spend; owner = what the first key may',
})

const Label = Type.Union([Type.String(), Type.Null()], {
  description: 'it opens nothing but downloads of this label; null: it is not bound',
})

const KeysReply = Type.Object({
  keys: Type.Array(
    Type.Object({
      name: Name,
      scopes: Scopes,
      label: Label,
      created: Type.Number({ description: 'seconds since 1970' }),
    }),
  ),
})

const AddKeyParameters = Type.Object({
  name: Name,
  scopes: Type.Array(Type.String(), { maxItems: 16, description: KEY_SCOPES.join(', ') }),
  label: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'binds the key to the downloads of this label; scopes read, stream, add',
    }),
  ),
})

const AddKeyReply = Type.Object({
  name: Name,
  scopes: Scopes,
  label: Label,
  key: Type.String({ description: 'the key: shown now and never again' }),
})

const RemoveKeyReply = Type.Object({ name: Name, removed: Type.Literal(true) })

/** AppError ScopeMissing where `caller` has not what it gives to another key. */
export function checkGiven(scopes: readonly string[], caller: Caller): void {
  if (scopes.includes('owner') && !caller.anyPath)
    throw new AppError('ScopeMissing', 'Scope owner is given by a key that has it: the first one, or one with owner.')
  if (scopes.includes('spend') && !caller.spends)
    throw new AppError('ScopeMissing', 'Scope spend is given by a key that has it: the first one, or one with spend.')
}

const listKeys = route({
  id: 'keys.list',
  method: 'GET',
  path: '/keys',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Keys beside the first one',
  choices: ['The whole route is extra. Keys are stored hashed: they cannot be shown.'],
  parameters: null,
  reply: KeysReply,
  errors: [],
  sample: { path: '/keys', status: 200 },
  run: ({ services }) => services.keys.list(),
})

const addKey = route({
  id: 'keys.add',
  method: 'PUT',
  path: '/keys',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Makes a key',
  choices: [
    'The whole route is extra; the command `tributary key add` does the same without a node.',
    'Scopes: `read` = GET except settings, debug and torrentinfo; `stream` = streams; `add` = changing downloads and ' +
      'torrentinfo; `admin` = everything but `spend`, and alone settings, debug, keys and `file:` uris; `spend` = wallets and ' +
      'market; `owner` = all that the first key may. Too little is 403 `ScopeMissing`. Paths of keys without owner must be ' +
      'in general.allowed_paths, download_defaults.saveas or the watch folder, else 403 `PathNotAllowed`. Scopes spend and ' +
      'owner are given by who has them.',
    '`label`: the key opens nothing but the downloads that have this label: list, record, files, streams, playlists, events, and with `add` ' +
      'starting, stopping, limits, selection, trackers and removing. Every other download is 404 `DownloadNotFound` to it, as one that ' +
      'does not exist; every other route is 403 `ScopeMissing`. It adds nothing, and changes no labels and folders. Removing a download ' +
      'that has other labels too takes the label off.',
  ],
  parameters: AddKeyParameters,
  reply: AddKeyReply,
  errors: ['MissingParameter', 'InvalidParameter', 'StateConflict'],
  sample: { path: '/keys', body: { name: 'living-room', scopes: ['read', 'stream'] }, status: 200 },
  run: ({ services }, { parameters: { name, scopes, label }, caller }) => {
    checkGiven(scopes, caller)
    return services.keys.add(name, scopes, label ?? null)
  },
})

const removeKey = route({
  id: 'keys.remove',
  method: 'DELETE',
  path: '/keys/{name}',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Takes a key back',
  choices: [
    'The whole route is extra. From then on the key opens nothing; its streams and events are cut within seconds. Signed ' +
      'links that it read open their file until they expire.',
  ],
  parameters: null,
  reply: RemoveKeyReply,
  errors: ['KeyNotFound', 'StateConflict'],
  sample: { path: '/keys/living-room', status: 200 },
  run: ({ services }, { path }) => services.keys.remove(path['name'] ?? ''),
})

/** Every route of this file. */
export const keyRoutes = [listKeys, addKey, removeKey] as const
