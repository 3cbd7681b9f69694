// Places in the pages of channels, as parts of their addresses and back. Pure.

import { type ChapterPlace, chapterPlace } from '../../../../web/model/place.ts'

/** Parts of a channel's page. */
export type ChannelTab = 'torrents' | 'playlists' | 'comments' | 'feeds' | 'options'

/** Every part, in their order. */
export const channelTabs: readonly ChannelTab[] = ['torrents', 'playlists', 'comments', 'feeds', 'options']

/** Lists of channels. */
export type ChannelListName = 'discovered' | 'subscribed' | 'own'

/** Every list, in their order. */
export const channelLists: readonly ChannelListName[] = ['discovered', 'subscribed', 'own']

/** What is shown: one channel, or channels. */
export type ShownChannels =
  | { readonly page: 'channel'; readonly channel: string; readonly tab: ChannelTab }
  /** `query`: what is searched for instead of the list; empty: nothing. */
  | { readonly page: 'channels'; readonly list: ChannelListName; readonly query: string }

function at(...parts: string[]): ChapterPlace {
  return chapterPlace('channels', ...parts)
}

/** A list of channels. */
export function listPlace(list: ChannelListName): ChapterPlace {
  return list === 'discovered' ? at() : at(list)
}

/** Where channels begin. */
export const channelsHome: ChapterPlace = listPlace('discovered')

/** Results of a search for words, of which there are some. */
export function searchPlace(query: string): ChapterPlace {
  return at('search', query)
}

/** The page of a channel; `channel`: its id (dispersy_cid). */
export function channelPlace(channel: string, tab: ChannelTab = 'torrents'): ChapterPlace {
  return tab === 'torrents' ? at(channel) : at(channel, tab)
}

/**
 * What a place shows by its parts: none, `own`, `search` and the words, a channel's id and `playlists`. Others are
 * where channels begin.
 */
export function shownAt([first = '', rest = '']: readonly string[]): ShownChannels {
  if (/^[0-9a-f]{40}$/.test(first)) {
    const tab = channelTabs.find(name => name === rest) ?? 'torrents'
    return { page: 'channel', channel: first, tab }
  }
  const list = channelLists.find(name => name === first) ?? 'discovered'
  return { page: 'channels', list, query: first === 'search' ? rest : '' }
}
