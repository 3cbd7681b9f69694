// Where the page is: the part of its address behind `#`, as a value and back. Pure.

/** Parts of a download's page. */
export type DetailTab = 'overview' | 'files' | 'peers' | 'trackers' | 'options'

/** Every part with its heading. */
export const detailTabs: readonly (readonly [DetailTab, string])[] = [
  ['overview', 'Overview'],
  ['files', 'Files'],
  ['peers', 'Peers'],
  ['trackers', 'Trackers'],
  ['options', 'Options'],
]

/** Parts of a channel's page. */
export type ChannelTab = 'torrents' | 'playlists' | 'comments' | 'feeds' | 'options'

/** Every part with its heading. */
export const channelTabs: readonly (readonly [ChannelTab, string])[] = [
  ['torrents', 'Torrents'],
  ['playlists', 'Playlists'],
  ['comments', 'Comments'],
  ['feeds', 'Feeds'],
  ['options', 'Options'],
]

/** Lists of channels. */
export type ChannelListName = 'discovered' | 'subscribed' | 'own'

/** Every list with its heading. */
export const channelLists: readonly (readonly [ChannelListName, string])[] = [
  ['discovered', 'Discovered'],
  ['subscribed', 'Subscribed'],
  ['own', 'Yours'],
]

/** Parts of the market. */
export type MarketTab = 'book' | 'orders' | 'trades'

/** Every part with its heading. */
export const marketTabs: readonly (readonly [MarketTab, string])[] = [
  ['book', 'Order book'],
  ['orders', 'Your orders'],
  ['trades', 'Your trades'],
]

/** A place of the page. */
export type Place =
  | { readonly page: 'downloads'; readonly infohash: string; readonly tab: DetailTab }
  | { readonly page: 'play'; readonly infohash: string; readonly file: number }
  /** `query`: what is searched for instead of the list; empty: nothing. */
  | { readonly page: 'channels'; readonly list: ChannelListName; readonly query: string }
  | { readonly page: 'channel'; readonly channel: string; readonly tab: ChannelTab }
  /** `coin`: the wallet that is open; empty: the list. */
  | { readonly page: 'wallets'; readonly coin: string }
  | { readonly page: 'market'; readonly tab: MarketTab }
  | { readonly page: 'circuits' | 'statistics' | 'events' | 'settings' }

/** Where the page begins, and what unknown addresses mean. */
export const home: Place = { page: 'downloads', infohash: '', tab: 'overview' }

/** Where channels begin. */
export const channelsHome: Place = { page: 'channels', list: 'discovered', query: '' }

/** The list of wallets. */
export const walletsHome: Place = { page: 'wallets', coin: '' }

/** Where the market begins. */
export const marketHome: Place = { page: 'market', tab: 'book' }

/** The place of an address such as `#/downloads/<infohash>/files`. */
export function placeOf(hash: string): Place {
  const [page = '', infohash = '', rest = ''] = hash.replace(/^#?\/?/, '').split('/')
  const known = /^[0-9a-f]{40}$/.test(infohash)
  switch (page) {
    case 'downloads': {
      const tab = detailTabs.find(([name]) => name === rest)?.[0] ?? 'overview'
      return { page, infohash: known ? infohash : '', tab }
    }
    case 'play':
      return known && /^\d{1,6}$/.test(rest) ? { page, infohash, file: Number(rest) } : home
    case 'channels':
      return channelPlace(infohash, rest)
    case 'wallets':
      return { page, coin: /^[A-Z]{3,4}$/.test(infohash) ? infohash : '' }
    case 'market':
      return { page, tab: marketTabs.find(([name]) => name === infohash)?.[0] ?? 'book' }
    case 'circuits':
    case 'statistics':
    case 'events':
    case 'settings':
      return { page }
    default:
      return home
  }
}

/** `#/channels`, `#/channels/own`, `#/channels/search/<words>`, `#/channels/<id>/playlists`. */
function channelPlace(first: string, rest: string): Place {
  if (/^[0-9a-f]{40}$/.test(first)) {
    const tab = channelTabs.find(([name]) => name === rest)?.[0] ?? 'torrents'
    return { page: 'channel', channel: first, tab }
  }
  const list = channelLists.find(([name]) => name === first)?.[0] ?? 'discovered'
  return { page: 'channels', list, query: first === 'search' ? decoded(rest) : '' }
}

/** Empty where it is no percent-encoding of anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** The address of a place. */
export function addressOf(place: Place): string {
  switch (place.page) {
    case 'downloads':
      if (place.infohash === '') return '#/downloads'
      return `#/downloads/${place.infohash}${place.tab === 'overview' ? '' : `/${place.tab}`}`
    case 'play':
      return `#/play/${place.infohash}/${place.file}`
    case 'channels':
      if (place.query !== '') return `#/channels/search/${encodeURIComponent(place.query)}`
      return place.list === 'discovered' ? '#/channels' : `#/channels/${place.list}`
    case 'channel':
      return `#/channels/${place.channel}${place.tab === 'torrents' ? '' : `/${place.tab}`}`
    case 'wallets':
      return place.coin === '' ? '#/wallets' : `#/wallets/${place.coin}`
    case 'market':
      return place.tab === 'book' ? '#/market' : `#/market/${place.tab}`
    default:
      return `#/${place.page}`
  }
}
