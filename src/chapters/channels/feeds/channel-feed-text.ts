// A channel written as a feed, so that readers and other BitTorrent clients can subscribe to it: Atom (RFC 4287) or RSS
// 2.0 with magnet links as link and enclosure, which is where clients look. Pure; the same torrents give the same text.

import { createHash } from 'node:crypto'
import type { InfoHash } from '../../../base/ids.ts'
import type { ListedChannel, NewestTorrent } from '../ports/channel-library.ts'
import { formatMagnet } from '../../../wire/metainfo/magnet.ts'
import { escapeXml } from '../../../wire/net/small-xml.ts'
import type { FeedFormat, FeedText } from './feeds-api.ts'

/** What a feed is made of. */
export interface ChannelFeed {
  readonly channel: Pick<ListedChannel, 'dispersy_cid' | 'name' | 'description' | 'modified'>
  /** The newest first. */
  readonly torrents: readonly NewestTorrent[]
  readonly format: FeedFormat
  /** Where readers find it. */
  readonly self: string
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const TORRENT_TYPE = 'application/x-bittorrent'

/**
 * A channel written as a feed, so that readers and other BitTorrent clients can subscribe to it: Atom (RFC 4287) or RSS
 * 2.0 with magnet links as link and enclosure, which is where clients look.
 */
export function channelFeedText(feed: ChannelFeed): FeedText {
  const text = HEAD + (feed.format === 'atom' ? atom(feed) : rss(feed))
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  return { contentType: `application/${feed.format}+xml; charset=utf-8`, text, etag }
}

function atom({ channel, torrents, self }: ChannelFeed): string {
  const entries = torrents.map(torrent => {
    const magnet = magnetOf(torrent)
    const time = element('updated', iso(torrent.time)) + element('published', iso(torrent.time))
    const links = `<link rel="alternate" href="${magnet}"/><link rel="enclosure" type="${TORRENT_TYPE}" length="${torrent.size}" href="${magnet}"/>`
    const category = `<category term="${escapeXml(torrent.category)}"/>`
    return `<entry>${named('id', torrent)}${element('title', torrent.name)}${time}${links}${category}${element('summary', torrent.description)}</entry>\n`
  })
  const { name, description, modified, dispersy_cid: cid } = channel
  const head = `${element('id', `urn:sha1:${cid}`)}${element('title', name)}${element('subtitle', description)}`
  const about = `${head}${element('updated', iso(modified))}<author><name>${escapeXml(name)}</name></author>`
  const link = `<link rel="self" href="${escapeXml(self)}"/>`
  return `<feed xmlns="http://www.w3.org/2005/Atom">${about}${link}\n${entries.join('')}</feed>\n`
}

function rss({ channel, torrents, self }: ChannelFeed): string {
  const items = torrents.map(torrent => {
    const magnet = magnetOf(torrent)
    const guid = `<guid isPermaLink="false">urn:btih:${torrent.infohash}</guid>`
    const enclosure = `<enclosure type="${TORRENT_TYPE}" length="${torrent.size}" url="${magnet}"/>`
    const more = element('category', torrent.category) + element('description', torrent.description)
    return `<item>${guid}${element('title', torrent.name)}<link>${magnet}</link>${element('pubDate', date(torrent.time))}${enclosure}${more}</item>\n`
  })
  const { name, description, modified } = channel
  const about = `${element('title', name)}<link>${escapeXml(self)}</link>${element('description', description)}`
  return `<rss version="2.0"><channel>${about}${element('lastBuildDate', date(modified))}\n${items.join('')}</channel></rss>\n`
}

function magnetOf({ infohash, name, trackers }: NewestTorrent): string {
  return escapeXml(formatMagnet({ infoHash: infohash as InfoHash, name, trackers }))
}

function named(tag: string, { infohash }: NewestTorrent): string {
  return element(tag, `urn:btih:${infohash}`)
}

function element(tag: string, text: string): string {
  return text === '' && tag === 'summary' ? '' : `<${tag}>${escapeXml(text)}</${tag}>`
}

function iso(timeS: number): string {
  return new Date(timeS * 1000).toISOString().replace('.000Z', 'Z')
}

function date(timeS: number): string {
  return new Date(timeS * 1000).toUTCString()
}
