// What users ask of channels: requests by name. Each rejects with ApiError.

import type {
  ListedChannel,
  ListedComment,
  ListedGrant,
  ListedPlaylist,
  ListedTorrent,
} from '../../ports/channel-library.ts'
import {
  type ChannelMode,
  type FeedRow,
  type FoundHealth,
  type HealthAnswer,
  largestHealth,
  magnetFor,
} from '../model/channel-words.ts'
import { ApiError, type Method } from '../../../../web/node/api.ts'
import { addSource } from '../../../../web/node/commands.ts'
import { session } from '../../../../web/node/context.ts'

/** What an owner says of a channel. */
export interface ChannelWords {
  readonly name: string
  readonly description: string
  readonly mode: ChannelMode
}

type Signal = AbortSignal | undefined

const at = (cid: string, rest = '') => `channels/discovered/${cid}${rest}`

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it expects
function ask<T>(method: Method, path: string, body?: object, signal?: Signal): Promise<T> {
  return session.api.ask<T>(method, path, body, signal)
}

/** The list of discovered channels and that of subscribed ones. */
export async function channelListsNow(signal?: Signal): Promise<{
  readonly discovered: readonly ListedChannel[]
  readonly subscribed: readonly ListedChannel[]
}> {
  const [{ channels }, { subscribed }] = await Promise.all([
    ask<{ channels: ListedChannel[] }>('GET', 'channels/discovered', undefined, signal),
    ask<{ subscribed: ListedChannel[] }>('GET', 'channels/subscribed', undefined, signal),
  ])
  return { discovered: channels, subscribed }
}

