// Commands about feeds: RSS and Atom into channels, and channels as feeds.

import type { PlainCommandOf } from '../../../cli/plain-command.ts'
import { tableText } from '../../../cli/show.ts'
import type { ReplyOf } from '../../../client/routes.ts'
import type { ChannelsRoutes } from '../client/routes.ts'

type Feeds = ReplyOf<ChannelsRoutes, 'GET /channels/discovered/{channelid}/rssfeeds'>

function feedsText({ rssfeeds }: Feeds): string {
  const columns = ['CHECKED', 'FEED', 'ERROR'].map(head => ({ head }))
  const rows = rssfeeds.map(({ url, last_check, error }) => [
    last_check === 0 ? 'not yet' : new Date(last_check * 1000).toISOString().slice(0, 16).replace('T', ' '),
    url,
    error,
  ])
  return tableText(columns, rows, process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)
}

/** Commands that are one request. */
export const FEED_COMMANDS: readonly PlainCommandOf<ChannelsRoutes>[] = [
  {
    words: 'channels feeds',
    route: 'GET /channels/discovered/{channelid}/rssfeeds',
    human: feedsText,
    text: 'RSS and Atom feeds whose torrents come into an own channel.',
  },
  {
    words: 'channels feed-add',
    route: 'PUT /channels/discovered/{channelid}/rssfeeds/{url}',
    text: 'Add an RSS or Atom feed to an own channel.',
  },
  {
    words: 'channels feed-rm',
    route: 'DELETE /channels/discovered/{channelid}/rssfeeds/{url}',
    text: 'Remove a feed; torrents that it brought stay.',
  },
  {
    words: 'channels feeds-recheck',
    route: 'POST /channels/discovered/{channelid}/recheckfeeds',
    text: 'Look at all feeds of an own channel now.',
  },
  {
    words: 'channels feed-links',
    route: 'GET /channels/discovered/{channelid}/feedlinks',
    text: 'Links to a channel as a feed, for feed readers and other clients.',
  },
  {
    words: 'channels feed',
    route: 'GET /channels/discovered/{channelid}/feed',
    parameters: { format: { default: 'atom' } },
    bytes: true,
    text: 'The newest torrents of a channel as a feed.',
  },
]
