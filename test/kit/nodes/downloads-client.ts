// What interop tests say to a running node, in words: add, watch, stop.

import type { DownloadRecord } from '../../../src/services/api.ts'
import type { NodeProcess } from './node-process.ts'

/** Adds a torrent (path, url or magnet); answers its info hash. */
export async function addDownload(
  node: NodeProcess,
  uri: string,
  destination: string,
  more: object = {},
): Promise<string> {
  const reply = await node.request('PUT', '/downloads', { uri, destination, ...more })
  if (reply.status !== 200) throw new Error(`PUT /downloads: ${reply.status} ${reply.body.toString()}`)
  return reply.json<{ infohash: string }>().infohash
}

/** The download's record now. */
export async function downloadRecord(node: NodeProcess, infoHash: string, query = ''): Promise<DownloadRecord> {
  const { downloads } = await node.get<{ downloads: DownloadRecord[] }>(`/downloads${query}`)
  const found = downloads.find(download => download.infohash === infoHash)
  if (!found) throw new Error(`${infoHash} is not listed`)
  return found
}

/** Waits until the download's record satisfies `done`. */
export async function downloadUntil(
  node: NodeProcess,
  infoHash: string,
  done: (record: DownloadRecord) => boolean,
  limitMs = 120_000,
  query = '',
): Promise<DownloadRecord> {
  const pick = (answer: { downloads: DownloadRecord[] }) => answer.downloads.find(entry => entry.infohash === infoHash)
  const answer = await node.until<{ downloads: DownloadRecord[] }>(
    `/downloads${query}`,
    value => {
      const record = pick(value)
      return record !== undefined && done(record)
    },
    limitMs,
  )
  return pick(answer) as DownloadRecord
}

/** Waits until the download is complete and seeding. */
export function downloadComplete(node: NodeProcess, infoHash: string, limitMs = 120_000): Promise<DownloadRecord> {
  return downloadUntil(node, infoHash, record => record.status === 'DLSTATUS_SEEDING' && record.progress === 1, limitMs)
}