/** One channel; null: the node does not know it. */
export async function channelNow(cid: string, signal?: Signal): Promise<ListedChannel | null> {
  try {
    return (await ask<{ channel: ListedChannel }>('GET', at(cid), undefined, signal)).channel
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** Makes a channel; its id (dispersy_cid). */
export async function createChannel(words: ChannelWords): Promise<string> {
  return (await ask<{ dispersy_cid: string }>('PUT', 'channels/discovered', words)).dispersy_cid
}

/** Changes name, description or mode of an own channel. */
export async function changeChannel(cid: string, words: Partial<ChannelWords>): Promise<void> {
  await ask('PATCH', at(cid), words)
}

/** Ends an own channel. */
export async function removeChannel(cid: string): Promise<void> {
  await ask('DELETE', at(cid))
}

/** Subscribes, also to one that nobody here knows yet: then it is looked for. */
export async function subscribe(cid: string): Promise<void> {
  await ask('PUT', `channels/subscribed/${cid}`, {})
}

/** Takes that back. */
export async function unsubscribe(cid: string): Promise<void> {
  await ask('DELETE', `channels/subscribed/${cid}`)
}

/** Calls a channel spam. */
export async function callSpam(cid: string): Promise<void> {
  await ask('PUT', at(cid, '/spam'), { spam: true })
}

/** Its torrents; `unfiltered`: also what the family filter hides. */
export async function torrentsOf(cid: string, unfiltered: boolean, signal?: Signal): Promise<ListedTorrent[]> {
  const path = at(cid, `/torrents${unfiltered ? '?disable_filter=1' : ''}`)
  return (await ask<{ torrents: ListedTorrent[] }>('GET', path, undefined, signal)).torrents
}

/** Adds a torrent by a magnet link or a web address. */
export async function addTorrentSource(cid: string, source: string, description: string): Promise<void> {
  await ask('PUT', at(cid, `/torrents/${encodeURIComponent(source)}`), { description })
}

/** Adds a torrent file. */
export async function addTorrentFile(cid: string, file: Blob, description: string): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCodePoint(byte)
  await ask('PUT', at(cid, '/torrents'), { torrent: btoa(binary), description })
}

/** Removes torrents; the info hashes of those that stayed. */
export async function removeTorrents(cid: string, infohashes: readonly string[]): Promise<string[]> {
  const path = at(cid, `/torrents/${infohashes.join(',')}`)
  return (await ask<{ failed_torrents?: string[] }>('DELETE', path)).failed_torrents ?? []
}

/** Gives a torrent of the channel another name. */
export async function renameTorrent(cid: string, infohash: string, name: string): Promise<void> {
  await ask('PATCH', at(cid, `/torrents/${infohash}`), { name })
}

/**
 * Starts the download of a torrent of a channel, with the trackers the channel tells; results of a search bring them.
 */
export async function downloadTorrent(
  torrent: Pick<ListedTorrent, 'infohash' | 'name'> & { readonly trackers?: readonly string[] },
): Promise<void> {
  const trackers = torrent.trackers ?? (await trackersOf(torrent.infohash))
  await addSource(magnetFor(torrent, trackers), {})
}

/** None when the node cannot tell: without trackers a magnet link is as good, only slower. */
async function trackersOf(infohash: string): Promise<readonly string[]> {
  const told = await ask<{ torrent: { trackers: string[] } }>('GET', `torrents/${infohash}`).catch(() => null)
  return told?.torrent.trackers ?? []
}

/** Asks trackers and the DHT how many seeders and leechers a torrent has; null: nobody told. */
export async function checkHealth(infohash: string): Promise<FoundHealth | null> {
  const { health } = await ask<{ health: HealthAnswer }>('GET', `torrents/${infohash}/health?refresh=1`)
  return largestHealth(health)
}

/** A link under which feed readers find the channel, without a key. */
export async function feedLinkOf(cid: string): Promise<string> {
  return (await ask<{ atom_url: string }>('GET', at(cid, '/feedlinks'))).atom_url
}

/** Its playlists. */
export async function playlistsOf(cid: string, unfiltered: boolean, signal?: Signal): Promise<ListedPlaylist[]> {
  const path = at(cid, `/playlists${unfiltered ? '?disable_filter=1' : ''}`)
  return (await ask<{ playlists: ListedPlaylist[] }>('GET', path, undefined, signal)).playlists
}

/** Makes a playlist, or with an id changes one. */
export async function savePlaylist(cid: string, id: number | null, name: string, description: string): Promise<void> {
  const words = { name, description }
  if (id === null) await ask('PUT', at(cid, '/playlists'), words)
  else await ask('POST', at(cid, `/playlists/${id}`), words)
}

/** Removes a playlist; its torrents stay in the channel. */
export async function removePlaylist(cid: string, id: number): Promise<void> {
  await ask('DELETE', at(cid, `/playlists/${id}`))
}

/** Puts a torrent of the channel into a playlist. */
export async function addToPlaylist(cid: string, id: number, infohash: string): Promise<void> {
  await ask('PUT', at(cid, `/playlists/${id}/${infohash}`), {})
}

/** Takes it out. */
export async function removeFromPlaylist(cid: string, id: number, infohash: string): Promise<void> {
  await ask('DELETE', at(cid, `/playlists/${id}/${infohash}`))
}

/** What people say of a channel and its torrents. */
export async function commentsOf(cid: string, signal?: Signal): Promise<ListedComment[]> {
  return (await ask<{ comments: ListedComment[] }>('GET', at(cid, '/comments'), undefined, signal)).comments
}

/** Says something of the channel, or of a torrent of it. */
export async function addComment(cid: string, text: string, infohash: string | null): Promise<void> {
  await ask('PUT', at(cid, '/comments'), { text, ...(infohash === null ? {} : { infohash }) })
}

/** Takes a comment away. */
export async function removeComment(cid: string, id: number): Promise<void> {
  await ask('DELETE', at(cid, `/comments/${id}`))
}

/** The key under which this node writes in channels of others. */
export async function authorKey(signal?: Signal): Promise<string> {
  return (await ask<{ author: string }>('GET', 'channels/author', undefined, signal)).author
}

/** Who may write in an own channel. */
export async function grantsOf(cid: string, signal?: Signal): Promise<ListedGrant[]> {
  return (await ask<{ grants: ListedGrant[] }>('GET', at(cid, '/grants'), undefined, signal)).grants
}

/** Lets somebody write; with neither it is taken back. */
export async function grant(cid: string, contributor: string, add: boolean, moderate: boolean): Promise<void> {
  await ask('PUT', at(cid, '/grants'), { contributor, add, moderate })
}

/** Feeds whose torrents go into an own channel. */
export async function feedsOf(cid: string, signal?: Signal): Promise<FeedRow[]> {
  return (await ask<{ rssfeeds: FeedRow[] }>('GET', at(cid, '/rssfeeds'), undefined, signal)).rssfeeds
}

/** Adds a feed. */
export async function addFeed(cid: string, url: string): Promise<void> {
  await ask('PUT', at(cid, `/rssfeeds/${encodeURIComponent(url)}`), {})
}

/** Removes a feed; what it brought stays. */
export async function removeFeed(cid: string, url: string): Promise<void> {
  await ask('DELETE', at(cid, `/rssfeeds/${encodeURIComponent(url)}`))
}

/** Reads all feeds of a channel now; settles when each was read once. */
export async function recheckFeeds(cid: string): Promise<void> {
  await ask('POST', at(cid, '/recheckfeeds'), {})
}

/** Starts a search; results come as events. */
export async function search(words: string, signal: AbortSignal): Promise<void> {
  await ask('GET', `search?q=${encodeURIComponent(words)}`, undefined, signal)
}

/** How a search that was begun may go on. */
export async function completions(text: string, signal: AbortSignal): Promise<string[]> {
  const path = `search/completions?q=${encodeURIComponent(text)}`
  return (await ask<{ completions: string[] }>('GET', path, undefined, signal)).completions
}
