// Methods of the RPC that concern the session (specification of Transmission, part 4).

import { AppError } from '../../base/errors.ts'
import type { Json } from '../../services/settings/settings-api.ts'
import { admitted, checkAdmin, type RpcContext, type RpcResult } from './rpc-context.ts'
import { type RpcArguments, wrong } from './rpc-arguments.ts'
import type { SettingsSections } from './seen-torrent.ts'
import type { SessionFacts } from './session-field.ts'
import { sessionFields, textOf } from './session-fields.ts'
import { isStopped } from './status-codes.ts'

async function factsOf({ services, version }: RpcContext, withSpace: boolean): Promise<SessionFacts> {
  const { settings, ports } = services.settings.read()
  const folder = textOf(settings, 'download_defaults', 'saveas')
  // A folder that is not there yet has no free space to tell.
  const freeSpace = withSpace ? await services.downloads.freeSpace(folder).catch(() => -1) : -1
  return { settings, ports, version, freeSpace, configFile: services.settings.effective().file }
}

/** `session-get`: all fields, or those of `fields`. */
export async function sessionGet(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  const asked = args.texts('fields') ?? [...sessionFields.keys()]
  const facts = await factsOf(context, asked.includes('download-dir-free-space'))
  const answer: Record<string, Json> = {}
  for (const name of asked) {
    const field = sessionFields.get(name)
    if (field !== undefined) answer[name] = field.value(facts)
  }
  return answer
}

/** `session-set`: all or nothing. What this node has no setting for may only be what it is. */
export async function sessionSet(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  checkAdmin(context)
  const facts = await factsOf(context, false)
  const change: SettingsSections = {}
  for (const name of args.names) {
    const field = sessionFields.get(name)
    if (field === undefined) continue
    const asked = args.raw(name)
    if (field.change !== undefined) {
      if (asked === null) throw wrong(name, 'a value')
      field.change(change, args, facts.settings)
    } else if (JSON.stringify(asked) !== JSON.stringify(field.value(facts))) {
      throw new AppError('InvalidParameter', `${name} cannot be changed in this node`)
    }
  }
  if (Object.keys(change).length > 0) await context.services.settings.change(change, context.caller)
  return {}
}

/** `session-stats`. */
export async function sessionStats({ services }: RpcContext): Promise<RpcResult> {
  const sums = { torrents: 0, stopped: 0, down: 0, up: 0, downloaded: 0, uploaded: 0 }
  for await (const record of services.downloads.list({ peers: false, pieces: false, files: false })) {
    sums.torrents += 1
    if (isStopped(record)) sums.stopped += 1
    sums.down += record.speed_down
    sums.up += record.speed_up
    sums.downloaded += record.total_down
    sums.uploaded += record.total_up
  }
  const { total_downloaded, total_uploaded, runtime } = services.statistics.dispersy()
  const stats = (downloadedBytes: number, uploadedBytes: number): Json => ({
    downloadedBytes,
    uploadedBytes,
    filesAdded: sums.torrents,
    sessionCount: 1,
    secondsActive: Math.floor(runtime),
  })
  return {
    activeTorrentCount: sums.torrents - sums.stopped,
    pausedTorrentCount: sums.stopped,
    torrentCount: sums.torrents,
    downloadSpeed: Math.round(sums.down),
    uploadSpeed: Math.round(sums.up),
    'cumulative-stats': stats(sums.downloaded, sums.uploaded),
    'current-stats': stats(total_downloaded, total_uploaded),
  }
}

/** `session-close`: the node stops. */
export async function sessionClose(context: RpcContext): Promise<RpcResult> {
  checkAdmin(context)
  context.services.shutdown.shutDown()
  return {}
}

/** `port-test`: no host outside is asked, so only a router's word counts. */
export async function portTest({ services }: RpcContext): Promise<RpcResult> {
  const mapped = services.state.network()?.mappings.some(({ protocol }) => protocol === 'tcp') ?? false
  if (!mapped) throw new AppError('StateConflict', 'not known: this node asks nobody outside whether its port is open')
  return { 'port-is-open': true }
}

/** `free-space`. */
export async function freeSpace(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  const path = args.text('path')
  if (path === null || !path.startsWith('/')) throw wrong('path', 'an absolute path')
  const { destination } = await admitted(context, path)
  const bytes = await context.services.downloads.freeSpace(destination)
  return { path, 'size-bytes': bytes, total_size: -1 }
}

/** `group-get`: there are none. */
export async function groupGet(): Promise<RpcResult> {
  return { group: [] }
}
