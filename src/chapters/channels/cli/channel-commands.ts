// Commands about channels: lists and changes as one request each, and `search`, which waits for what is found.

import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { type CommandContext, forNode, type NodeFlags, print, runForNode } from '../../../cli/command-run.ts'
import type { PlainCommandOf } from '../../../cli/plain-command.ts'
import { printable, tableText } from '../../../cli/show.ts'
import { sizeText } from '../../../cli/units.ts'
import type { CoreRoutes } from '../../../client/core-routes.ts'
import type { Channel, ChannelsRoutes, ChannelTorrent } from '../client/routes.ts'
import { FEED_COMMANDS } from './feed-commands.ts'

const LIMIT = { parameter: 'limit', read: String } as const
const TEXTS = [
  { flags: '--name <name>', parameter: 'name', read: String, text: 'the new name' },
  { flags: '--description <text>', parameter: 'description', read: String, text: 'the new description' },
] as const
/** Peers answer a search within so long. */
const SEARCH_S = 10

function width(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

function channelsText(channels: readonly Channel[]): string {
  if (channels.length === 0) return 'No channels yet.\n'
  const columns = [
    { head: 'CHANNEL' },
    ...['VOTES', 'SPAM', 'TORRENTS'].map(head => ({ head, right: true })),
    ...['MODE', '', 'NAME'].map(head => ({ head })),
  ]
  const lines = channels.map(channel => [
    channel.dispersy_cid,
    ...[channel.votes, channel.spam, channel.torrents].map(String),
    channel.mode,
    channel.own ? 'own' : channel.subscribed ? 'subscribed' : '',
    channel.name,
  ])
  return tableText(columns, lines, width())
}

function torrentsText(torrents: readonly ChannelTorrent[]): string {
  if (torrents.length === 0) return 'No torrents.\n'
  const columns = [
    { head: 'INFOHASH' },
    ...['SIZE', 'SEEDS', 'PEERS'].map(head => ({ head, right: true })),
    ...['CATEGORY', 'NAME'].map(head => ({ head })),
  ]
  const lines = torrents.map(({ infohash, size, num_seeders, num_leechers, last_tracker_check, category, name }) => [
    infohash,
    size > 0 ? sizeText(size) : '',
    ...(last_tracker_check > 0 ? [String(num_seeders), String(num_leechers)] : ['', '']),
    category,
    name,
  ])
  return tableText(columns, lines, width())
}

/** Commands that are one request. */
const CHANNEL_COMMANDS: readonly PlainCommandOf<ChannelsRoutes>[] = [
  {
    words: 'channels list',
    route: 'GET /channels/discovered',
    human: ({ channels }) => channelsText(channels),
    text: 'Channels that the node knows, the best first.',
  },
  {
    words: 'channels popular',
    route: 'GET /channels/popular',
    human: ({ channels }) => channelsText(channels),
    text: 'Channels with most subscribers.',
    options: [{ ...LIMIT, flags: '--limit <n>', text: 'so many' }],
  },
  {
    words: 'channels subscribed',
    route: 'GET /channels/subscribed',
    human: ({ subscribed }) => channelsText(subscribed),
    text: 'Channels the node is subscribed to.',
  },
  { words: 'channels mine', route: 'GET /mychannel', text: 'The first channel of the node.' },
  {
    words: 'channels change-mine',
    route: 'POST /mychannel',
    options: TEXTS,
    text: 'Rename the first channel of the node, or describe it anew.',
  },
  {
    words: 'channels author',
    route: 'GET /channels/author',
    text: 'The key under which the node writes in channels of others.',
  },
  {
    words: 'channels create',
    route: 'PUT /channels/discovered',
    parameters: { name: 'text' },
    text: 'Make a channel.',
    options: [
      { flags: '--description <text>', parameter: 'description', read: String, text: 'what it is about' },
      { flags: '--mode <mode>', parameter: 'mode', read: String, text: 'open, semi-open or closed (the default)' },
    ],
  },
  { words: 'channels show', route: 'GET /channels/discovered/{channelid}', text: 'A channel.' },
  {
    words: 'channels change',
    route: 'PATCH /channels/discovered/{channelid}',
    text: 'Change an own channel.',
    options: [...TEXTS, { flags: '--mode <mode>', parameter: 'mode', read: String, text: 'open, semi-open or closed' }],
  },
  { words: 'channels end', route: 'DELETE /channels/discovered/{channelid}', text: 'End an own channel.' },
  {
    words: 'channels subscription',
    route: 'GET /channels/subscribed/{channelid}',
    text: 'Whether the node is subscribed to a channel.',
  },
  {
    words: 'channels subscribe',
    route: 'PUT /channels/subscribed/{channelid}',
    text: 'Subscribe to a channel.',
  },
  {
    words: 'channels unsubscribe',
    route: 'DELETE /channels/subscribed/{channelid}',
    text: 'End a subscription.',
  },
  {
    words: 'channels spam',
    route: 'PUT /channels/discovered/{channelid}/spam',
    parameters: { spam: { default: 'true' } },
    text: 'Call a channel spam, or take that back (false).',
  },
  {
    words: 'channels torrents',
    route: 'GET /channels/discovered/{channelid}/torrents',
    text: 'Torrents of a channel.',
    human: ({ torrents }) => torrentsText(torrents),
  },
  {
    words: 'channels add',
    route: 'PUT /channels/discovered/{channelid}/torrents/{torrent}',
    text: 'Add the torrent of an address or magnet link to a channel; see add-file.',
    options: [{ flags: '--description <text>', parameter: 'description', read: String, text: 'what it is' }],
  },
  {
    words: 'channels edit',
    route: 'PATCH /channels/discovered/{channelid}/torrents/{torrent}',
    options: TEXTS,
    text: 'Rename a torrent of a channel, or describe it anew.',
  },
  {
    words: 'channels rm',
    route: 'DELETE /channels/discovered/{channelid}/torrents/{torrent}',
    text: 'Remove torrents from a channel; info hashes with commas between.',
  },
  {
    words: 'channels torrent',
    route: 'GET /torrents/{infohash}',
    text: 'What is known of a torrent of any channel.',
  },
  {
    words: 'channels health',
    route: 'GET /torrents/{infohash}/health',
    text: 'Ask trackers and the DHT how many seeders a torrent of a channel has.',
    options: [
      {
        flags: '--refresh',
        parameter: 'refresh',
        read: () => '1',
        text: 'even if that was done within the last hours',
      },
      { flags: '--timeout <seconds>', parameter: 'timeout', read: String, text: 'wait so long at most, up to 60' },
    ],
  },
  {
    words: 'channels playlists',
    route: 'GET /channels/discovered/{channelid}/playlists',
    text: 'Playlists of a channel.',
  },
  {
    words: 'channels playlist-create',
    route: 'PUT /channels/discovered/{channelid}/playlists',
    parameters: { name: 'text', description: 'text' },
    text: 'Make a playlist.',
  },
  {
    words: 'channels playlist-change',
    route: 'POST /channels/discovered/{channelid}/playlists/{playlistid}',
    options: TEXTS,
    text: 'Rename a playlist, or describe it anew.',
  },
  {
    words: 'channels playlist-remove',
    route: 'DELETE /channels/discovered/{channelid}/playlists/{playlistid}',
    text: 'Remove a playlist; its torrents stay in the channel.',
  },
  {
    words: 'channels playlist-add',
    route: 'PUT /channels/discovered/{channelid}/playlists/{playlistid}/{infohash}',
    text: 'Put a torrent of the channel into a playlist.',
  },
  {
    words: 'channels playlist-rm',
    route: 'DELETE /channels/discovered/{channelid}/playlists/{playlistid}/{infohash}',
    text: 'Take a torrent out of a playlist.',
  },
  {
    words: 'channels comments',
    route: 'GET /channels/discovered/{channelid}/comments',
    text: 'Comments on a channel and its torrents.',
  },
  {
    words: 'channels comment',
    route: 'PUT /channels/discovered/{channelid}/comments',
    parameters: { text: 'text' },
    text: 'Comment on a channel or one of its torrents.',
    options: [{ flags: '--infohash <hash>', parameter: 'infohash', read: String, text: 'the torrent' }],
  },
  {
    words: 'channels comment-rm',
    route: 'DELETE /channels/discovered/{channelid}/comments/{commentid}',
    text: 'Remove a comment.',
  },
  {
    words: 'channels grants',
    route: 'GET /channels/discovered/{channelid}/grants',
    text: 'Who may write in a channel beside its owner.',
  },
  {
    words: 'channels grant',
    route: 'PUT /channels/discovered/{channelid}/grants',
    parameters: { contributor: 'text', add: { default: 'true' }, moderate: { default: 'false' } },
    text: 'Let a key write in an own channel, or no more (both false).',
  },
  {
    words: 'completions',
    route: 'GET /search/completions',
    parameters: { q: 'text' },
    text: 'How the text of a search may go on.',
  },
]

type SearchRoutes = CoreRoutes & ChannelsRoutes

/** What is found of one search, as it comes. */
async function search(text: string, seconds: number, { node, json }: CommandContext<SearchRoutes>): Promise<void> {
  const lines = node.lines('GET /events')
  // The first line says that it listens.
  await lines.next()
  try {
    await node.call('GET /search', { parameters: { q: text } })
  } catch (error) {
    // Else the events would keep the command alive.
    await lines.return()
    throw error
  }
  const over = sleep(seconds * 1000, null)
  let found = 0
  for (;;) {
    const next = await Promise.race([lines.next(), over])
    if (next === null || next.done === true) {
      if (found === 0 && !json)
        print(`Nothing was found for ${printable(text)}, here or within ${seconds} s at other nodes.\n`)
      return process.exit(0)
    }
    const { type, event } = JSON.parse(next.value) as { type: string; event?: { query: string; result: unknown } }
    if (event?.query !== text.trim() || !type.startsWith('search_result_')) continue
    found += 1
    print(json ? `${next.value}\n` : resultText(type, event.result))
  }
}

/** One result without the heads of its table. */
function resultText(type: string, result: unknown): string {
  const table =
    type === 'search_result_channel' ? channelsText([result as Channel]) : torrentsText([result as ChannelTorrent])
  return table.slice(table.indexOf('\n') + 1)
}

function seconds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of seconds.')
  return Number(text)
}

