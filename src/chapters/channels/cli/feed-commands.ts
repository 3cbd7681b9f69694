// Commands about feeds: RSS and Atom into channels, and channels as feeds.

import type { JsonObject } from '../../../cli/node-client.ts'
import type { PlainCommand } from '../../../cli/plain-command.ts'
import { tableText } from '../../../cli/show.ts'

const ONE = '/channels/discovered/{channelid}'

interface FeedRow {
  readonly url: string
  readonly last_check: number
  readonly error: string
}

function feedsText(answer: JsonObject): string {
  const columns = ['CHECKED', 'FEED', 'ERROR'].map(head => ({ head }))
  const rows = (answer['rssfeeds'] as FeedRow[]).map(({ url, last_check, error }) => [
    last_check === 0 ? 'not yet' : new Date(last_check * 1000).toISOString().slice(0, 16).replace('T', ' '),
    url,
    error,
  ])
  return tableText(columns, rows, process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)
}

/** Commands that are one request. */
export const FEED_COMMANDS: readonly PlainCommand[] = [
  {
    words: 'channels feeds',
    method: 'GET',
    path: `${ONE}/rssfeeds`,
    human: feedsText,
    text: 'RSS and Atom feeds whose torrents come into an own channel.',
  },
  {
    words: 'channels feed-add',
    method: 'PUT',
    path: `${ONE}/rssfeeds/{url}`,
    text: 'Add an RSS or Atom feed to an own channel.',
  },
  {
    words: 'channels feed-rm',
    method: 'DELETE',
    path: `${ONE}/rssfeeds/{url}`,
    text: 'Remove a feed; torrents that it brought stay.',
  },
  {
    words: 'channels feeds-recheck',
    method: 'POST',
    path: `${ONE}/recheckfeeds`,
    text: 'Look at all feeds of an own channel now.',
  },
  {
    words: 'channels feed-links',
    method: 'GET',
    path: `${ONE}/feedlinks`,
    text: 'Links to a channel as a feed, for feed readers and other clients.',
  },
  {
    words: 'channels feed',
    method: 'GET',
    path: `${ONE}/feed`,
    parameters: ['format'],
    defaults: { format: 'atom' },
    bytes: true,
    text: 'The newest torrents of a channel as a feed.',
  },
]
