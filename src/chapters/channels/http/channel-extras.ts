// Extra routes of channels: the first own channel, comments, grants, calling a channel spam (decision 0415). They
// translate names and nothing else.

import { routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import { CommentParameters, CommentsReply, UploadReply } from './channel-content-schemas.ts'
import {
  AuthorReply,
  GrantedReply,
  GrantParameters,
  GrantsReply,
  ModifiedReply,
  MyChannelParameters,
  MyChannelReply,
  RemovedReply,
  SpamParameters,
  SpamReply,
} from './channel-schemas.ts'
import { channelOf, commentOf, SAMPLE_CHANNEL } from './channel-path.ts'

const route = routeWith<ChannelRouteServices>()

const common = { kind: 'json', tag: 'channels' } as const
const EXTRA = 'The whole route is extra.'
const ONE = '/channels/discovered/{channelid}'
const SAMPLE_ONE = `/channels/discovered/${SAMPLE_CHANNEL}`
const SAMPLE_KEY = 'ab'.repeat(32)
const WRITE_ERRORS = ['ChannelNotFound', 'NotChannelOwner', 'NotReady'] as const

const mine = route({
  ...common,
  id: 'channels.mine',
  method: 'GET',
  path: '/mychannel',
  scope: 'read',
  summary: 'The first channel of this node',
  choices: [EXTRA],
  parameters: null,
  reply: MyChannelReply,
  errors: ['ChannelNotFound', 'NotReady'],
  sample: { path: '/mychannel', status: 200 },
  run: async ({ services }) => {
    const { name, description, dispersy_cid: identifier } = await services.channels.mine()
    return { mychannel: { name, description, identifier } }
  },
})

const changeMine = route({
  ...common,
  id: 'channels.changeMine',
  method: 'POST',
  path: '/mychannel',
  scope: 'admin',
  summary: 'Changes the first channel of this node',
  choices: [EXTRA],
  parameters: MyChannelParameters,
  reply: ModifiedReply,
  errors: ['InvalidParameter', 'DuplicateChannelIdError', ...WRITE_ERRORS],
  sample: { path: '/mychannel', body: { name: 'Films', description: 'Older ones' }, status: 200 },
  run: async ({ services }, { parameters }) => {
    const { dispersy_cid: cid } = await services.channels.mine()
    return { modified: await services.channels.change(cid, parameters) }
  },
})

const author = route({
  ...common,
  id: 'channels.author',
  method: 'GET',
  path: '/channels/author',
  scope: 'read',
  summary: 'The key under which this node writes in channels of others',
  choices: [`${EXTRA} Owners of channels grant rights to it.`],
  parameters: null,
  reply: AuthorReply,
  errors: ['NotReady'],
  sample: { path: '/channels/author', status: 200 },
  run: async ({ services }) => ({ author: await services.channels.author() }),
})

const spam = route({
  ...common,
  id: 'channels.spam',
  method: 'PUT',
  path: `${ONE}/spam`,
  scope: 'admin',
  summary: 'Calls a channel spam, or takes that back',
  choices: [`${EXTRA} A signed vote that other nodes count; a subscription is one in favour.`],
  parameters: SpamParameters,
  reply: SpamReply,
  errors: ['InvalidParameter', 'ChannelNotFound', 'StateConflict', 'NotReady'],
  sample: { path: `${SAMPLE_ONE}/spam`, body: { spam: true }, status: 200 },
  run: async ({ services }, { path, parameters: { spam: is = true } }) => {
    await services.channels.callSpam(channelOf(path), is)
    return { spam: is }
  },
})

const comments = route({
  ...common,
  id: 'channels.comments',
  method: 'GET',
  path: `${ONE}/comments`,
  scope: 'read',
  summary: 'Comments on a channel and its torrents',
  choices: [EXTRA],
  parameters: null,
  reply: CommentsReply,
  errors: ['ChannelNotFound', 'NotReady'],
  sample: { path: `${SAMPLE_ONE}/comments`, status: 200 },
  run: async ({ services }, { path }) => ({ comments: await services.channelContents.comments(channelOf(path)) }),
})

const comment = route({
  ...common,
  id: 'channels.comment',
  method: 'PUT',
  path: `${ONE}/comments`,
  scope: 'admin',
  summary: 'Comments on a channel or one of its torrents',
  choices: [`${EXTRA} In semi-open and open channels everybody may; in closed ones the owner and those it lets.`],
  parameters: CommentParameters,
  reply: UploadReply,
  errors: ['MissingParameter', 'InvalidParameter', 'TorrentNotFound', ...WRITE_ERRORS],
  sample: { path: `${SAMPLE_ONE}/comments`, body: { text: 'A good one' }, status: 200 },
  run: async ({ services }, { path, parameters: { text, infohash = '' } }) => {
    await services.channelContents.comment(channelOf(path), infohash.toLowerCase(), text)
    return { added: true }
  },
})

const removeComment = route({
  ...common,
  id: 'channels.removeComment',
  method: 'DELETE',
  path: `${ONE}/comments/{commentid}`,
  scope: 'admin',
  summary: 'Removes a comment',
  choices: [`${EXTRA} By who wrote it, the owner of the channel, and those that may moderate.`],
  parameters: null,
  reply: RemovedReply,
  errors: ['CommentNotFound', ...WRITE_ERRORS],
  sample: { path: `${SAMPLE_ONE}/comments/3`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channelContents.removeComment(channelOf(path), commentOf(path))
    return { removed: true }
  },
})

const grants = route({
  ...common,
  id: 'channels.grants',
  method: 'GET',
  path: `${ONE}/grants`,
  scope: 'read',
  summary: 'Who may write in a channel beside its owner',
  choices: [EXTRA],
  parameters: null,
  reply: GrantsReply,
  errors: ['ChannelNotFound', 'NotReady'],
  sample: { path: `${SAMPLE_ONE}/grants`, status: 200 },
  run: async ({ services }, { path }) => ({ grants: await services.channels.grants(channelOf(path)) }),
})

const grant = route({
  ...common,
  id: 'channels.grant',
  method: 'PUT',
  path: `${ONE}/grants`,
  scope: 'admin',
  summary: 'Lets somebody write in an own channel, or no more',
  choices: [`${EXTRA} The newest grant of a key counts; with both rights false it is taken back.`],
  parameters: GrantParameters,
  reply: GrantedReply,
  errors: ['MissingParameter', 'InvalidParameter', ...WRITE_ERRORS],
  sample: { path: `${SAMPLE_ONE}/grants`, body: { contributor: SAMPLE_KEY, add: true, moderate: true }, status: 200 },
  run: async ({ services }, { path, parameters: { contributor, add = true, moderate = false } }) => {
    await services.channels.grant(channelOf(path), contributor.toLowerCase(), add, moderate)
    return { granted: add || moderate }
  },
})

/** Every route of this file. */
export const channelExtraRoutes = [
  ...[mine, changeMine, author, spam],
  ...[comments, comment, removeComment, grants, grant],
] as const
