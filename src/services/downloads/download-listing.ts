// Records of the downloads, one after the other, so that making many of them holds up no other work.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ListedDownload } from './download-records-api.ts'
import type { ListOptions } from './downloads-api.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { RateLimits } from './download-record.ts'
import type { DownloadSet } from './download-set.ts'
import type { ListPage } from './list/list-query-api.ts'
import type { SeedingGoals } from './seeding-goals.ts'
import { Turns } from './list/turns.ts'

/** Records made in one turn of the event loop, ms. */
const LIST_TURN_MS = 4
/** Records of a page between two looks at the clock. */
const PAGE_RECORDS = 32

/** What records are made with. */
export interface ListingDeps {
  readonly clock: Clock
  readonly goals: Pick<SeedingGoals, 'seededSec'>
  settings(): RateLimits
}

/** Records of all, or of those that `options` names. */
export async function* recordsOf(
  set: DownloadSet,
  options: ListOptions,
  { clock, goals, settings }: ListingDeps,
): AsyncGenerator<ListedDownload, void> {
  const limits = settings()
  let turnMs = clock.now()
  for (const entry of options.only === undefined ? [...set.entries.values()] : named(set, options.only)) {
    const record = picked({ ...(await entry.record(options, limits)), ...placeOf(set, entry) }, options)
    yield options.details === true ? { ...record, details: await entry.details(goals.seededSec(entry)) } : record
    if (clock.now() - turnMs < LIST_TURN_MS) continue
    await nextTurn()
    turnMs = clock.now()
  }
}

/** Each once, in the order of the names. */
function* named(set: DownloadSet, names: readonly string[]): Generator<DownloadEntry, void> {
  const given = new Set<DownloadEntry>()
  for (const name of names) {
    const entry = set.lookUp(name)
    if (entry === null || given.has(entry)) continue
    given.add(entry)
    yield entry
  }
}

/**
 * Where a download stands in the queue. Not in its plain record: a move, or a removal, would change that of all behind.
 */
export function placeOf(set: DownloadSet, { stored }: DownloadEntry): { readonly queue_position: number } {
  return { queue_position: set.order.position(stored.infoHash) ?? 0 }
}

/** The fields that are asked for, and the parts. */
function picked(record: ListedDownload, { fields, peers, pieces, files }: ListOptions): ListedDownload {
  if (fields === undefined) return record
  const parts = [...(peers ? ['peers'] : []), ...(pieces ? ['pieces'] : []), ...(files ? ['files'] : [])]
  // Whoever asks for fields alone reads no other.
  return fieldsOf(record, [...fields, ...parts]) as ListedDownload
}

function fieldsOf(record: object, fields: readonly string[]): object {
  const all = record as Readonly<Record<string, unknown>>
  const some: Record<string, unknown> = {}
  for (const field of fields) if (Object.hasOwn(all, field)) some[field] = all[field]
  return some
}

/** See DownloadsService.pageJson. */
export async function pageJson(
  set: DownloadSet,
  page: ListPage,
  fields: readonly string[] | null,
  { clock, settings }: Pick<ListingDeps, 'clock' | 'settings'>,
): Promise<readonly Uint8Array[]> {
  const limits = settings()
  const turns = new Turns(clock)
  const parts: Uint8Array[] = []
  let text = '{"downloads":['
  let before = ''
  for (const [at, infohash] of page.infohashes.entries()) {
    // Not lookUp(): a page may be asked for while the list is being read.
    const entry = set.entries.get(infohash as InfoHash)
    // It was removed since the page was found.
    if (entry === undefined) continue
    const record = { ...entry.plainRecord(limits), ...placeOf(set, entry) }
    text += before + JSON.stringify(fields === null ? record : fieldsOf(record, fields))
    before = ','
    if (at % PAGE_RECORDS < PAGE_RECORDS - 1) continue
    parts.push(Buffer.from(text))
    text = ''
    await turns.after(PAGE_RECORDS)
  }
  parts.push(Buffer.from(`${text}]${pageEnd(page)}`))
  return parts
}

/** What follows the records of a page: `,"total":n,"next":"..."}`, with `totals` and `facets` where they are wanted. */
function pageEnd({ total, next, totals, facets }: ListPage): string {
  const more = { ...(totals === null ? {} : { totals }), ...(facets === null ? {} : { facets }) }
  return `,${JSON.stringify({ total, next, ...more }).slice(1)}`
}
