// Routes of feeds into channels (spec 4.6; decision 0418), and of channels as feeds (extra). They translate names and
// nothing else.

import { type BytesReply, routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import {
  ChannelFeedParameters,
  FeedAddedReply,
  FeedLinksReply,
  FeedRemovedReply,
  FeedsReply,
  RecheckedReply,
} from './feed-schemas.ts'
import { channelOf, SAMPLE_CHANNEL } from './channel-path.ts'

const route = routeWith<ChannelRouteServices>()

const common = { tag: 'channels' } as const
const ONE = '/channels/discovered/{channelid}'
const SAMPLE = `/channels/discovered/${SAMPLE_CHANNEL}`
const SAMPLE_FEED = `${SAMPLE}/rssfeeds/https%3A%2F%2Ffeeds.example%2Ffilms.xml`
const OF_OWN = ['ChannelNotFound', 'NotChannelOwner', 'NotReady'] as const
const XML_TYPE = 'application/atom+xml'

const list = route({
  ...common,
  id: 'channels.feeds',
  method: 'GET',
  path: `${ONE}/rssfeeds`,
  kind: 'json',
  scope: 'read',
  summary: 'RSS and Atom feeds whose torrents come into a channel',
  choices: [
    'Of own channels; of another one 403 `NotChannelOwner`. Extra: all but `url`.',
    'A feed is looked at two seconds after it was added, then every half hour; twice as long after each failure in a row, at most a day.',
  ],
  parameters: null,
  reply: FeedsReply,
  errors: [...OF_OWN],
  sample: { path: `${SAMPLE}/rssfeeds`, status: 200 },
  run: async ({ services }, { path }) => ({ rssfeeds: await services.feeds.list(channelOf(path)) }),
})

const add = route({
  ...common,
  id: 'channels.addFeed',
  method: 'PUT',
  path: `${ONE}/rssfeeds/{url}`,
  kind: 'json',
  scope: 'admin',
  summary: 'Adds a feed to an own channel',
  choices: [
    '`url` is percent-encoded once; http and https alone, others are 400 `BadScheme`. It is not asked before the answer.',
    'Each item becomes a torrent of the channel once, by its enclosure, magnet link or link, also over restarts. At most 500 feeds.',
  ],
  parameters: null,
  reply: FeedAddedReply,
  errors: ['InvalidParameter', 'BadScheme', 'FeedExists', ...OF_OWN],
  sample: { path: SAMPLE_FEED, status: 200 },
  run: async ({ services }, { path }) => {
    await services.feeds.add(channelOf(path), path['url'] ?? '')
    return { added: true }
  },
})

const remove = route({
  ...common,
  id: 'channels.removeFeed',
  method: 'DELETE',
  path: `${ONE}/rssfeeds/{url}`,
  kind: 'json',
  scope: 'admin',
  summary: 'Removes a feed from an own channel',
  choices: ['Torrents that it brought stay. Nothing of it comes into the channel after the answer.'],
  parameters: null,
  reply: FeedRemovedReply,
  errors: ['FeedNotFound', ...OF_OWN],
  sample: { path: SAMPLE_FEED, status: 200 },
  run: async ({ services }, { path }) => {
    await services.feeds.remove(channelOf(path), path['url'] ?? '')
    return { removed: true }
  },
})

const recheck = route({
  ...common,
  id: 'channels.recheckFeeds',
  method: 'POST',
  path: `${ONE}/recheckfeeds`,
  kind: 'json',
  scope: 'admin',
  summary: 'Looks at all feeds of an own channel now',
  choices: ['Answers when each was read once, also when one failed; their torrents are waited for up to 20 s more.'],
  parameters: null,
  reply: RecheckedReply,
  errors: [...OF_OWN],
  sample: { path: `${SAMPLE}/recheckfeeds`, status: 200 },
  run: async ({ services }, { path }) => {
    await services.feeds.recheck(channelOf(path))
    return { rechecked: true }
  },
})

const links = route({
  ...common,
  id: 'channels.feedLinks',
  method: 'GET',
  path: `${ONE}/feedlinks`,
  kind: 'json',
  scope: 'read',
  summary: 'Links to a channel as a feed, for feed readers and other clients',
  choices: [
    'The whole route is extra. Each opens this one feed without a key, for as long as the state directory is the same.',
  ],
  parameters: null,
  reply: FeedLinksReply,
  errors: ['ChannelNotFound', 'NotReady'],
  sample: { path: `${SAMPLE}/feedlinks`, status: 200 },
  run: async ({ services, links: signer }, { path, base }) => {
    const { dispersy_cid: cid } = await services.channels.channel(channelOf(path))
    return { atom_url: base + signer.feedUrl(cid, 'atom'), rss_url: base + signer.feedUrl(cid, 'rss') }
  },
})

const feed = route({
  ...common,
  id: 'channels.feed',
  method: 'GET',
  path: `${ONE}/feed`,
  kind: 'bytes',
  scope: 'read',
  signedLinks: true,
  summary: 'The newest torrents of a channel as an Atom or RSS feed',
  choices: [
    'The whole route is extra. 200 torrents, each with its magnet link as link and enclosure; the family filter applies.',
    'Opened by a link of /feedlinks too.',
  ],
  parameters: ChannelFeedParameters,
  reply: null,
  contentType: XML_TYPE,
  errors: ['InvalidParameter', 'ChannelNotFound', 'NotReady'],
  sample: { path: `${SAMPLE}/feed`, query: 'format=atom', status: 200 },
  run: async ({ services }, { path, parameters, base }): Promise<BytesReply> => {
    const cid = channelOf(path)
    const format = parameters.format ?? 'atom'
    // Without the token: a feed is passed on more lightly than a key.
    const self = `${base}/channels/discovered/${cid}/feed?format=${format}`
    const { contentType, text, etag } = await services.feeds.channelFeed(cid, format, self)
    return {
      contentType,
      body: Buffer.from(text),
      headers: [
        ['ETag', etag],
        ['Cache-Control', 'no-cache'],
      ],
    }
  },
})

/** Every route of this file. */
export const feedRoutes = [list, add, remove, recheck, links, feed] as const
