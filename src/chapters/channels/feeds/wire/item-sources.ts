// Where the torrent of a feed's item may lie: enclosures, magnet links, links, as feeds in the field have them, the
// likeliest first. What is plainly something else (a picture, a podcast's sound) is passed over.

import { formatMagnet } from '../../../../wire/metainfo/magnet.ts'
import { parseInfoHash } from '../../../../base/ids.ts'
import type { XmlNode, XmlValue } from './xml-tree.ts'

/** Sources of one item that are worth trying. */
const MAX_SOURCES = 4
/** Elements of one name that are looked at. */
const MAX_ELEMENTS = 16
const MAX_URL_CHARACTERS = 8_192

const TORRENT_TYPE = /^application\/x-bittorrent\b/i
const OTHER_TYPE = /^(audio|video|image|font)\//i

interface Source {
  readonly url: string
  /** The lowest is tried first. */
  readonly rank: number
}

/** The sources of an item or entry, absolute; `base`: the address of the feed. */
export function itemSources(item: XmlNode, base: string): string[] {
  const sources: Source[] = [
    ...elements(item, 'enclosure').flatMap(node => linked(node, 'url', base)),
    ...groups(item).flatMap(group => elements(group, 'content').flatMap(node => linked(node, 'url', base))),
    ...elements(item, 'link').flatMap(node => linkOf(node, base)),
    ...['magnetURI', 'magnet', 'guid', 'comments'].flatMap(name => texts(item, name).flatMap(magnetOnly)),
    ...texts(item, 'torrent').flatMap(text => sourceAt(text, '', base)),
    ...texts(item, 'infoHash').flatMap(hashOnly),
  ]
  const sorted = sources.toSorted((a, b) => a.rank - b.rank).map(({ url }) => url)
  return [...new Set(sorted)].slice(0, MAX_SOURCES)
}

function linked(node: XmlNode, name: string, base: string): Source[] {
  return sourceAt(plain(node[`@${name}`]), plain(node['@type']), base)
}

/** RSS has the address as text, Atom as `href` with a relation. */
function linkOf(node: XmlNode, base: string): Source[] {
  const relation = plain(node['@rel'])
  if (relation !== '' && relation !== 'alternate' && relation !== 'enclosure') return []
  const href = plain(node['@href']) || plain(node['#text'])
  return sourceAt(href, plain(node['@type']), base)
}

function sourceAt(text: string, type: string, base: string): Source[] {
  if (text === '' || text.length > MAX_URL_CHARACTERS) return []
  if (/^magnet:\?/i.test(text)) return [{ url: text, rank: 1 }]
  const url = URL.parse(text, base)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return []
  if (TORRENT_TYPE.test(type)) return [{ url: url.href, rank: 0 }]
  if (OTHER_TYPE.test(type)) return []
  return [{ url: url.href, rank: /\.torrent$/i.test(url.pathname) ? 2 : 3 }]
}

function magnetOnly(text: string): Source[] {
  return /^magnet:\?/i.test(text) && text.length <= MAX_URL_CHARACTERS ? [{ url: text, rank: 1 }] : []
}

/** Some feeds tell the info hash; without trackers, so it comes last. */
function hashOnly(text: string): Source[] {
  const infoHash = parseInfoHash(text.toLowerCase())
  return infoHash === null ? [] : [{ url: formatMagnet({ infoHash }), rank: 4 }]
}

/** Media RSS has `content` alone or in a group. */
function groups(item: XmlNode): readonly XmlNode[] {
  return [item, ...elements(item, 'group')]
}

/** The elements of a name, each as a node. */
function elements(item: XmlNode, name: string): readonly XmlNode[] {
  const value = item[name]
  if (value === undefined) return []
  const list: readonly XmlValue[] = Array.isArray(value) ? (value as readonly XmlValue[]) : [value as XmlValue]
  return list.slice(0, MAX_ELEMENTS).map(element => (typeof element === 'string' ? { '#text': element } : element))
}

function texts(item: XmlNode, name: string): readonly string[] {
  return elements(item, name).map(element => plain(element['#text']))
}

function plain(value: XmlValue | readonly XmlValue[] | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}
