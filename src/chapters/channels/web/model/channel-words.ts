// Channels and their torrents in words, and which of them a text narrows a list to. Pure.

import type { Channel, ChannelTorrent, TorrentHealth } from '../../client/routes.ts'
import { duration, whole } from '../../../../web/model/format.ts'
import { text } from '../texts/channels.ts'

/** Who may write beside the owner. */
export type ChannelMode = Channel['mode']

/** Younger than this is `just now`. */
const NOW_S = 10
const unnamed = {
  channel: text('unnamedChannel'),
  torrent: text('unnamedTorrent'),
  playlist: text('unnamedPlaylist'),
} as const

/** A name, or a word for what has none. */
export function named(name: string, kind: keyof typeof unnamed): string {
  return name.trim() === '' ? unnamed[kind] : name
}

/** `3 min 2 s ago`; empty for what never was. Clocks of others that run ahead are `just now`. */
export function ago(unixSec: number, nowSec: number): string {
  if (unixSec <= 0) return ''
  return nowSec - unixSec < NOW_S ? text('justNow') : text('ago', { time: duration(nowSec - unixSec) })
}

/** `3 torrents`. */
export function countedTorrents(count: number): string {
  return text('torrentCount', { count })
}

/** What is known of a channel, in one line. */
export function channelFacts(channel: Channel, nowSec: number): string {
  const when = ago(channel.modified, nowSec)
  const parts = [
    countedTorrents(channel.torrents),
    text('subscribers', { count: channel.votes }),
    channel.spam > 0 ? text('spamReports', { count: channel.spam }) : '',
    when === '' ? '' : text('changed', { when }),
  ]
  return parts.filter(part => part !== '').join(' · ')
}

/** How this node stands to a channel, in words; empty where there is nothing to tell. */
export function channelTag(channel: Pick<Channel, 'own' | 'can_edit' | 'subscribed'>): string {
  if (channel.own) return text('own')
  const tags = [channel.subscribed ? text('subscribed') : '', channel.can_edit ? text('mayAdd') : '']
  return tags.filter(tag => tag !== '').join(' · ')
}

/** Seeders and leechers as they were last found; when nobody looked yet it says so. */
export function healthText(torrent: ChannelTorrent): string {
  if (torrent.last_tracker_check <= 0) return text('notChecked')
  return `${whole(torrent.num_seeders)} / ${whole(torrent.num_leechers)}`
}

/** Seeders and leechers of a swarm. */
export interface FoundHealth {
  readonly seeders: number
  readonly leechers: number
}

/** The largest counts that anybody told, as the node keeps them; null: nobody did. */
export function largestHealth(answer: TorrentHealth): FoundHealth | null {
  const rows = Object.values(answer).flatMap(told => ('error' in told ? [] : told))
  if (rows.length === 0) return null
  const most = (of: keyof FoundHealth) => Math.max(...rows.map(row => row[of]))
  return { seeders: most('seeders'), leechers: most('leechers') }
}

/** Those that hold every word of `typed` in their name or description, in their order. */
export function matching<T extends { readonly name: string; readonly description?: string }>(
  all: readonly T[],
  typed: string,
): readonly T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return all
  return all.filter(one => {
    const content = `${one.name} ${one.description ?? ''}`.toLowerCase()
    return words.every(word => content.includes(word))
  })
}

/** Own channels of both lists, each once, by name. */
export function ownAmong(...lists: readonly (readonly Channel[])[]): Channel[] {
  const own = new Map(lists.flat().flatMap(channel => (channel.own ? [[channel.dispersy_cid, channel] as const] : [])))
  return [...own.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** A link that starts the download of a torrent. */
export function magnetFor(
  torrent: Pick<ChannelTorrent, 'infohash' | 'name'>,
  trackers: readonly string[] = [],
): string {
  const parts = [
    `xt=urn:btih:${torrent.infohash}`,
    ...(torrent.name === '' ? [] : [`dn=${encodeURIComponent(torrent.name)}`]),
    ...trackers.map(tracker => `tr=${encodeURIComponent(tracker)}`),
  ]
  return `magnet:?${parts.join('&')}`
}

/** Lines of a text as sources of torrents; a bare info hash is a magnet link. */
export function sourcesIn(lines: string): string[] {
  return lines
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => (/^[0-9a-f]{40}$/i.test(line) ? `magnet:?xt=urn:btih:${line.toLowerCase()}` : line))
}
