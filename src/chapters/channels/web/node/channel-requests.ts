// What users ask of channels: requests by name. Each rejects with ApiError.

import type {
  Channel,
  ChannelNetworkState,
  ChannelFeed,
  ChannelsRoutes,
  ChannelTorrent,
  Comment,
  Grant,
  Playlist,
} from '../../client/routes.ts'
import { type ChannelMode, type FoundHealth, largestHealth, magnetFor } from '../model/channel-words.ts'
import { ApiError, NodeApi } from '../../../../web/node/api.ts'
import { addSource } from '../../../../web/node/commands.ts'
import { session } from '../../../../web/node/context.ts'

/** What an owner says of a channel. */
export interface ChannelWords {
  readonly name: string
  readonly description: string
  readonly mode: ChannelMode
}

type Signal = AbortSignal | undefined

const api = new NodeApi<ChannelsRoutes>(session.node)

/** The list of discovered channels and that of subscribed ones, and how the node stands in their network. */
export async function channelListsNow(signal?: Signal): Promise<{
  readonly discovered: readonly Channel[]
  readonly subscribed: readonly Channel[]
  readonly network: ChannelNetworkState
}> {
  const [{ channels, network }, { subscribed }] = await Promise.all([
    api.call('GET /channels/discovered', { signal }),
    api.call('GET /channels/subscribed', { signal }),
  ])
  return { discovered: channels, subscribed, network }
}

