// What users ask of downloads: requests by name. Each rejects with ApiError.

import type { ControlChange, DownloadRecord, Explanation, FileRecord, PatchDownload } from '../../services/api.ts'
import { addressOf } from './api.ts'
import { session } from './context.ts'

/** What is asked for with a new download; absent members take the node's defaults. */
export interface AddOptions {
  readonly destination?: string
  readonly labels?: string[]
  readonly sequential?: boolean
  /** 0 to 3; above 0 only with safe_seeding. */
  readonly anon_hops?: number
  readonly safe_seeding?: boolean
}

/** A file with its signed link. */
export type LinkedFile = FileRecord & { stream_url: string }

/** Requests that run beside each other when many downloads are changed. */
const AT_ONCE = 8

/** Starts a download by a link or a path; its info hash, empty when that comes later. */
export async function addSource(uri: string, options: AddOptions): Promise<string> {
  const source = /^[0-9a-f]{40}$/i.test(uri) ? `magnet:?xt=urn:btih:${uri}` : uri
  const { infohash } = await session.api.ask<{ infohash: string }>('PUT', 'downloads', { uri: source, ...options })
  return infohash
}

/** Starts a download by a torrent file. */
export async function addFile(file: Blob, options: AddOptions): Promise<string> {
  const { destination, labels = [], sequential, anon_hops: hops, safe_seeding: safe } = options
  const query = new URLSearchParams()
  if (destination !== undefined) query.set('destination', destination)
  for (const label of labels) query.append('labels[]', label)
  if (sequential === true) query.set('sequential', '1')
  if (hops !== undefined) query.set('anon_hops', String(hops))
  if (safe !== undefined) query.set('safe_seeding', safe ? '1' : '0')
  const body = new Blob([file], { type: 'application/x-bittorrent' })
  const { infohash } = await session.api.ask<{ infohash: string }>('POST', `downloads?${query}`, body)
  return infohash
}

/** Changes a download. */
export async function change(infohash: string, to: PatchDownload & ControlChange): Promise<void> {
  await session.api.ask('PATCH', `downloads/${infohash}`, to)
}

/** Does the same to many downloads. Rejects with the first failure when all are done. */
export async function each(infohashes: readonly string[], run: (infohash: string) => Promise<unknown>): Promise<void> {
  const waiting = [...infohashes]
  const failures: unknown[] = []
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await run(next).catch((error: unknown) => failures.push(error))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (failures.length > 0) throw failures[0]
}

/** Removes a download, with its files when `data` says so. */
export async function remove(infohash: string, data: boolean): Promise<void> {
  await session.api.ask('DELETE', `downloads/${infohash}`, { remove_data: data })
}

/** A download with its peers and pieces. */
export async function details(infohash: string, signal: AbortSignal): Promise<DownloadRecord> {
  const path = `downloads/${infohash}?get_peers=1&get_pieces=1`
  return (await session.api.ask<{ download: DownloadRecord }>('GET', path, undefined, signal)).download
}

/** Why a download does not move. */
export function explanation(infohash: string, signal: AbortSignal): Promise<Explanation> {
  return session.api.ask<Explanation>('GET', `downloads/${infohash}/explain`, undefined, signal)
}

/** Its files. */
export async function files(infohash: string, signal?: AbortSignal): Promise<LinkedFile[]> {
  const path = `downloads/${infohash}/files`
  return (await session.api.ask<{ files: LinkedFile[] }>('GET', path, undefined, signal)).files
}

/** A link that plays a file anywhere, with the file's own name at its end, which players look at. */
export function playerLink(file: LinkedFile): string {
  const [path = '', token = ''] = file.stream_url.split('?')
  const name = encodeURIComponent(file.name.split('/').at(-1) ?? 'file')
  return addressOf(`${path}/${name}?${token}`)
}

/** A magnet link of a download. */
export async function magnetOf(infohash: string): Promise<string> {
  return (await session.api.ask<{ magnet: string }>('GET', `downloads/${infohash}/magnet`)).magnet
}

/** Saves the torrent file of a download on this machine. */
export function saveTorrent(infohash: string, name: string): Promise<void> {
  return save(`downloads/${infohash}/torrent`, `${name || infohash}.torrent`)
}

/** Saves a playlist of a download, which any player opens without a key. */
export function savePlaylist(infohash: string, name: string): Promise<void> {
  return save(`downloads/${infohash}/playlist.m3u`, `${name || infohash}.m3u`)
}

async function save(path: string, fileName: string): Promise<void> {
  const answer = await session.api.open('GET', path)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = fileName.replaceAll(/[/\\:*?"<>|\p{Cc}]/gu, '_')
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
