// Routes of channels themselves: lists, own ones, subscriptions (spec 3.4 and 4.3; decisions part 3). They translate
// names and nothing else.

import { ListedJson, routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import {
  ChannelChangeParameters,
  ChannelsReply,
  DiscoveredReply,
  FilterParameters,
  ModifiedReply,
  NewChannelParameters,
  NewChannelReply,
  OverviewReply,
  PopularParameters,
  RemovedReply,
  SubscribedListReply,
  SubscribedReply,
  SubscriptionReply,
  UnsubscribedReply,
} from './channel-schemas.ts'
import { channelOf, SAMPLE_CHANNEL } from './channel-path.ts'

const route = routeWith<ChannelRouteServices>()

const common = { kind: 'json', tag: 'channels' } as const
const DISCOVERED = '/channels/discovered'
const SUBSCRIBED = '/channels/subscribed'
const ONE = `${DISCOVERED}/{channelid}`
const POPULAR = 10

const discovered = route({
  ...common,
  id: 'channels.discovered',
  method: 'GET',
  path: DISCOVERED,
  scope: 'read',
  summary: 'Channels that this node knows',
  choices: [
    'The best first: fresh content, subscribers, seeders. The family filter leaves out channels whose name speaks of adult content.',
    'Extra: `mode` and `own` of a channel; the parameter `disable_filter`; `network`, why there may be none.',
  ],
  parameters: FilterParameters,
  reply: DiscoveredReply,
  errors: ['InvalidParameter', 'NotReady'],
  sample: { path: DISCOVERED, status: 200 },
  run: ({ services }, { parameters }) =>
    new ListedJson(
      { before: '{"channels":', after: () => `,"network":${JSON.stringify(services.channels.standing())}}` },
      () => services.channels.discovered(parameters.disable_filter ?? false),
    ),
})

const popular = route({
  ...common,
  id: 'channels.popular',
  method: 'GET',
  path: '/channels/popular',
  scope: 'read',
  summary: 'The channels with most subscribers',
  choices: ['The whole route is extra.'],
  parameters: PopularParameters,
  reply: ChannelsReply,
  errors: ['InvalidParameter', 'NotReady'],
  sample: { path: '/channels/popular', query: 'limit=3', status: 200 },
  run: async ({ services }, { parameters }) => ({
    channels: await services.channels.popular(parameters.limit ?? POPULAR),
  }),
})

const create = route({
  ...common,
  id: 'channels.create',
  method: 'PUT',
  path: DISCOVERED,
  scope: 'admin',
  summary: 'Makes a channel of this node',
  choices: [
    'Its key pair is made then and lies in the catalogue of this node. A name that another of your channels has is refused; names of others do not matter.',
    'Who may write beside the owner: closed = those granted, semi-open = everybody may comment, open = everybody may add torrents and comment.',
    'An empty name: 400. Extra: `dispersy_cid` in the answer.',
  ],
  parameters: NewChannelParameters,
  reply: NewChannelReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DuplicateChannelIdError', 'NotReady'],
  sample: { path: DISCOVERED, body: { name: 'Films', description: 'Old ones', mode: 'open' }, status: 200 },
  run: async ({ services }, { parameters: { name, description, mode } }) => {
    const made = await services.channels.create(name, description ?? '', mode ?? 'closed')
    return { added: made.id, dispersy_cid: made.dispersy_cid }
  },
})

const overview = route({
  ...common,
  id: 'channels.overview',
  method: 'GET',
  path: ONE,
  scope: 'read',
  summary: 'A channel',
  choices: ['Extra: `channel`, its record as lists have it.'],
  parameters: null,
  reply: OverviewReply,
  errors: ['ChannelNotFound', 'NotReady'],
  sample: { path: `${DISCOVERED}/${SAMPLE_CHANNEL}`, status: 200 },
  run: async ({ services }, { path }) => {
    const channel = await services.channels.channel(channelOf(path))
    const { name, description, dispersy_cid: identifier } = channel
    return { overview: { name, description, identifier }, channel }
  },
})

const change = route({
  ...common,
  id: 'channels.change',
  method: 'PATCH',
  path: ONE,
  scope: 'admin',
  summary: 'Changes name, description or mode of an own channel',
  choices: ['The whole route is extra. An empty description takes it away.'],
  parameters: ChannelChangeParameters,
  reply: ModifiedReply,
  errors: ['InvalidParameter', 'ChannelNotFound', 'NotChannelOwner', 'DuplicateChannelIdError', 'NotReady'],
  sample: { path: `${DISCOVERED}/${SAMPLE_CHANNEL}`, body: { mode: 'closed' }, status: 200 },
  run: async ({ services }, { path, parameters }) => ({
    modified: await services.channels.change(channelOf(path), parameters),
  }),
})

const remove = route({
  ...common,
  id: 'channels.remove',
  method: 'DELETE',
  path: ONE,
  scope: 'admin',
  summary: 'Ends an own channel',
  choices: [
    'The whole route is extra. A last, empty set is signed and told, so that subscribers have nothing of it any more; its key is kept.',
  ],
  parameters: null,
  reply: RemovedReply,
  errors: ['ChannelNotFound', 'NotChannelOwner', 'NotReady'],
  sample: { path: `${DISCOVERED}/${SAMPLE_CHANNEL}`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channels.remove(channelOf(path))
    return { removed: true }
  },
})

const subscribed = route({
  ...common,
  id: 'channels.subscribed',
  method: 'GET',
  path: SUBSCRIBED,
  scope: 'read',
  summary: 'Channels this node is subscribed to',
  choices: ['Not filtered.'],
  parameters: null,
  reply: SubscribedListReply,
  errors: ['NotReady'],
  sample: { path: SUBSCRIBED, status: 200 },
  run: ({ services }) => new ListedJson('subscribed', () => services.channels.subscribed()),
})

const subscription = route({
  ...common,
  id: 'channels.subscription',
  method: 'GET',
  path: `${SUBSCRIBED}/{channelid}`,
  scope: 'read',
  summary: 'Whether this node is subscribed to a channel',
  choices: ['404 for a channel that this node does not know.'],
  parameters: null,
  reply: SubscriptionReply,
  errors: ['ChannelNotFound', 'NotReady'],
  sample: { path: `${SUBSCRIBED}/${SAMPLE_CHANNEL}`, status: 200 },
  run: async ({ services }, { path }) => {
    const { subscribed: is, votes } = await services.channels.channel(channelOf(path))
    return { subscribed: is, votes }
  },
})

const subscribe = route({
  ...common,
  id: 'channels.subscribe',
  method: 'PUT',
  path: `${SUBSCRIBED}/{channelid}`,
  scope: 'admin',
  summary: 'Subscribes to a channel',
  choices: [
    'An id that nobody here knows is looked for in the overlay and the DHT for up to 30 s; 404 when it is not found.',
    'All its records are fetched and kept, updates are followed, and the vote of this node is cast.',
    'An own channel is subscribed to from the moment it is made; the state is kept like that of others and changes nothing else of it.',
  ],
  parameters: null,
  reply: SubscribedReply,
  errors: ['ChannelNotFound', 'AlreadySubscribed', 'TooManyRequests', 'NotReady'],
  sample: { path: `${SUBSCRIBED}/${SAMPLE_CHANNEL}`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channels.subscribe(channelOf(path))
    return { subscribed: true }
  },
})

const unsubscribe = route({
  ...common,
  id: 'channels.unsubscribe',
  method: 'DELETE',
  path: `${SUBSCRIBED}/{channelid}`,
  scope: 'admin',
  summary: 'Ends a subscription',
  choices: ['What is known of the channel stays among the discovered ones, as far as there is room.'],
  parameters: null,
  reply: UnsubscribedReply,
  errors: ['ChannelNotFound', 'NotSubscribed', 'NotReady'],
  sample: { path: `${SUBSCRIBED}/${SAMPLE_CHANNEL}`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.channels.unsubscribe(channelOf(path))
    return { unsubscribed: true }
  },
})

/** Every route of this file. */
export const channelRoutes = [
  ...[discovered, create, popular, overview, change, remove],
  ...[subscribed, subscription, subscribe, unsubscribe],
] as const
