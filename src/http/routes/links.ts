// Routes of links that are given away for longer than those of the list of files: each is on a list, and can be taken
// back (extra, decision 0540).

import { Type } from '@sinclair/typebox'
import type { GivenLink } from '../../ports/viewing/given-links.ts'
import { AppError } from '../../base/errors.ts'
import type { LinkSigner } from '../links.ts'
import { route } from '../route.ts'
import { infohashOf, SAMPLE_INFOHASH } from './infohash.ts'

const tag = 'links'
const MAX_DAYS = 3650
const SAMPLE_ID = 'AbCdEfGhIjKlMnOp'

const members = {
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{16}$' }),
  name: Type.String({ description: 'for whom or what, in the words of its maker' }),
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  fileindex: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'null: the playlist, and every file that is in it',
  }),
  of: Type.String({ description: 'name of the file or download when it was made' }),
  created: Type.Integer({ minimum: 0, description: 'Unix time, seconds' }),
  ends: Type.Integer({ minimum: 0, description: 'Unix time, seconds; 0 = when it is taken back' }),
  url: Type.String({ description: 'path and query, which need no key' }),
  one_device: Type.Boolean({ description: 'it opens for the first device that uses it, and no other' }),
  device: Type.String({
    description: 'from where that came: an IPv4 address or an IPv6 network; empty: from nowhere yet, or from anywhere',
  }),
}

const LinksReply = Type.Object({ links: Type.Array(Type.Object(members)) })
const LinkReply = Type.Object(members)
const RemoveLinkReply = Type.Object({ id: members.id, removed: Type.Literal(true) })

const AddLinkParameters = Type.Object({
  name: Type.String({ description: 'for whom or what: 1 to 64 characters' }),
  infohash: Type.String(),
  fileindex: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999_999, description: 'absent: the playlist' })),
  days: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_DAYS, description: 'default 30; 0 = until it is taken back' }),
  ),
  one_device: Type.Optional(
    Type.Boolean({ description: 'default false; true: for the first device that uses it, and no other' }),
  ),
})

function recordOf(link: GivenLink, signer: LinkSigner) {
  const { id, name, infohash, fileIndex, of, createdMs, endsMs, oneDevice, device } = link
  return {
    id,
    name,
    infohash,
    fileindex: fileIndex,
    of,
    created: Math.floor(createdMs / 1000),
    ends: endsMs === null ? 0 : Math.floor(endsMs / 1000),
    url: signer.givenUrl(link),
    one_device: oneDevice,
    device,
  }
}

const listLinks = route({
  id: 'links.list',
  method: 'GET',
  path: '/links',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Links that were given away and have not ended',
  choices: ['The whole route is extra.'],
  parameters: null,
  reply: LinksReply,
  errors: [],
  sample: { path: '/links', status: 200 },
  run: ({ services, links }) => ({ links: services.links.list().map(link => recordOf(link, links)) }),
})

const addLink = route({
  id: 'links.add',
  method: 'PUT',
  path: '/links',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Gives a link away, for days or until it is taken back',
  choices: [
    'The whole route is extra. Such a link outlives the key that it was made with: scope admin.',
    'A link of a playlist opens every file that is in it, as long as itself. At most 256 links; those that have ended go.',
    'Devices are told apart by their addresses: those behind one router, or one reverse proxy, are one.',
  ],
  parameters: AddLinkParameters,
  reply: LinkReply,
  errors: [
    ...(['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'FileNotFound', 'MetadataTimeout'] as const),
    ...(['StateConflict', 'NotReady'] as const),
  ],
  sample: {
    path: '/links',
    body: { name: 'the tablet', infohash: SAMPLE_INFOHASH, fileindex: 0, days: 30 },
    status: 200,
  },
  run: async ({ services, links }, input) => {
    const { name, fileindex = null, days = 30, one_device: oneDevice = false } = input.parameters
    const asked = infohashOf({ infohash: input.parameters.infohash })
    const only = { peers: false, pieces: false, files: false, fields: ['infohash', 'name'] }
    const { infohash, name: download } = await services.downloads.record(asked, only)
    if (infohash === undefined) throw new AppError('DownloadNotFound')
    const of =
      fileindex === null
        ? (download ?? infohash)
        : (await services.downloads.streamable(infohash, String(fileindex), input)).name
    return recordOf(await services.links.add({ name, infohash, fileIndex: fileindex, of, days, oneDevice }), links)
  },
})

const removeLink = route({
  id: 'links.remove',
  method: 'DELETE',
  path: '/links/{id}',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Takes a link back',
  choices: ['The whole route is extra. From then on it opens nothing; streams that it opened are cut within seconds.'],
  parameters: null,
  reply: RemoveLinkReply,
  errors: ['LinkNotFound'],
  sample: { path: `/links/${SAMPLE_ID}`, status: 200 },
  run: ({ services }, { path }) => services.links.remove(path['id'] ?? ''),
})

/** Every route of this file. */
export const linkRoutes = [listLinks, addLink, removeLink] as const
