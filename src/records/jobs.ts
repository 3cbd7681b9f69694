// The one table of jobs between the main thread and the database thread: name -> request and reply. Both ends are typed
// by it. Requests are plain data: msgpackr carries them. What goes between the ends is in thread-messages.ts.

import type { InfoHash } from '../base/ids.ts'
import type { FeedCheck, KeptFeed } from '../ports/feed-records.ts'
import type { FileMark } from '../ports/piece-store.ts'
import type { FileRun, MadeFile } from '../ports/progress-journal.ts'
import type { DownloadChange, LoggedEvent, NewDownload, StoredMetainfo } from '../ports/records.ts'
import type { SeenFile } from '../ports/seen-files.ts'
import type { NotedSettingChange, SettingChange } from '../ports/settings-history.ts'
import type { RecentFile, WatchedFile, WatchedNote } from '../ports/viewing/watching-records.ts'
import type { AnnounceRow } from './announce-rows.ts'
import type { PackedPage } from './row-texts.ts'
import type { PackedFacts, PackedResume } from './packed-progress.ts'
import type { FollowedRow, PublishedRow } from './update-rows.ts'

/** Every job. Arguments are tuples so that a batch packs small. */
export interface RecordJobs {
  'download.insert': { args: [download: NewDownload]; reply: boolean }
  'download.update': { args: [infoHash: InfoHash, change: DownloadChange]; reply: boolean }
  'download.delete': { args: [infoHash: InfoHash]; reply: boolean }
  'download.count': { args: []; reply: number }
  /** See packRows. */
  'download.list': { args: [after: number, limit: number]; reply: string }
  'download.load': { args: [after: number, limit: number, maxBytes: number]; reply: PackedPage }
  'download.metainfo': { args: [infoHash: InfoHash]; reply: StoredMetainfo | null }
  'download.totals': { args: [totals: [infoHash: InfoHash, up: number, down: number][]]; reply: void }
  'download.seeded': { args: [seeded: (readonly [infoHash: InfoHash, seconds: number])[]]; reply: void }
  'download.queued': { args: [orders: (readonly [infoHash: InfoHash, order: number])[]]; reply: void }
  'progress.verified': { args: [infoHash: InfoHash, pieces: number[], atMs: number]; reply: void }
  'progress.dropped': { args: [infoHash: InfoHash, pieces: readonly number[]]; reply: void }
  'progress.checkpoint': {
    args: [infoHash: InfoHash, have: Uint8Array, files: PackedFacts, atMs: number]
    reply: void
  }
  'progress.doubt': { args: [infoHash: InfoHash, files: readonly number[]]; reply: void }
  'progress.reset': { args: [infoHash: InfoHash]; reply: void }
  'files.own': { args: [infoHash: InfoHash]; reply: FileRun[] }
  'files.noteOwn': { args: [infoHash: InfoHash, runs: readonly FileRun[]]; reply: void }
  'files.made': { args: [infoHash: InfoHash]; reply: MadeFile[] }
  'files.noteMade': { args: [infoHash: InfoHash, file: number, mark: FileMark]; reply: void }
  'files.keepMade': { args: [infoHash: InfoHash]; reply: void }
  'progress.resume': { args: [infoHash: InfoHash]; reply: PackedResume | null }
  'event.append': { args: [atMs: number, types: readonly string[], payloads: readonly string[]]; reply: number }
  'event.read': { args: [since: number, limit: number]; reply: LoggedEvent[] }
  'event.bounds': { args: []; reply: { oldest: number | null; newest: number } }
  'node.get': { args: [key: string]; reply: Uint8Array | null }
  'node.set': { args: [key: string, value: Uint8Array]; reply: void }
  'node.getOrSet': { args: [key: string, value: Uint8Array]; reply: Uint8Array }
  'update.followed': { args: []; reply: FollowedRow[] }
  'update.keepFollowed': { args: [row: FollowedRow]; reply: void }
  'update.dropFollowed': { args: [target: string]; reply: void }
  'update.published': { args: []; reply: PublishedRow[] }
  'update.keepPublished': { args: [row: PublishedRow]; reply: void }
  'update.dropPublished': { args: [name: string]; reply: void }
  'settings.note': { args: [changes: readonly SettingChange[], atMs: number]; reply: void }
  'settings.list': { args: [before: number, limit: number]; reply: NotedSettingChange[] }
  'settings.latest': { args: []; reply: NotedSettingChange[] }
  'metadata.get': { args: [infoHash: InfoHash]; reply: Uint8Array | null }
  'metadata.keep': { args: [infoHash: InfoHash, infoBytes: Uint8Array, atMs: number]; reply: void }
  'feed.list': { args: []; reply: KeptFeed[] }
  'feed.add': { args: [channel: string, url: string, addedAtMs: number]; reply: boolean }
  'feed.drop': { args: [channel: string, url: string]; reply: boolean }
  'feed.unseen': { args: [channel: string, url: string, items: readonly string[]]; reply: string[] }
  'feed.checked': { args: [channel: string, url: string, check: FeedCheck, items: readonly string[]]; reply: void }
  'announce.trim': { args: [atMs: number]; reply: void }
  'announce.list': { args: [after: readonly [infoHash: string, tracker: string], limit: number]; reply: AnnounceRow[] }
  'announce.keep': { args: [rows: readonly AnnounceRow[]]; reply: void }
  'announce.settle': { args: [row: AnnounceRow]; reply: void }
  'seen.list': { args: [after: string, limit: number]; reply: SeenFile[] }
  'seen.keep': { args: [files: readonly SeenFile[]]; reply: void }
  'seen.drop': { args: [paths: readonly string[]]; reply: void }
  'rates.read': { args: [infoHashes: readonly InfoHash[]]; reply: (Uint8Array | null)[] }
  'rates.write': { args: [rows: readonly (readonly [infoHash: InfoHash, sums: Uint8Array])[]]; reply: void }
  'watching.note': { args: [note: WatchedNote]; reply: WatchedFile | null }
  'watching.of': { args: [infoHash: InfoHash]; reply: WatchedFile[] }
  'watching.recent': { args: [limit: number]; reply: RecentFile[] }
  'watching.forget': { args: [infoHash: InfoHash, file: number]; reply: boolean }
}