/** One channel; null: the node does not know it. */
export async function channelNow(cid: string, signal?: Signal): Promise<Channel | null> {
  try {
    return (await api.call('GET /channels/discovered/{channelid}', { path: { channelid: cid }, signal })).channel
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** Makes a channel; its id (dispersy_cid). */
export async function createChannel(words: ChannelWords): Promise<string> {
  return (await api.call('PUT /channels/discovered', { parameters: words })).dispersy_cid
}

/** Changes name, description or mode of an own channel. */
export async function changeChannel(cid: string, words: Partial<ChannelWords>): Promise<void> {
  await api.call('PATCH /channels/discovered/{channelid}', { path: { channelid: cid }, parameters: words })
}

/** Ends an own channel. */
export async function removeChannel(cid: string): Promise<void> {
  await api.call('DELETE /channels/discovered/{channelid}', { path: { channelid: cid } })
}

/** Subscribes, also to one that nobody here knows yet: then it is looked for. */
export async function subscribe(cid: string): Promise<void> {
  await api.call('PUT /channels/subscribed/{channelid}', { path: { channelid: cid } })
}

/** Takes that back. */
export async function unsubscribe(cid: string): Promise<void> {
  await api.call('DELETE /channels/subscribed/{channelid}', { path: { channelid: cid } })
}

/** Calls a channel spam. */
export async function callSpam(cid: string): Promise<void> {
  const path = { channelid: cid }
  await api.call('PUT /channels/discovered/{channelid}/spam', { path, parameters: { spam: true } })
}

/** With or without the family filter. */
const filterOf = (unfiltered: boolean) => (unfiltered ? { disable_filter: true } : {})

/** Its torrents; `unfiltered`: also what the family filter hides. */
export async function torrentsOf(cid: string, unfiltered: boolean, signal?: Signal): Promise<ChannelTorrent[]> {
  const request = { path: { channelid: cid }, parameters: filterOf(unfiltered), signal }
  return (await api.call('GET /channels/discovered/{channelid}/torrents', request)).torrents
}

/** Adds a torrent by a magnet link or a web address. */
export async function addTorrentSource(cid: string, source: string, description: string): Promise<void> {
  const path = { channelid: cid, torrent: source }
  await api.call('PUT /channels/discovered/{channelid}/torrents/{torrent}', { path, parameters: { description } })
}

/** Adds a torrent file. */
export async function addTorrentFile(cid: string, file: Blob, description: string): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCodePoint(byte)
  const parameters = { torrent: btoa(binary), description }
  await api.call('PUT /channels/discovered/{channelid}/torrents', { path: { channelid: cid }, parameters })
}

/** Removes torrents; the info hashes of those that stayed. */
export async function removeTorrents(cid: string, infohashes: readonly string[]): Promise<string[]> {
  const path = { channelid: cid, torrent: infohashes.join(',') }
  const { failed_torrents: failed = [] } = await api.call(
    'DELETE /channels/discovered/{channelid}/torrents/{torrent}',
    {
      path,
    },
  )
  return failed
}

/** Gives a torrent of the channel another name. */
export async function renameTorrent(cid: string, infohash: string, name: string): Promise<void> {
  const path = { channelid: cid, torrent: infohash }
  await api.call('PATCH /channels/discovered/{channelid}/torrents/{torrent}', { path, parameters: { name } })
}

/**
 * Starts the download of a torrent of a channel, with the trackers the channel tells; results of a search bring them.
 */
export async function downloadTorrent(
  torrent: Pick<ChannelTorrent, 'infohash' | 'name'> & { readonly trackers?: readonly string[] },
): Promise<void> {
  const trackers = torrent.trackers ?? (await trackersOf(torrent.infohash))
  await addSource(magnetFor(torrent, trackers), {})
}

/** None when the node cannot tell: without trackers a magnet link is as good, only slower. */
async function trackersOf(infohash: string): Promise<readonly string[]> {
  const told = await api.call('GET /torrents/{infohash}', { path: { infohash } }).catch(() => null)
  return told?.torrent.trackers ?? []
}

/** Asks trackers and the DHT how many seeders and leechers a torrent has; null: nobody told. */
export async function checkHealth(infohash: string): Promise<FoundHealth | null> {
  const request = { path: { infohash }, parameters: { refresh: true } }
  const { health } = await api.call('GET /torrents/{infohash}/health', request)
  return largestHealth(health)
}

/** A link under which feed readers find the channel, without a key. */
export async function feedLinkOf(cid: string): Promise<string> {
  return (await api.call('GET /channels/discovered/{channelid}/feedlinks', { path: { channelid: cid } })).atom_url
}

/** Its playlists. */
export async function playlistsOf(cid: string, unfiltered: boolean, signal?: Signal): Promise<Playlist[]> {
  const request = { path: { channelid: cid }, parameters: filterOf(unfiltered), signal }
  return (await api.call('GET /channels/discovered/{channelid}/playlists', request)).playlists
}

/** Makes a playlist, or with an id changes one. */
export async function savePlaylist(cid: string, id: number | null, name: string, description: string): Promise<void> {
  const parameters = { name, description }
  const path = { channelid: cid }
  if (id === null) await api.call('PUT /channels/discovered/{channelid}/playlists', { path, parameters })
  else {
    const one = { ...path, playlistid: id }
    await api.call('POST /channels/discovered/{channelid}/playlists/{playlistid}', { path: one, parameters })
  }
}

/** Removes a playlist; its torrents stay in the channel. */
export async function removePlaylist(cid: string, id: number): Promise<void> {
  const path = { channelid: cid, playlistid: id }
  await api.call('DELETE /channels/discovered/{channelid}/playlists/{playlistid}', { path })
}

/** Puts a torrent of the channel into a playlist. */
export async function addToPlaylist(cid: string, id: number, infohash: string): Promise<void> {
  const path = { channelid: cid, playlistid: id, infohash }
  await api.call('PUT /channels/discovered/{channelid}/playlists/{playlistid}/{infohash}', { path })
}

/** Takes it out. */
export async function removeFromPlaylist(cid: string, id: number, infohash: string): Promise<void> {
  const path = { channelid: cid, playlistid: id, infohash }
  await api.call('DELETE /channels/discovered/{channelid}/playlists/{playlistid}/{infohash}', { path })
}

/** What people say of a channel and its torrents. */
export async function commentsOf(cid: string, signal?: Signal): Promise<Comment[]> {
  const path = { channelid: cid }
  return (await api.call('GET /channels/discovered/{channelid}/comments', { path, signal })).comments
}

/** Says something of the channel, or of a torrent of it. */
export async function addComment(cid: string, text: string, infohash: string | null): Promise<void> {
  const parameters = { text, ...(infohash === null ? {} : { infohash }) }
  await api.call('PUT /channels/discovered/{channelid}/comments', { path: { channelid: cid }, parameters })
}

/** Takes a comment away. */
export async function removeComment(cid: string, id: number): Promise<void> {
  const path = { channelid: cid, commentid: id }
  await api.call('DELETE /channels/discovered/{channelid}/comments/{commentid}', { path })
}

/** The key under which this node writes in channels of others. */
export async function authorKey(signal?: Signal): Promise<string> {
  return (await api.call('GET /channels/author', { signal })).author
}

/** Who may write in an own channel. */
export async function grantsOf(cid: string, signal?: Signal): Promise<Grant[]> {
  const path = { channelid: cid }
  return (await api.call('GET /channels/discovered/{channelid}/grants', { path, signal })).grants
}

/** Lets somebody write; with neither it is taken back. */
export async function grant(cid: string, contributor: string, add: boolean, moderate: boolean): Promise<void> {
  const parameters = { contributor, add, moderate }
  await api.call('PUT /channels/discovered/{channelid}/grants', { path: { channelid: cid }, parameters })
}

/** Feeds whose torrents go into an own channel. */
export async function feedsOf(cid: string, signal?: Signal): Promise<ChannelFeed[]> {
  const path = { channelid: cid }
  return (await api.call('GET /channels/discovered/{channelid}/rssfeeds', { path, signal })).rssfeeds
}

/** Adds a feed. */
export async function addFeed(cid: string, url: string): Promise<void> {
  await api.call('PUT /channels/discovered/{channelid}/rssfeeds/{url}', { path: { channelid: cid, url } })
}

/** Removes a feed; what it brought stays. */
export async function removeFeed(cid: string, url: string): Promise<void> {
  await api.call('DELETE /channels/discovered/{channelid}/rssfeeds/{url}', { path: { channelid: cid, url } })
}

/** Reads all feeds of a channel now; settles when each was read once. */
export async function recheckFeeds(cid: string): Promise<void> {
  await api.call('POST /channels/discovered/{channelid}/recheckfeeds', { path: { channelid: cid } })
}

/** Starts a search; results come as events. */
export async function search(words: string, signal: AbortSignal): Promise<void> {
  await api.call('GET /search', { parameters: { q: words }, signal })
}

/** How a search that was begun may go on. */
export async function completions(text: string, signal: AbortSignal): Promise<string[]> {
  return (await api.call('GET /search/completions', { parameters: { q: text }, signal })).completions
}
