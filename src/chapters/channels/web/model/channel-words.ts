// Channels and their torrents in words, and which of them a text narrows a list to. Pure.

import type { Channel, ChannelFeed, ChannelTorrent, TorrentHealth } from '../../client/routes.ts'
import { counted, duration } from '../../../../web/model/format.ts'

/** Who may write beside the owner. */
export type ChannelMode = Channel['mode']

/** Younger than this is `just now`. */
const NOW_S = 10
/** Digits of a key by which people tell authors apart. */
const KEY_DIGITS = 8

/** Who may do what in a channel: choices with what they mean. */
export const modeChoices: readonly { readonly mode: ChannelMode; readonly name: string; readonly help: string }[] = [
  { mode: 'closed', name: 'Closed', help: 'You alone add and comment, and those whom you let.' },
  { mode: 'semi-open', name: 'Semi-open', help: 'You add, and those whom you let. Everybody may comment.' },
  { mode: 'open', name: 'Open', help: 'Everybody may add torrents and comment. You may remove what others added.' },
]

/** The name of a mode. */
export function modeName(mode: ChannelMode): string {
  return modeChoices.find(choice => choice.mode === mode)?.name ?? mode
}

/** A name, or a word for what has none. */
export function named(name: string, kind: 'channel' | 'torrent' | 'playlist'): string {
  return name.trim() === '' ? `Unnamed ${kind}` : name
}

/** `3 min 2 s ago`; empty for what never was. Clocks of others that run ahead are `just now`. */
export function ago(unixSec: number, nowSec: number): string {
  if (unixSec <= 0) return ''
  return nowSec - unixSec < NOW_S ? 'just now' : `${duration(nowSec - unixSec)} ago`
}

/** What is known of a channel, in one line. */
export function channelFacts(channel: Channel, nowSec: number): string {
  const changed = ago(channel.modified, nowSec)
  const parts = [
    counted(channel.torrents, 'torrent'),
    counted(channel.votes, 'subscriber'),
    channel.spam > 0 ? `called spam by ${channel.spam.toLocaleString('en')}` : '',
    changed === '' ? '' : `changed ${changed}`,
  ]
  return parts.filter(part => part !== '').join(' · ')
}

/** How this node stands to a channel, in words; empty where there is nothing to tell. */
export function channelTag(channel: Pick<Channel, 'own' | 'can_edit' | 'subscribed'>): string {
  if (channel.own) return 'Yours'
  const tags = [channel.subscribed ? 'Subscribed' : '', channel.can_edit ? 'You may add' : '']
  return tags.filter(tag => tag !== '').join(' · ')
}

/** Seeders and leechers as they were last found; when nobody looked yet it says so. */
export function healthText(torrent: ChannelTorrent): string {
  if (torrent.last_tracker_check <= 0) return 'not checked'
  return `${torrent.num_seeders.toLocaleString('en')} / ${torrent.num_leechers.toLocaleString('en')}`
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

/** Those that hold every word of `text` in their name or description, in their order. */
export function matching<T extends { readonly name: string; readonly description?: string }>(
  all: readonly T[],
  text: string,
): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
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
export function sourcesIn(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => (/^[0-9a-f]{40}$/i.test(line) ? `magnet:?xt=urn:btih:${line.toLowerCase()}` : line))
}

/** Where a feed stands. */
export function feedText({ last_check: checked, next_check: next, error }: ChannelFeed, nowSec: number): string {
  const again = next > nowSec ? `; read again in ${duration(next - nowSec)}` : ''
  if (error !== '') return `Not read: ${error}${again}`
  return checked <= 0 ? 'Not read yet' : `Read ${ago(checked, nowSec)}${again}`
}

/** Who wrote something: this node, the owner of the channel, or the beginning of a key. */
export function authorText(author: string, { mine, byOwner }: { mine: boolean; byOwner: boolean }): string {
  if (mine) return 'You'
  return byOwner ? 'Owner' : author.slice(0, KEY_DIGITS)
}
