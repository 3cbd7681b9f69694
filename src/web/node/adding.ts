// What the dialog for adding asks of the node. Each rejects with ApiError.

import type { CoreRoutes } from '../../client/core-routes.ts'
import type { ReplyOf } from '../../client/routes.ts'
import { session } from './context.ts'

/** What a torrent has in it. */
export type TorrentFiles = ReplyOf<CoreRoutes, 'GET /torrentinfo/files'>

/** A folder of the node. */
export type NodeFolder = ReplyOf<CoreRoutes, 'GET /folders'>

/** The files behind a link: the node asks others for them. `hops` -1: as many as a new download has. */
export function filesBehind(uri: string, hops: number, signal: AbortSignal): Promise<TorrentFiles> {
  const torrent = /^[0-9a-f]{40}$/i.test(uri) ? `magnet:?xt=urn:btih:${uri}` : uri
  const parameters = { torrent, ...(hops < 0 ? {} : { anon_hops: hops }) }
  return session.api.call('GET /torrentinfo/files', { parameters, signal })
}

/** The files of a torrent file of this machine. */
export function filesIn(file: Blob, signal: AbortSignal): Promise<TorrentFiles> {
  const raw = new Blob([file], { type: 'application/x-bittorrent' })
  return session.api.call('POST /torrentinfo/files', { raw, signal })
}

/** Whether there is a download of this info hash. */
export async function isKnown(infohash: string, signal: AbortSignal): Promise<boolean> {
  const parameters = { filter: infohash, limit: 1, fields: ['infohash'] }
  return (await session.api.call('GET /downloads', { parameters, signal })).downloads.length > 0
}

/** A folder of the node, and the room there; '' = where new downloads go. */
export function folderAt(path: string, signal: AbortSignal): Promise<NodeFolder> {
  return session.api.call('GET /folders', { parameters: path === '' ? {} : { path }, signal })
}
