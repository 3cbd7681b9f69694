// The methods of the RPC by name (specification of Transmission, parts 3 and 4).

import { AppError } from '../../base/errors.ts'
import type { PatchDownload } from '../../services/downloads/downloads-api.ts'
import { type RpcContext, type RpcMethod, type RpcResult, targetsOf } from './rpc-context.ts'
import { eachTorrent } from './each-torrent.ts'
import { freeSpace, groupGet, portTest, sessionClose, sessionGet, sessionSet, sessionStats } from './session-methods.ts'
import { torrentAdd } from './torrent-add.ts'
import { torrentGet } from './torrent-get.ts'
import { torrentRenamePath } from './torrent-rename.ts'
import { moveInQueue, torrentSet, torrentSetLocation } from './torrent-set.ts'

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

const moved =
  (step: 'top' | 'up' | 'down' | 'bottom'): RpcMethod =>
  async (context, args) => {
    await moveInQueue(context, await targetsOf(context, args), { step })
    return {}
  }

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
  ['torrent-rename-path', torrentRenamePath],
  ['queue-move-top', moved('top')],
  ['queue-move-up', moved('up')],
  ['queue-move-down', moved('down')],
  ['queue-move-bottom', moved('bottom')],
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