/** A job of the table. */
export type JobName = keyof RecordJobs

/**
 * Jobs after which the answer must survive a power cut too: their batch is synced to the disk. The others survive
 * kill -9, and after a power cut are missing at most whole, newest first.
 */
export const durableJobs: ReadonlySet<JobName> = new Set<JobName>([
  'download.insert',
  'download.update',
  'download.delete',
  'download.queued',
  // Bytes go after it: what they are is not to be believed any more.
  'progress.dropped',
  'progress.checkpoint',
  'progress.doubt',
  'progress.reset',
  // A file that another program's could be must be known as ours before its first byte, whatever happens then.
  'files.noteOwn',
  'files.noteMade',
  'files.keepMade',
  'node.set',
  'node.getOrSet',
  'update.keepFollowed',
  'update.dropFollowed',
  'update.keepPublished',
  'update.dropPublished',
  'settings.note',
  'feed.add',
  'feed.drop',
  'feed.checked',
  'seen.keep',
  // A `completed` that was sent must not be owed again.
  'announce.settle',
])

/** Jobs that no client waits for: those that come close together share a transaction (DatabaseLink). */
export const patientJobs: ReadonlySet<JobName> = new Set<JobName>([
  'progress.verified',
  'download.totals',
  'download.seeded',
  'announce.keep',
  'rates.write',
])

/** How the database was found. */
export interface OpenFacts {
  /** True when this start made it. */
  readonly created: boolean
  /** True when the last run ended by close(), or there was none. */
  readonly cleanStop: boolean
  /** True when the last run was in another boot of the machine (or that is unknown). */
  readonly otherBoot: boolean
  /** The schema it had before this start; 0 = new. */
  readonly schemaBefore: number
}

/** How the database thread is started. */
export interface DatabaseOptions {
  /** Path of the database file. */
  readonly path: string
  /** Identity of this boot of the machine; null = unknown: then every boot counts as another one. */
  readonly bootId: string | null
  /** Milliseconds since 1970. */
  readonly nowMs: number
}
