// torrent-set and torrent-set-location (specification of Transmission, parts 3.2 and 3.6): arguments become one change
// of this node for each torrent, and changes of its trackers.

import { AppError } from '../../base/errors.ts'
import type { FileRecord } from '../../services/downloads/download-records-api.ts'
import type { PatchDownload } from '../../services/downloads/downloads-api.ts'
import type { QueueMove } from '../../services/downloads/queue/queue-api.ts'
import { admitted, type RpcContext, nowSec, type RpcResult, targetsOf } from './rpc-context.ts'
import { eachTorrent } from './each-torrent.ts'
import { rpcPriority, trackersOf } from './list-fields.ts'
import { type RpcArguments, wrong } from './rpc-arguments.ts'
import { SeenTorrent } from './seen-torrent.ts'
import { absolute, PRIORITY } from './torrent-add.ts'
import { UNUSED_LIMIT, torrentFields } from './torrent-fields.ts'

/** This node has one value for them: they may only be said as they are. */
const FIXED = ['bandwidthPriority', 'honorsSessionLimits', 'peer-limit', 'group'] as const
const FILE_ARGUMENTS = ['files-wanted', 'files-unwanted', 'priority-low', 'priority-normal', 'priority-high'] as const
const BY_SETTINGS = -2
const NO_GOAL = -1
const KILO = 1000

/** `torrent-set`. With `queuePosition` they stand side by side in the queue, from there on. */
export async function torrentSet(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  const position = args.count('queuePosition')
  const targets = await targetsOf(context, args)
  const { downloads } = context.services
  await eachTorrent(targets, async infohash => {
    const torrent = await seen(context, infohash)
    if (torrent === null) return
    checkFixed(torrent, args)
    const trackers = trackerChanges(torrent, args)
    const change = {
      ...plainChange(torrent, args),
      ...(await fileChange(torrent, args)),
      ...(await moved(context, args)),
    }
    if (Object.keys(change).length > 0) await downloads.patch(infohash, change)
    for (const url of trackers.add) await downloads.addTracker(infohash, url)
    for (const { url, newUrl } of trackers.replace) await downloads.changeTracker(infohash, url, { newUrl })
    for (const url of trackers.remove) await downloads.removeTracker(infohash, url)
    if (trackers.tiers !== null) await downloads.setTrackers(infohash, trackers.tiers)
  })
  if (position !== null) await moveInQueue(context, targets, { position })
  return {}
}

/** Moves torrents in the queue; those that are gone are no failure. */
export async function moveInQueue(
  { services }: Pick<RpcContext, 'services'>,
  targets: readonly string[],
  to: QueueMove,
): Promise<void> {
  if (targets.length === 0) return
  try {
    await services.downloads.moveInQueue(targets, to)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'DownloadNotFound')) throw error
  }
}

/** `torrent-set-location`: the files are moved; to look for them elsewhere is something this node does not do. */
export async function torrentSetLocation(context: RpcContext, args: RpcArguments): Promise<RpcResult> {
  const location = args.text('location')
  if (location === null || location === '') throw new AppError('MissingParameter', 'location is missing')
  const place = await admitted(context, absolute('location', location))
  if (args.flag('move') !== true) {
    throw new AppError('InvalidParameter', 'move must be true: files are moved, not looked for in another place')
  }
  const targets = await targetsOf(context, args)
  await eachTorrent(targets, infohash => context.services.downloads.patch(infohash, place))
  return {}
}

async function seen(context: RpcContext, infohash: string): Promise<SeenTorrent | null> {
  const { services, ids } = context
  const options = { peers: false, pieces: false, files: false, details: true, only: [infohash] }
  const { settings } = services.settings.read()
  for await (const record of services.downloads.list(options)) {
    return new SeenTorrent(record, {
      downloads: services.downloads,
      ids,
      settings,
      nowSec: nowSec(context),
      many: true,
    })
  }
  return null
}

function checkFixed(torrent: SeenTorrent, args: RpcArguments): void {
  for (const name of FIXED) {
    if (!args.has(name) || args.raw(name) === torrentFields.get(name)?.value(torrent)) continue
    throw new AppError('InvalidParameter', `${name} cannot be changed in this node`)
  }
}

function plainChange({ record, details }: SeenTorrent, args: RpcArguments): PatchDownload {
  const down = speedOf(args, 'download', details.own_max_download_speed)
  const up = speedOf(args, 'upload', details.own_max_upload_speed)
  const ratio = goalOf(args, ['seedRatioMode', 'seedRatioLimit'], record.seeding_ratio)
  const minutes = goalOf(args, ['seedIdleMode', 'seedIdleLimit'], record.seeding_time)
  const labels = args.texts('labels')
  return {
    ...(down !== null && { max_download_speed: down }),
    ...(up !== null && { max_upload_speed: up }),
    ...(ratio !== null && { seeding_ratio: ratio }),
    ...(minutes !== null && { seeding_time: Math.round(minutes) }),
    ...(labels !== null && { labels }),
  }
}

