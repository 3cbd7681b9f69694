// torrent-rename-path (specification of Transmission, part 3.7): its paths begin with the name of the torrent's folder.

import { AppError } from '../../base/errors.ts'
import { type RpcContext, type RpcResult, targetsOf } from './rpc-context.ts'
import type { RpcArguments } from './rpc-arguments.ts'

/** `torrent-rename-path`, of one torrent. */
export async function torrentRenamePath(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  const [path, name] = [args.text('path'), args.text('name')]
  if (path === null || name === null) throw new AppError('MissingParameter', 'path and name are needed')
  const [infohash, ...others] = await targetsOf(context, args)
  if (infohash === undefined || others.length > 0)
    throw new AppError('InvalidParameter', 'ids must name one torrent, whose file or folder is renamed')
  const { downloads } = context.services
  const details = { peers: false, pieces: false, files: false, details: true }
  const record = await downloads.record(infohash, details)
  const [root, ...below] = path.split('/')
  if (root !== (record.details?.root_name ?? record.name))
    throw new AppError('InvalidParameter', 'path must begin with the name of the torrent')
  await downloads.renameFile(infohash, { path: below.join('/'), name })
  return { path, name, id: context.ids.of(infohash) }
}
