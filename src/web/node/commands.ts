// What users ask of downloads: requests by name. Each rejects with ApiError.

import { type Signal, signal } from '@preact/signals'
import type {
  CoreRoutes,
  Download,
  DownloadChange,
  DownloadFile,
  DownloadRates,
  GivenLinkRecord,
  WatchingRecord,
} from '../../client/core-routes.ts'
import type { ParametersOf, ReplyOf } from '../../client/routes.ts'
import { reasonWords } from '../model/node-words.ts'
import { type NodeReach, reachIn } from '../model/phone-link.ts'
import { addressOf, ApiError } from './api.ts'
import { session } from './context.ts'

/** What is asked for with a new download; absent members take the node's defaults. */
export type AddOptions = ParametersOf<CoreRoutes, 'POST /downloads'>

type Explanation = ReplyOf<CoreRoutes, 'GET /downloads/{infohash}/explain'>

/** What this page has added last; it may have been there before. */
export const addedLast: Signal<{ readonly infohash: string }> = signal({ infohash: '' })

/** Starts a download by a link or a path; its info hash, empty when that comes later. */
export async function addSource(uri: string, options: AddOptions): Promise<string> {
  const source = /^[0-9a-f]{40}$/i.test(uri) ? `magnet:?xt=urn:btih:${uri}` : uri
  const { infohash } = await session.api.call('PUT /downloads', { parameters: { uri: source, ...options } })
  addedLast.value = { infohash }
  return infohash
}

/** Starts a download by a torrent file. */
export async function addFile(file: Blob, options: AddOptions): Promise<string> {
  const raw = new Blob([file], { type: 'application/x-bittorrent' })
  const { infohash } = await session.api.call('POST /downloads', { parameters: options, raw })
  addedLast.value = { infohash }
  return infohash
}

/** Changes a download. */
export async function change(infohash: string, to: DownloadChange): Promise<void> {
  await session.api.call('PATCH /downloads/{infohash}', { path: { infohash }, parameters: to })
}

/** Removes a download, with its files when `data` says so. */
export async function remove(infohash: string, data: boolean): Promise<void> {
  await session.api.call('DELETE /downloads/{infohash}', { path: { infohash }, parameters: { remove_data: data } })
  session.downloads.removed(infohash)
}

/** A download with its peers and pieces. */
export async function details(infohash: string, signal: AbortSignal): Promise<Download> {
  const parameters = { get_peers: true, get_pieces: true }
  return (await session.api.call('GET /downloads/{infohash}', { path: { infohash }, parameters, signal })).download
}

/** Why a download does not move. */
export async function explanation(infohash: string, signal: AbortSignal): Promise<Explanation> {
  const told = await session.api.call('GET /downloads/{infohash}/explain', { path: { infohash }, signal })
  return { ...told, reasons: told.reasons.map(reason => ({ ...reason, message: reasonWords(reason) })) }
}

/** How fast it was. */
export function ratesOf(infohash: string, range: DownloadRates['range'], signal: AbortSignal): Promise<DownloadRates> {
  return session.api.call('GET /downloads/{infohash}/rates', { path: { infohash }, parameters: { range }, signal })
}

/** Its files. */
export async function files(infohash: string, signal?: AbortSignal): Promise<DownloadFile[]> {
  return (await session.api.call('GET /downloads/{infohash}/files', { path: { infohash }, signal })).files
}

/** Gives a file or folder of it another name on the disk. */
export async function renameFile(infohash: string, path: string, name: string): Promise<void> {
  await session.api.call('PATCH /downloads/{infohash}/files', { path: { infohash }, parameters: { path, name } })
}

/** Where its files were left; none where this key may not know. */
export async function leftAt(infohash: string, signal?: AbortSignal): Promise<WatchingRecord[]> {
  try {
    return (await session.api.call('GET /downloads/{infohash}/watching', { path: { infohash }, signal })).watching
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ScopeMissing') return []
    throw error
  }
}

/** Tells where a film is; also when the page is closed. */
export function tellPlace(infohash: string, fileindex: number, position: number, duration: number | null): void {
  const parameters = duration === null ? { position } : { position, duration }
  const path = { infohash, fileindex }
  session.node.tell(session.api.request('PUT /downloads/{infohash}/watching/{fileindex}', { path, parameters }))
}

