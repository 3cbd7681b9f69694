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

/** A place of the page. */
export type Place =
  | { readonly page: 'downloads'; readonly infohash: string; readonly tab: DetailTab }
  | { readonly page: 'play'; readonly infohash: string; readonly file: number }
  | { readonly page: 'circuits' | 'statistics' | 'events' | 'settings' }

/** Where the page begins, and what unknown addresses mean. */
export const home: Place = { page: 'downloads', infohash: '', tab: 'overview' }

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
    case 'circuits':
    case 'statistics':
    case 'events':
    case 'settings':
      return { page }
    default:
      return home
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
    default:
      return `#/${place.page}`
  }
}
