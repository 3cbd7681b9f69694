// What lists of channels, searches, and rows of channels and torrents say, in English.

import { textsOf } from '../../../../web/language/texts.ts'

const english = {
  channels: 'Channels',
  asking: 'Loading…',
  notShown: 'Channels are not shown: {{problem}}',
  create: 'Create a channel',
  lists: 'Lists of channels',
  discovered: 'Discovered',
  subscribed: 'Subscribed',
  own: 'Yours',
  filter: 'Filter',
  filterLabel: 'Show channels with these words',
  count_one: '{{count, number}} channel',
  count_other: '{{count, number}} channels',
  noMatch: 'No channels match.',
  noneSubscribed: 'You follow no channel. Subscribe to one under Discovered, and it is kept up to date here.',
  noneOwn: 'You have no channel. Create one to publish torrents under your own name.',
  // None discovered: the cause, and the step out of it.
  noneYet: 'No channels discovered yet. They arrive from other nodes, usually within minutes.',
  noneWithPeers_one: 'No channels discovered yet. Connected to {{count, number}} node, which is asked for channels.',
  noneWithPeers_other:
    'No channels discovered yet. Connected to {{count, number}} nodes, which are asked for channels.',
  networkOff:
    'The network of channels is off by the setting {{setting}}. Switch it on in Settings, and restart the node.',
  networkDown:
    'Not connected to the network of channels: {{reason}}. The node tries again by itself; if this stays, see Doctor or the log.',
  networkStarting: 'Connecting to the network of channels…',
  networkAlone: 'No other node of the network of channels has been reached yet. Check that UDP may leave this machine.',
  // Searching.
  searchLabel: 'Search channels and torrents',
  search: 'Search',
  searchFailed: 'The search failed: {{problem}}',
  searching: 'Searching…',
  foundSoFar: '{{channels}}, {{torrents}} so far. Waiting for other nodes…',
  found: '{{channels}}, {{torrents}} found.',
  nothingFound: 'Nothing found.',
  nothingFoundHere: 'Nothing found on this node, and no other node could be asked. {{cause}}',
  torrents: 'Torrents',
  channelsFound: 'Channels found',
  torrentsFound: 'Torrents found',
  // One channel in a list.
  unnamedChannel: 'Unnamed channel',
  unnamedTorrent: 'Unnamed torrent',
  unnamedPlaylist: 'Unnamed playlist',
  justNow: 'just now',
  ago: '{{time}} ago',
  torrentCount_one: '{{count, number}} torrent',
  torrentCount_other: '{{count, number}} torrents',
  subscribers_one: '{{count, number}} subscriber',
  subscribers_other: '{{count, number}} subscribers',
  spamReports_one: 'reported as spam by {{count, number}}',
  spamReports_other: 'reported as spam by {{count, number}}',
  changed: 'changed {{when}}',
  mayAdd: 'You may add',
  working: 'One moment…',
  subscribe: 'Subscribe',
  unsubscribe: 'Unsubscribe',
  buttonOf: '{{button}}: {{name}}',
  // One torrent in a list.
  select: 'Select',
  name: 'Name',
  size: 'Size',
  health: 'Seeders / leechers',
  actions: 'Actions',
  openDownload: 'Open the download {{name}}',
  open: 'Open',
  downloadOf: 'Download {{name}}',
  download: 'Download',
  started: 'Download started.',
  notChecked: 'not checked',
  checking: 'checking…',
  checkNow: 'Check trackers and the DHT now.',
  checkedAt: 'Seeders / leechers, {{when}}. Check trackers and the DHT now.',
  healthOf: '{{health}}: seeders and leechers of {{name}}; check now',
  noHealth: 'Neither trackers nor the DHT know this torrent.',
} as const

/** Its texts by their keys, as translations have them. */
export type ChannelsTexts = typeof english

/** One of these texts. */
export const text = textsOf('channels', english)
