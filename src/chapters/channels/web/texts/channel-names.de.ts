// The same in German.

import type { Translation } from '../../../../web/language/texts.ts'
import type { ChannelNameTexts } from './channel-names.ts'

/** Texts by their keys. */
export const german: Translation<ChannelNameTexts> = {
  channel: 'Kanal',
  channels: 'Kanäle',
  channelDiscovered: 'Kanal entdeckt',
  torrentDiscovered: 'Torrent entdeckt',
}