/** Marks a file as watched or not. */
export async function markWatched(infohash: string, fileindex: number, watched: boolean): Promise<void> {
  const path = { infohash, fileindex }
  await session.api.call('PUT /downloads/{infohash}/watching/{fileindex}', { path, parameters: { watched } })
}

/** A link that plays a file anywhere, with the file's own name at its end, which players look at. */
export function playerLink(file: DownloadFile): string {
  const [path = '', token = ''] = file.stream_url.split('?')
  const name = encodeURIComponent(file.name.split('/').at(-1) ?? 'file')
  return addressOf(`${path}/${name}?${token}`)
}

/** Gives a link away; `file` null: of the playlist. `days` 0: until it is taken back. */
export function giveLink(
  infohash: string,
  file: number | null,
  link: { readonly name: string; readonly days: number; readonly one_device: boolean },
): Promise<GivenLinkRecord> {
  const parameters = { ...link, infohash, ...(file === null ? {} : { fileindex: file }) }
  return session.api.call('PUT /links', { parameters })
}

/** Links that were given away. */
export async function givenLinks(signal: AbortSignal): Promise<GivenLinkRecord[]> {
  return (await session.api.call('GET /links', { signal })).links
}

/** Takes a link back. */
export async function takeLink(id: string): Promise<void> {
  await session.api.call('DELETE /links/{id}', { path: { id } })
}

/** The whole address of a link. */
export function linkAddress(url: string): string {
  return addressOf(url)
}

/** How others reach the node; null where this key may not know. */
export async function nodeReach(signal: AbortSignal): Promise<NodeReach | null> {
  try {
    const { settings, ports } = await session.api.call('GET /settings', { signal })
    return reachIn(settings, ports)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ScopeMissing') return null
    throw error
  }
}

/** Announces a download to its trackers now. False: nobody was asked, for it does not run or was asked just before. */
export async function announce(infohash: string): Promise<boolean> {
  const path = { infohash }
  return (await session.api.call('PUT /downloads/{infohash}/tracker_force_announce', { path })).forced
}

/** Names of one request: addresses stay short. */
const MAX_ASKED = 500

/** These fields of downloads, with their info hashes; of those that are there. */
export async function fieldsOf<Field extends keyof Download>(
  infohashes: readonly string[],
  fields: readonly Field[],
): Promise<Pick<Download, Field | 'infohash'>[]> {
  const found: Pick<Download, Field | 'infohash'>[] = []
  for (let at = 0; at < infohashes.length; at += MAX_ASKED) {
    const asked = [infohashes.slice(at, at + MAX_ASKED).join(',')]
    const parameters = { infohash: asked, fields: [['infohash', ...fields].join(',')] }
    found.push(...(await session.api.call('GET /downloads', { parameters })).downloads)
  }
  return found
}

/** A magnet link of a download. */
export async function magnetOf(infohash: string): Promise<string> {
  return (await session.api.call('GET /downloads/{infohash}/magnet', { path: { infohash } })).magnet
}

/** The torrent file of a download. */
export function torrentOf(infohash: string): Promise<Response> {
  return session.api.open('GET /downloads/{infohash}/torrent', { path: { infohash } })
}

/** Saves the torrent file of a download on this machine. */
export async function saveTorrent(infohash: string, name: string): Promise<void> {
  await save(await torrentOf(infohash), `${name || infohash}.torrent`)
}

/** Saves a playlist of a download, which any player opens without a key. */
export async function savePlaylist(infohash: string, name: string): Promise<void> {
  const answer = await session.api.open('GET /downloads/{infohash}/playlist.m3u', { path: { infohash } })
  await save(answer, `${name || infohash}.m3u`)
}

async function save(answer: Response, fileName: string): Promise<void> {
  saveBlob(await answer.blob(), fileName)
}

/** Saves a text on this machine. */
export function saveText(text: string, fileName: string, type: string): void {
  saveBlob(new Blob([text], { type }), fileName)
}

/** Saves a file on this machine; what no file system takes of its name is left out. */
export function saveBlob(content: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = fileName.replaceAll(/[/\\:*?"<>|\p{Cc}]/gu, '_')
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
