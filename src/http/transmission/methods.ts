// The methods of the RPC by name (specification of Transmission, parts 3 and 4).

import { AppError } from '../../base/errors.ts'
import type { PatchDownload } from '../../services/downloads/downloads-api.ts'
import { type RpcContext, type RpcMethod, type RpcResult, targetsOf } from './rpc-context.ts'
import { eachTorrent } from './each-torrent.ts'
import { freeSpace, groupGet, portTest, sessionClose, sessionGet, sessionSet, sessionStats } from './session-methods.ts'
import { torrentAdd } from './torrent-add.ts'
import { torrentGet } from './torrent-get.ts'
import { torrentSet, torrentSetLocation } from './torrent-set.ts'

const changed =
  (change: PatchDownload): RpcMethod =>
  async (context, args) => {
    const targets = await targetsOf(context, args)
    await eachTorrent(targets, infohash => context.services.downloads.patch(infohash, change))
    return {}
  }

const reannounce: RpcMethod = async (context, args) => {
  const targets = await targetsOf(context, args)
  await eachTorrent(targets, infohash => context.services.downloads.forceAnnounce(infohash))
  return {}
}

const remove: RpcMethod = async (context, args) => {
  const deleteData = args.flag('delete-local-data') ?? false
  const targets = await targetsOf(context, args)
  await eachTorrent(targets, infohash => context.services.downloads.remove(infohash, deleteData))
  return {}
}

// Automation asks for the top as a favour beside adding, and gives the download up when that is refused.
const moveToTop: RpcMethod = async (context, args) => {
  await targetsOf(context, args)
  return {}
}

const FIXED_QUEUE = 'the queue runs in the order of adding, which cannot be changed'

const refused =
  (text: string) =>
  async (_context: RpcContext): Promise<RpcResult> => {
    throw new AppError('InvalidParameter', text)
  }

/** All methods. */
export const rpcMethods: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  ['torrent-get', torrentGet],
  ['torrent-add', torrentAdd],
  ['torrent-set', torrentSet],
  ['torrent-set-location', torrentSetLocation],
  ['torrent-remove', remove],
  ['torrent-start', changed({ state: 'resume' })],
  ['torrent-start-now', changed({ state: 'resume' })],
  ['torrent-stop', changed({ state: 'stop' })],
  ['torrent-verify', changed({ state: 'recheck' })],
  ['torrent-reannounce', reannounce],
  ['torrent-rename-path', refused('files cannot be renamed in this node')],
  ['queue-move-top', moveToTop],
  ['queue-move-up', refused(FIXED_QUEUE)],
  ['queue-move-down', refused(FIXED_QUEUE)],
  ['queue-move-bottom', refused(FIXED_QUEUE)],
  ['session-get', sessionGet],
  ['session-set', sessionSet],
  ['session-stats', sessionStats],
  ['session-close', sessionClose],
  ['port-test', portTest],
  ['free-space', freeSpace],
  ['blocklist-update', refused('there is no blocklist; see the setting network.ip_filter')],
  ['group-get', groupGet],
  ['group-set', refused('there are no bandwidth groups in this node')],
])
