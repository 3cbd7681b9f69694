// RSS 0.9 to 2.0 and Atom (RFC 4287), read from hostile bytes: which items there are and where their torrents may lie.

import { DecodeError } from '../../../../base/errors.ts'
import { plainLine } from '../../../../wire/plain-text.ts'
import { feedText } from './feed-text.ts'
import { itemSources } from './item-sources.ts'
import { type FeedDocument, type FeedItem, MAX_FEED_ITEMS_READ, type ParsedFeed } from './types.ts'
import { decodeEntities, type XmlNode, type XmlValue, xmlTree } from './xml-tree.ts'

const MAX_KEY_CHARACTERS = 2_048
const MAX_TITLE_BYTES = 1_024
/** Of the markup that a description is read from. */
const MAX_MARKUP_CHARACTERS = 8_192
const MAX_DESCRIPTION_BYTES = 3_072

/** Reads a feed. Throws DecodeError with what is wrong with it. */
export function parseFeed(document: FeedDocument): ParsedFeed {
  const { name, root } = xmlTree(feedText(document.bytes, document.contentType))
  const [channel, elements] = partsOf(name, root)
  const items = elements
    .slice(0, MAX_FEED_ITEMS_READ)
    .filter(element => typeof element === 'object')
    .map(element => itemOf(element, document.url))
  return { title: titleOf(channel), items: items.filter(item => item !== null) }
}

/** What has the title, and the items. */
function partsOf(name: string, root: XmlNode): [XmlNode, readonly XmlValue[]] {
  if (name === 'feed') return [root, listOf(root['entry'])]
  const channel = listOf(root['channel']).find(value => typeof value === 'object') ?? {}
  if (name === 'rss') return [channel, listOf(channel['item'])]
  if (name === 'RDF') return [channel, listOf(root['item'])]
  throw new DecodeError('it is neither RSS nor Atom')
}

function itemOf(element: XmlNode, base: string): FeedItem | null {
  const sources = itemSources(element, base)
  const [first] = sources
  if (first === undefined) return null
  const link = listOf(element['link'])[0]
  const named = textOf(element['guid']) || textOf(element['id']) || attribute(element, 'about')
  const linked = link === undefined ? '' : textOf(link) || (typeof link === 'object' ? attribute(link, 'href') : '')
  return {
    key: (named || linked || first).slice(0, MAX_KEY_CHARACTERS),
    title: titleOf(element),
    description: descriptionOf(element),
    sources,
  }
}

function titleOf(element: XmlNode): string {
  return plainLine(withoutMarkup(textOf(element['title'])), MAX_TITLE_BYTES) ?? ''
}

function descriptionOf(element: XmlNode): string {
  const text = ['description', 'summary', 'content', 'encoded'].map(name => textOf(element[name])).find(Boolean) ?? ''
  return plainLine(withoutMarkup(text), MAX_DESCRIPTION_BYTES) ?? ''
}

/** Markup is escaped in most feeds, and its own entities with it. */
function withoutMarkup(text: string): string {
  const bare = text.slice(0, MAX_MARKUP_CHARACTERS).replace(/<[^<>]*>/g, ' ')
  return decodeEntities(bare).replace(/\s+/g, ' ')
}

/** The elements of one name. */
export function listOf(value: XmlValue | readonly XmlValue[] | undefined): readonly XmlValue[] {
  if (value === undefined) return []
  return isList(value) ? value : [value]
}

/** The text of the first element that has some. */
export function textOf(value: XmlValue | readonly XmlValue[] | undefined): string {
  for (const element of listOf(value)) {
    const text = typeof element === 'string' ? element : element['#text']
    if (typeof text === 'string' && text.trim() !== '') return text.trim()
  }
  return ''
}

/** An attribute; '' = there is none. */
export function attribute(element: XmlNode, name: string): string {
  const value = element[`@${name}`]
  return typeof value === 'string' ? value.trim() : ''
}

function isList(value: XmlValue | readonly XmlValue[]): value is readonly XmlValue[] {
  return Array.isArray(value)
}