function addChannelCommands(program: Command, channels: Command): void {
  forNode(program.command('search').description('Search channels and torrents here and at other nodes.'))
    .argument('<text>')
    .option('--wait <s>', 'seconds to wait for other nodes', seconds, SEARCH_S)
    .action((text: string, flags: NodeFlags & { wait: number }) =>
      runForNode<SearchRoutes>(flags, context => search(text, flags.wait, context)),
    )
  forNode(channels.command('add-file').description('Add a torrent file of this machine to a channel.'))
    .argument('<channelid>')
    .argument('<file>')
    .option('--description <text>', 'what it is')
    .action((cid: string, file: string, flags: NodeFlags & { description?: string }) =>
      runForNode<ChannelsRoutes>(flags, async ({ node, show }) => {
        const torrent = (await readFile(file)).toString('base64')
        const answer = await node.call('PUT /channels/discovered/{channelid}/torrents', {
          path: { channelid: cid },
          parameters: { torrent, description: flags.description ?? '' },
        })
        show(answer)
      }),
    )
}

/** All commands about channels. */
export const channelCommands: ChapterCommands = {
  plain: [...CHANNEL_COMMANDS, ...FEED_COMMANDS],
  groups: { channels: 'Channels: what the node knows, follows and publishes.' },
  add: (program, group) => addChannelCommands(program, group('channels')),
}
