// Routes of torrents in channels (spec 4.4; decisions part 3). They translate names and nothing else.

import { ListedJson, routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import {
  KnownTorrentReply,
  RemoveTorrentsReply,
  TextParameters,
  TorrentsReply,
  UploadParameters,
  UploadReply,
  UriParameters,
  UriReply,
} from './channel-content-schemas.ts'
import { FilterParameters, ModifiedReply } from './channel-schemas.ts'
import { channelOf, SAMPLE_CHANNEL, torrentOf } from './channel-path.ts'
import { SAMPLE_INFOHASH } from '../../../http/routes/infohash.ts'

const route = routeWith<ChannelRouteServices>()

const common = { kind: 'json', tag: 'channels' } as const
const PATH = '/channels/discovered/{channelid}/torrents'
const SAMPLE_PATH = `/channels/discovered/${SAMPLE_CHANNEL}/torrents`
const REFUSALS = ['ChannelTorrentError', 'DuplicateTorrentFileError', 'ChannelNotFound', 'NotChannelOwner'] as const

const list = route({
  ...common,
  id: 'channels.torrents',
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'Torrents of a channel',
  choices: [
    'Of a channel that this node is not subscribed to those that it happens to know. The family filter hides the category xxx.',
  ],
  parameters: FilterParameters,
  reply: TorrentsReply,
  errors: ['InvalidParameter', 'ChannelNotFound', 'NotReady'],
  sample: { path: SAMPLE_PATH, query: 'disable_filter=1', status: 200 },
  run: ({ services }, { path, parameters }) => {
    const cid = channelOf(path)
    return new ListedJson('torrents', () => services.channelContents.torrents(cid, parameters.disable_filter ?? false))
  },
})

const upload = route({
  ...common,
  id: 'channels.addTorrent',
  method: 'PUT',
  path: PATH,
  longBody: true,
  scope: 'admin',
  summary: 'Adds a torrent file to a channel',
  choices: [
    'What is no torrent, or a private one, is 500 `ChannelTorrentError`. A channel that is not yours: 403, unless its mode or a grant allows it.',
  ],
  parameters: UploadParameters,
  reply: UploadReply,
  errors: ['MissingParameter', 'InvalidParameter', ...REFUSALS, 'NotReady'],
  sample: { path: SAMPLE_PATH, body: { torrent: 'ZDQ6aW5mb2RlZQ==', description: 'A film' }, status: 200 },
  run: async ({ services }, { path, parameters: { torrent, description } }) => {
    await services.channelContents.addUpload(channelOf(path), torrent, description ?? '')
    return { added: true }
  },
})

const addUri = route({
  ...common,
  id: 'channels.addTorrentFrom',
  method: 'PUT',
  path: `${PATH}/{torrent}`,
  scope: 'admin',
  summary: 'Adds the torrent of an address or magnet link to a channel',
  choices: [
    '`torrent` is an http, https or magnet link, percent-encoded once; other schemes are 400 `BadScheme`.',
    'Metadata of magnets is looked for as that of new downloads is, for 30 s. A magnet of a torrent that the channel has is 500 `ChannelTorrentError`.',
  ],
  parameters: UriParameters,
  reply: UriReply,
  errors: ['InvalidParameter', 'BadScheme', ...REFUSALS, 'CircuitsUnavailable', 'NotReady'],
  sample: { path: `${SAMPLE_PATH}/http%3A%2F%2Ft.example%2Fa.torrent`, body: { description: 'A film' }, status: 200 },
  run: async ({ services }, { path, parameters, signal }) => {
    const uri = path['torrent'] ?? ''
    await services.channelContents.addUri(channelOf(path), uri, parameters.description ?? '', signal)
    return { added: uri }
  },
})

const remove = route({
  ...common,
  id: 'channels.removeTorrents',
  method: 'DELETE',
  path: `${PATH}/{torrent}`,
  scope: 'admin',
  summary: 'Removes torrents from a channel',
  choices: [
    '`torrent` is a list of infohashes with commas between them. Those that are found are removed even when others fail.',
  ],
  parameters: null,
  reply: RemoveTorrentsReply,
  errors: ['ChannelNotFound', 'NotChannelOwner', 'NotReady'],
  sample: { path: `${SAMPLE_PATH}/${SAMPLE_INFOHASH},${SAMPLE_CHANNEL}`, status: 200 },
  run: async ({ services }, { path }) => {
    const names = (path['torrent'] ?? '').toLowerCase().split(',')
    const asked = names.map(name => name.trim()).filter(name => name !== '')
    const failed = await services.channelContents.removeTorrents(channelOf(path), asked)
    return failed.length === 0 ? { removed: true } : { removed: false, failed_torrents: failed }
  },
})

const edit = route({
  ...common,
  id: 'channels.editTorrent',
  method: 'PATCH',
  path: `${PATH}/{torrent}`,
  scope: 'admin',
  summary: 'Renames a torrent of a channel, or describes it anew',
  choices: ['The whole route is extra. `torrent` is its infohash.'],
  parameters: TextParameters,
  reply: ModifiedReply,
  errors: ['InvalidParameter', 'ChannelNotFound', 'TorrentNotFound', 'NotChannelOwner', 'NotReady'],
  sample: { path: `${SAMPLE_PATH}/${SAMPLE_INFOHASH}`, body: { name: 'The film' }, status: 200 },
  run: async ({ services }, { path, parameters }) => {
    const infohash = torrentOf({ infohash: path['torrent'] ?? '' })
    return { modified: await services.channelContents.editTorrent(channelOf(path), infohash, parameters) }
  },
})

const known = route({
  ...common,
  id: 'channels.torrent',
  method: 'GET',
  path: '/torrents/{infohash}',
  scope: 'read',
  summary: 'What is known of a torrent of any channel',
  choices: ['The whole route is extra.'],
  parameters: null,
  reply: KnownTorrentReply,
  errors: ['TorrentNotFound', 'NotReady'],
  sample: { path: `/torrents/${SAMPLE_INFOHASH}`, status: 200 },
  run: async ({ services }, { path }) => {
    const { trackers, channels, ...torrent } = await services.channelContents.torrent(torrentOf(path))
    return { torrent: { ...torrent, trackers: [...trackers], channels: [...channels] } }
  },
})

/** Every route of this file. */
export const channelTorrentRoutes = [list, upload, addUri, remove, edit, known] as const