async function moved(context: RpcContext, args: RpcArguments): Promise<PatchDownload> {
  const location = args.text('location')
  return location === null ? {} : await admitted(context, absolute('location', location))
}

/** Bytes/s; null = nothing was said of it. `own`: the limit now. */
function speedOf(args: RpcArguments, way: 'download' | 'upload', own: number): number | null {
  const limit = args.count(`${way}Limit`)
  const limited = args.flag(`${way}Limited`) ?? (limit === null ? null : own > 0)
  if (limited === null) return null
  if (!limited) return own > 0 ? 0 : null
  return (limit ?? (Math.round(own / KILO) || UNUSED_LIMIT)) * KILO || KILO
}

/** A seeding goal in this node's words; null = nothing was said of it. `own`: the goal now. */
function goalOf(args: RpcArguments, [mode, limit]: readonly [string, string], own: number): number | null {
  const asked = args.count(mode)
  const value = args.number(limit)
  switch (asked) {
    case null:
      return value !== null && own >= 0 ? value : null
    case 0:
      return BY_SETTINGS
    case 1:
      return value ?? (own >= 0 ? own : wrongGoal(limit))
    case 2:
      return NO_GOAL
    default:
      throw wrong(mode, '0, 1 or 2')
  }
}

function wrongGoal(limit: string): never {
  throw new AppError('MissingParameter', `${limit} is missing`)
}

async function fileChange(torrent: SeenTorrent, args: RpcArguments): Promise<PatchDownload> {
  if (!FILE_ARGUMENTS.some(name => args.has(name))) return {}
  if (!torrent.hasMetadata) throw new AppError('MetadataNotFound', 'the files are not known yet')
  const sets = Object.fromEntries(FILE_ARGUMENTS.map(name => [name, chosen(args, name)]))
  const levels: number[] = []
  for (const file of await torrent.files()) {
    while (levels.length < file.index) levels.push(PRIORITY.same)
    levels.push(levelOf(file, name => sets[name]?.(file.index) ?? false))
  }
  return { file_priorities: levels }
}

/** Whether a file is named; an empty list names all. */
function chosen(args: RpcArguments, name: string): ((index: number) => boolean) | undefined {
  const indexes = args.indexes(name)
  if (indexes === null) return undefined
  if (indexes.length === 0) return () => true
  const set = new Set(indexes)
  return index => set.has(index)
}

function levelOf(file: FileRecord, named: (argument: (typeof FILE_ARGUMENTS)[number]) => boolean): number {
  const wanted = named('files-wanted') || (file.included && !named('files-unwanted'))
  if (!wanted) return file.included ? PRIORITY.none : PRIORITY.same
  const asked = [PRIORITY.low, PRIORITY.normal, PRIORITY.high].filter((_, at) =>
    named((['priority-low', 'priority-normal', 'priority-high'] as const)[at] ?? 'priority-normal'),
  )
  const level = asked.at(-1)
  if (level === undefined) return file.included ? PRIORITY.same : PRIORITY.normal
  const same = file.included && rpcPriority(file) === Math.sign(level - PRIORITY.normal)
  return same ? PRIORITY.same : level
}

interface TrackerChanges {
  readonly add: readonly string[]
  readonly replace: readonly { readonly url: string; readonly newUrl: string }[]
  readonly remove: readonly string[]
  /** All of them from now on; null = not said. */
  readonly tiers: readonly (readonly string[])[] | null
}

function trackerChanges(torrent: SeenTorrent, args: RpcArguments): TrackerChanges {
  const present = trackersOf(torrent).map(({ tracker }) => tracker.url)
  const replace: { url: string; newUrl: string }[] = []
  const pairs = args.list('trackerReplace') ?? []
  for (let at = 0; at < pairs.length; at += 2) {
    const newUrl = pairs[at + 1]
    if (typeof newUrl !== 'string') throw wrong('trackerReplace', 'a list of numbers and URLs by turns')
    replace.push({ url: urlOf(present, pairs[at], 'trackerReplace'), newUrl })
  }
  const list = args.text('trackerList')
  return {
    add: args.texts('trackerAdd') ?? [],
    replace,
    remove: (args.indexes('trackerRemove') ?? []).map(id => urlOf(present, id, 'trackerRemove')),
    tiers: list === null ? null : tiersOf(list),
  }
}

/** The tiers of a text as trackerListField() writes it. */
function tiersOf(list: string): string[][] {
  const tiers: string[][] = [[]]
  for (const line of list.split('\n').map(one => one.trim())) {
    if (line === '') tiers.push([])
    else tiers.at(-1)?.push(line)
  }
  return tiers.filter(urls => urls.length > 0)
}

function urlOf(present: readonly string[], id: unknown, argument: string): string {
  const url = typeof id === 'number' ? present[id] : undefined
  if (url === undefined) throw new AppError('InvalidParameter', `${argument}: there is no such tracker`)
  return url
}
