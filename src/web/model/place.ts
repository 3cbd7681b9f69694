// Where the page is: the part of its address behind `#`, as a value and back. Pure.

/** Parts of a download's page. */
export type DetailTab = 'overview' | 'files' | 'peers' | 'trackers' | 'options'

/** Every part, in their order. */
export const detailTabs: readonly DetailTab[] = ['overview', 'files', 'peers', 'trackers', 'options']

/** A place in the pages of a chapter: `#/<chapter>/<part>/<part>…`. */
export interface ChapterPlace {
  readonly page: 'chapter'
  /** The chapter's id, which is the first word of its addresses. */
  readonly chapter: string
  /** What follows it, decoded; empty where the address had no encoding of anything. The chapter alone reads them. */
  readonly parts: readonly string[]
}

/** A place of the page. */
export type Place =
  | { readonly page: 'downloads'; readonly infohash: string; readonly tab: DetailTab }
  | { readonly page: 'play'; readonly infohash: string; readonly file: number }
  | { readonly page: 'statistics' | 'events' | 'doctor' | 'settings' }
  | ChapterPlace

/** Where the page begins, and what unknown addresses mean. */
export const home: Place = { page: 'downloads', infohash: '', tab: 'overview' }

/** A place in the pages of a chapter; without parts it is where they begin. */
export function chapterPlace(chapter: string, ...parts: readonly string[]): ChapterPlace {
  return { page: 'chapter', chapter, parts }
}

/** The place of an address such as `#/downloads/<infohash>/files`; `chapters`: ids of those that have pages. */
export function placeOf(hash: string, chapters: readonly string[]): Place {
  const [page = '', ...parts] = hash.replace(/^#?\/?/, '').split('/')
  const [infohash = '', rest = ''] = parts
  const known = /^[0-9a-f]{40}$/.test(infohash)
  switch (page) {
    case 'downloads': {
      const tab = detailTabs.find(name => name === rest) ?? 'overview'
      return { page, infohash: known ? infohash : '', tab }
    }
    case 'play':
      return known && /^\d{1,6}$/.test(rest) ? { page, infohash, file: Number(rest) } : home
    case 'statistics':
    case 'events':
    case 'doctor':
    case 'settings':
      return { page }
    default:
      return chapters.includes(page) ? chapterPlace(page, ...parts.map(decoded)) : home
  }
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
    case 'chapter':
      return `#/${[place.chapter, ...place.parts.map(encodeURIComponent)].join('/')}`
    default:
      return `#/${place.page}`
  }
}
