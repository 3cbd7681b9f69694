// torrent-get (specification of Transmission, part 3.3): any fields of any torrents, as objects or as a table. Torrents
// are read and written one after the other, so that a list of thousands holds up no other request.

import type { ListedDownload } from '../../services/downloads/download-records-api.ts'
import type { ListOptions } from '../../services/downloads/downloads-api.ts'
import {
  type RpcContext,
  LongRpcResult,
  nowSec,
  recentlyActive,
  type RpcResult,
  type Selection,
  selectionOf,
} from './rpc-context.ts'
import { type RpcArguments, wrong } from './rpc-arguments.ts'
import { type AnswerFacts, SeenTorrent } from './seen-torrent.ts'
import { type TorrentField, torrentFields } from './torrent-fields.ts'

/** Of more torrents nothing is loaded that can be left out. */
const MANY = 100

type Column = readonly [name: string, field: TorrentField]

/** The method. */
export async function torrentGet(context: RpcContext, args: RpcArguments): Promise<LongRpcResult> {
  const asked = args.texts('fields')
  if (asked === null) throw wrong('fields', 'a list of names')
  const format = args.text('format') ?? 'objects'
  if (format !== 'objects' && format !== 'table') throw wrong('format', 'objects or table')
  const columns = [...new Set(asked)].flatMap((name): Column[] => {
    const field = torrentFields.get(name)
    return field === undefined ? [] : [[name, field]]
  })
  const selection = await selectionOf(context, args)
  const lines = format === 'table' ? tableOf : objectsOf
  const removed = (): RpcResult => ({ removed: context.ids.removedLately(nowSec(context)) })
  return new LongRpcResult(
    () => lines(context, columns, selection),
    () => (selection === 'recently-active' ? removed() : {}),
  )
}

async function* objectsOf(
  context: RpcContext,
  columns: readonly Column[],
  selection: Selection,
): AsyncGenerator<object, void> {
  for await (const torrent of torrentsOf(context, columns, selection)) {
    const object: Record<string, unknown> = {}
    for (const [name, field] of columns) {
      const value = field.value(torrent)
      object[name] = value instanceof Promise ? await value : value
    }
    yield object
  }
}

async function* tableOf(
  context: RpcContext,
  columns: readonly Column[],
  selection: Selection,
): AsyncGenerator<unknown[], void> {
  yield columns.map(([name]) => name)
  for await (const torrent of torrentsOf(context, columns, selection)) {
    const row: unknown[] = []
    for (const [, field] of columns) row.push((await field.value(torrent)) ?? null)
    yield row
  }
}

async function* torrentsOf(
  context: RpcContext,
  columns: readonly Column[],
  selection: Selection,
): AsyncGenerator<SeenTorrent, void> {
  const { services, ids } = context
  await services.downloads.whenListed()
  const facts: AnswerFacts = {
    downloads: services.downloads,
    ids,
    settings: services.settings.read().settings,
    nowSec: nowSec(context),
    many: !Array.isArray(selection) || selection.length > MANY,
  }
  const needs = new Set(columns.map(([, field]) => field.needs))
  const options = { peers: needs.has('peers'), pieces: needs.has('pieces'), files: false, details: true }
  for await (const record of recordsOf(context, options, selection)) yield new SeenTorrent(record, facts)
}

async function* recordsOf(
  context: RpcContext,
  options: ListOptions,
  selection: Selection,
): AsyncGenerator<ListedDownload, void> {
  const { downloads } = context.services
  if (selection === 'recently-active') return yield* recentlyActive(context, downloads.list(options))
  if (selection !== 'all') return yield* downloads.list({ ...options, only: selection })
  const all = new Set<string>()
  for await (const record of downloads.list(options)) {
    all.add(record.infohash)
    yield record
  }
  context.ids.keepOnly(all, nowSec(context))
}
