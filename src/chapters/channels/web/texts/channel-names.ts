// What the navigation, the window's title and the events call channels, in English. Known before their pages come.

import { textsOf } from '../../../../web/language/texts.ts'

const english = {
  channel: 'Channel',
  channels: 'Channels',
  channelDiscovered: 'Channel discovered',
  torrentDiscovered: 'Torrent discovered',
} as const

/** Its texts by their keys, as translations have them. */
export type ChannelNameTexts = typeof english

/** A name. */
export const text = textsOf('channel-names', english)
