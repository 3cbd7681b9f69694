// torrent-add (specification of Transmission, part 3.4). Which files are wanted and how badly is said by index.

import type { AddDownload } from '../../services/downloads/downloads-api.ts'
import { AppError } from '../../base/errors.ts'
import { type RpcContext, nowSec, type RpcResult } from './rpc-context.ts'
import { type RpcArguments, wrong } from './rpc-arguments.ts'

/** This node's priorities for low, normal and high, "not fetched", and "as it is". */
export const PRIORITY = { low: 1, normal: 4, high: 7, none: 0, same: -1 } as const

const BASE64 = /^[A-Za-z0-9+/\s]+=*\s*$/

/** The method. `cookies`, `peer-limit` and `bandwidthPriority` have nothing here that they could change. */
export async function torrentAdd(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  const { downloads, callerPaths } = context.services
  const begunSec = nowSec(context)
  const request = requestOf(args)
  const metainfo = args.text('metainfo')
  const uri = args.text('filename')
  let added: { started: boolean; infohash: string }
  if (metainfo !== null && metainfo !== '')
    added = await downloads.addFile(bytesOf(metainfo), await callerPaths.admit(request, context.caller))
  else if (uri !== null && uri !== '')
    added = await downloads.add(await callerPaths.admit({ ...request, uri }, context.caller))
  else throw new AppError('MissingParameter', 'filename or metainfo is missing')
  if (added.infohash === '') throw new AppError('StateConflict', 'no version was found yet; the search goes on')
  return answerFor(context, added.infohash, begunSec)
}

async function answerFor(context: RpcContext, infohash: string, begunSec: number): Promise<RpcResult> {
  const options = { peers: false, pieces: false, files: false, details: true, only: [infohash] }
  for await (const record of context.services.downloads.list(options)) {
    // One that was there is older than the request.
    const kind = record.time_added < begunSec ? 'torrent-duplicate' : 'torrent-added'
    const name = record.details?.root_name ?? record.name
    return { [kind]: { id: context.ids.of(infohash), name, hashString: record.infohash } }
  }
  throw new AppError('DownloadNotFound', 'it was removed at once')
}

function requestOf(args: RpcArguments): Omit<AddDownload, 'uri'> {
  const destination = args.text('download-dir')
  const paused = args.flag('paused')
  const labels = args.texts('labels')
  const priorities = prioritiesOf(args)
  return {
    // This node's default is for requests that name none; clients of this interface know no hops.
    ...(destination !== null && destination !== '' && { destination: absolute('download-dir', destination) }),
    ...(paused === true && { paused }),
    ...(labels !== null && { labels }),
    ...(priorities.length > 0 && { file_priorities: priorities }),
  }
}

/** Priorities of a new torrent up to the last file that something is said of. */
function prioritiesOf(args: RpcArguments): number[] {
  const asked: [number[] | null, number][] = [
    [args.indexes('priority-low'), PRIORITY.low],
    [args.indexes('priority-normal'), PRIORITY.normal],
    [args.indexes('priority-high'), PRIORITY.high],
    [args.indexes('files-unwanted'), PRIORITY.none],
  ]
  const levels: number[] = []
  for (const [indexes, level] of asked) for (const index of indexes ?? []) fillTo(levels, index)[index] = level
  // Wanted: as every file is that nothing else is said of.
  for (const index of args.indexes('files-wanted') ?? []) {
    if (fillTo(levels, index)[index] === PRIORITY.none) levels[index] = PRIORITY.normal
  }
  return levels
}

function fillTo(levels: number[], index: number): number[] {
  while (levels.length <= index) levels.push(PRIORITY.same)
  return levels
}

function bytesOf(metainfo: string): Uint8Array {
  if (!BASE64.test(metainfo)) throw wrong('metainfo', 'a torrent file in base64')
  return Buffer.from(metainfo, 'base64')
}

/** A path from the root; AppError InvalidParameter naming the argument. */
export function absolute(name: string, path: string): string {
  if (!path.startsWith('/')) throw wrong(name, 'an absolute path')
  return path
}
