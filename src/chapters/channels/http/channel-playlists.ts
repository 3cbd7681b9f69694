// Routes of playlists (spec 4.5; decisions part 3), with the extra ones that put torrents into them. They translate
// names and nothing else.

import { ListedJson, routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import {
  CreatedReply,
  NewPlaylistParameters,
  PlaylistsReply,
  TextParameters,
  UploadReply,
} from './channel-content-schemas.ts'
import { FilterParameters, ModifiedReply, RemovedReply } from './channel-schemas.ts'
import { channelOf, playlistOf, SAMPLE_CHANNEL, torrentOf } from './channel-path.ts'
import { SAMPLE_INFOHASH } from '../../../http/routes/infohash.ts'

const route = routeWith<ChannelRouteServices>()

const common = { kind: 'json', tag: 'channels' } as const
const PATH = '/channels/discovered/{channelid}/playlists'
const SAMPLE_PATH = `/channels/discovered/${SAMPLE_CHANNEL}/playlists`
const REFUSALS = ['ChannelNotFound', 'PlaylistNotFound', 'NotChannelOwner', 'NotReady'] as const

const list = route({
  ...common,
  id: 'channels.playlists',
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'Playlists of a channel',
  choices: ['The family filter leaves torrents of the category xxx out of them.'],
  parameters: FilterParameters,
  reply: PlaylistsReply,
  errors: ['InvalidParameter', 'ChannelNotFound', 'NotReady'],
  sample: { path: SAMPLE_PATH, query: 'disable_filter=1', status: 200 },
  run: ({ services }, { path, parameters }) => {
    const cid = channelOf(path)
    return new ListedJson('playlists', () =>
      services.channelContents.playlists(cid, parameters.disable_filter ?? false),
    )
  },
})

const create = route({
  ...common,
  id: 'channels.createPlaylist',
  method: 'PUT',
  path: PATH,
  scope: 'admin',
  summary: 'Makes a playlist in a channel',
  choices: ['By the owner of the channel and those it lets.'],
  parameters: NewPlaylistParameters,
  reply: CreatedReply,
  errors: ['MissingParameter', 'InvalidParameter', 'ChannelNotFound', 'NotChannelOwner', 'NotReady'],
  sample: { path: SAMPLE_PATH, body: { name: 'Best', description: 'Of the year' }, status: 200 },
  run: async ({ services }, { path, parameters: { name, description } }) => {
    await services.channelContents.createPlaylist(channelOf(path), name, description)
    return { created: true }
  },
})

const change = route({
  ...common,
  id: 'channels.changePlaylist',
  method: 'POST',
  path: `${PATH}/{playlistid}`,
  scope: 'admin',
  summary: 'Renames a playlist, or describes it anew',
  choices: ['With one of name and description that one changes; without both 404 `NothingToChange`.'],
  parameters: TextParameters,
  reply: ModifiedReply,
  errors: ['InvalidParameter', 'NothingToChange', ...REFUSALS],
  sample: { path: `${SAMPLE_PATH}/3`, body: { name: 'Best', description: 'Of all years' }, status: 200 },
  run: async ({ services }, { path, parameters }) => {
    await services.channelContents.changePlaylist(channelOf(path), playlistOf(path), parameters)
    return { modified: true }
  },
})

const remove = route({
  ...common,
  id: 'channels.removePlaylist',
  method: 'DELETE',
  path: `${PATH}/{playlistid}`,
  scope: 'admin',
  summary: 'Removes a playlist',
  choices: ['Its torrents stay in the channel.'],
  parameters: null,
  reply: RemovedReply,
  errors: REFUSALS,
  sample: { path: `${SAMPLE_PATH}/3`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channelContents.removePlaylist(channelOf(path), playlistOf(path))
    return { removed: true }
  },
})

const addEntry = route({
  ...common,
  id: 'channels.addToPlaylist',
  method: 'PUT',
  path: `${PATH}/{playlistid}/{infohash}`,
  scope: 'admin',
  summary: 'Puts a torrent of the channel into a playlist',
  choices: ['The whole route is extra. 404 for what is not in the channel, 409 for what is in the playlist already.'],
  parameters: null,
  reply: UploadReply,
  errors: ['TorrentNotFound', 'StateConflict', ...REFUSALS],
  sample: { path: `${SAMPLE_PATH}/3/${SAMPLE_INFOHASH}`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channelContents.addToPlaylist(channelOf(path), playlistOf(path), torrentOf(path))
    return { added: true }
  },
})

const removeEntry = route({
  ...common,
  id: 'channels.removeFromPlaylist',
  method: 'DELETE',
  path: `${PATH}/{playlistid}/{infohash}`,
  scope: 'admin',
  summary: 'Takes a torrent out of a playlist',
  choices: ['The whole route is extra. The torrent stays in the channel.'],
  parameters: null,
  reply: RemovedReply,
  errors: ['TorrentNotFound', ...REFUSALS],
  sample: { path: `${SAMPLE_PATH}/3/${SAMPLE_INFOHASH}`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channelContents.removeFromPlaylist(channelOf(path), playlistOf(path), torrentOf(path))
    return { removed: true }
  },
})

/** Every route of this file. */
export const channelPlaylistRoutes = [list, create, change, remove, addEntry, removeEntry] as const
