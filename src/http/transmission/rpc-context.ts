// What the methods of the RPC work with: the services of the node, its time, and the numbers of its torrents.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Caller } from '../../services/callers-api.ts'
import type { Json } from '../../services/settings/settings-api.ts'
import type { ListedDownload } from '../../services/downloads/download-records-api.ts'
import type { Services } from '../../services/api.ts'
import type { ListedValues } from '../route.ts'
import { type RpcArguments, wrong } from './rpc-arguments.ts'
import type { TorrentIds } from './torrent-ids.ts'

/** What the methods of the RPC work with: the services of the node, its time, and the numbers of its torrents. */
export interface RpcContext {
  readonly services: Services
  readonly clock: Pick<Clock, 'wallMs'>
  /** Of this node. */
  readonly version: string
  readonly ids: TorrentIds
  /** Who asks. */
  readonly caller: Caller
}

/** Arguments of an answer. */
export type RpcResult = Record<string, Json>

/** An answer whose member `torrents` may be long; `more` are the other arguments, asked for when that is written. */
export class LongRpcResult {
  readonly torrents: () => ListedValues
  readonly more: () => RpcResult

  constructor(torrents: () => ListedValues, more: () => RpcResult) {
    this.torrents = torrents
    this.more = more
  }
}

/** A method of the RPC: the arguments of its answer. AppErrors become the answer's `result`. */
export type RpcMethod = (context: RpcContext, args: RpcArguments) => Promise<RpcResult | LongRpcResult>

/** AppError ScopeMissing for callers that may not change the node itself. */
export function checkAdmin({ caller }: Pick<RpcContext, 'caller'>): void {
  if (!caller.localFiles) throw new AppError('ScopeMissing')
}

/** A destination that the caller may name. AppErrors PathNotAllowed, InvalidParameter. */
export async function admitted({ services, caller }: RpcContext, destination: string): Promise<Destination> {
  const named: Destination = { destination }
  return await services.callerPaths.admit(named, caller)
}

/** A folder, and whether it was resolved to a path without links. */
export interface Destination {
  destination: string
  linkless?: boolean
}

/** Unix time, seconds. */
export function nowSec({ clock }: Pick<RpcContext, 'clock'>): number {
  return Math.floor(clock.wallMs() / 1000)
}

/** Which torrents a request is about: all, those that changed lately, or these info hashes. */
export type Selection = 'all' | 'recently-active' | readonly string[]

const INFOHASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i
const PLAIN = { peers: false, pieces: false, files: false } as const

/** Argument `ids` (part 3.1). Numbers and hashes that mean nothing are passed over. AppError InvalidParameter. */
export async function selectionOf(context: RpcContext, args: RpcArguments): Promise<Selection> {
  if (!args.has('ids')) return 'all'
  const given = args.raw('ids')
  if (given === 'recently-active') return given
  const items = Array.isArray(given) ? (args.list('ids') ?? []) : [given]
  if (items.some(item => typeof item === 'number' && context.ids.infohashOf(item) === null)) await numberAll(context)
  const names: string[] = []
  for (const item of items) {
    const name = typeof item === 'number' ? context.ids.infohashOf(item) : item
    if (typeof name === 'string') {
      if (INFOHASH.test(name)) names.push(name.toLowerCase())
    } else if (name !== null || item === null) throw wrong('ids', 'a number, an info hash, or a list of these')
  }
  return names
}

/** Gives every torrent its number, and takes those of others back; their info hashes. */
export async function numberAll(context: RpcContext): Promise<string[]> {
  const all = new Set<string>()
  for await (const { infohash } of context.services.downloads.list(PLAIN)) {
    all.add(infohash)
    context.ids.of(infohash)
  }
  context.ids.keepOnly(all, nowSec(context))
  return [...all]
}

/** The info hashes that a request is about, of torrents that there are. AppError InvalidParameter. */
export async function targetsOf(context: RpcContext, args: RpcArguments): Promise<string[]> {
  const selection = await selectionOf(context, args)
  if (selection === 'all') return numberAll(context)
  const targets: string[] = []
  if (selection === 'recently-active') {
    const recent = recentlyActive(context, context.services.downloads.list(PLAIN))
    for await (const { infohash } of recent) targets.push(infohash)
    return targets
  }
  for await (const { infohash } of context.services.downloads.list({ ...PLAIN, only: selection }))
    targets.push(infohash)
  return targets
}

/** Of all downloads those that changed within the last minute, as far as this door saw them. */
export async function* recentlyActive(
  context: RpcContext,
  all: AsyncIterable<ListedDownload>,
): AsyncGenerator<ListedDownload, void> {
  const seen = new Set<string>()
  const now = nowSec(context)
  for await (const record of all) {
    seen.add(record.infohash)
    if (context.ids.changedLately(record.infohash, tellingOf(record), now)) yield record
  }
  context.ids.keepOnly(seen, now)
}

function tellingOf(record: ListedDownload): string {
  const { status, queued, progress, error, total_up, total_down, name, size, destination, labels } = record
  const { speed_down, speed_up, seeding_ratio, seeding_time, num_connected_peers, queue_order } = record
  return JSON.stringify([
    ...[status, queued, progress, error, total_up, total_down, name, size, destination, labels],
    ...[speed_down, speed_up, seeding_ratio, seeding_time, num_connected_peers, queue_order],
  ])
}
