// Which rows do a job of the records: one group a kind of job, put together to the whole table.

import type Database from 'better-sqlite3'
import { runSteps } from '../wire/steps.ts'
import { AnnounceRows } from './announce-rows.ts'
import { DiscoveredMetadataRows } from './discovered-metadata-rows.ts'
import { DownloadRows } from './download-rows.ts'
import type { EventRows } from './event-rows.ts'
import { FeedRows } from './feed-rows.ts'
import type { JobName, OpenFacts, RecordJobs } from './jobs.ts'
import { packPage, packRows } from './row-texts.ts'
import { NodeRows } from './node-rows.ts'
import { OwnFileRows } from './own-file-rows.ts'
import { packResume, unpackFacts } from './packed-progress.ts'
import type { ProgressRows } from './progress-rows.ts'
import { RateRows } from './rate-rows.ts'
import { SeenFileRows } from './seen-file-rows.ts'
import { SettingsHistoryRows } from './settings-history-rows.ts'
import { UpdateRows } from './update-rows.ts'
import { WatchingRows } from './watching-rows.ts'

/** What does each job. */
export type Handlers = { readonly [N in JobName]: (...args: RecordJobs[N]['args']) => RecordJobs[N]['reply'] }

/** Those of the jobs whose names begin with `Kind` and a dot. */
type HandlersOf<Kind extends string> = Pick<Handlers, Extract<JobName, `${Kind}.${string}`>>

/** Handlers of all jobs on an open database. */
export function makeHandlers(
  database: Database.Database,
  progress: ProgressRows,
  events: EventRows,
  facts: OpenFacts,
): Handlers {
  const ownFiles = new OwnFileRows(database)
  return {
    ...downloadHandlers(new DownloadRows(database, progress, ownFiles)),
    ...progressHandlers(progress, ownFiles),
    ...eventHandlers(events),
    ...nodeHandlers(new NodeRows(database)),
    ...updateHandlers(new UpdateRows(database)),
    ...settingsHandlers(new SettingsHistoryRows(database)),
    ...metadataHandlers(new DiscoveredMetadataRows(database)),
    ...feedHandlers(new FeedRows(database)),
    ...announceHandlers(new AnnounceRows(database, facts.cleanStop)),
    ...fileHandlers(ownFiles, new SeenFileRows(database)),
    ...watchingHandlers(new WatchingRows(database)),
    ...rateHandlers(new RateRows(database)),
  }
}

function downloadHandlers(downloads: DownloadRows): HandlersOf<'download'> {
  return {
    'download.insert': download => downloads.insert(download),
    'download.update': (infoHash, change) => downloads.update(infoHash, change),
    'download.delete': infoHash => downloads.delete(infoHash),
    'download.count': () => downloads.count(),
    'download.list': (after, limit) => packRows(downloads.list(after, limit)),
    'download.load': (after, limit, maxBytes) => packPage(downloads.load(after, limit, maxBytes)),
    'download.metainfo': infoHash => downloads.metainfo(infoHash),
    'download.totals': totals => downloads.setTotals(totals),
    'download.seeded': seeded => downloads.setSeeded(seeded),
    'download.queued': orders => downloads.setQueueOrders(orders),
  }
}

function progressHandlers(progress: ProgressRows, ownFiles: OwnFileRows): HandlersOf<'progress'> {
  return {
    'progress.verified': (infoHash, pieces, atMs) => progress.verified(infoHash, pieces, atMs),
    'progress.dropped': (infoHash, pieces) => progress.dropped(infoHash, pieces),
    'progress.checkpoint': (infoHash, have, files, atMs) =>
      progress.checkpoint(infoHash, have, runSteps(unpackFacts(files)), atMs),
    'progress.doubt': (infoHash, files) => {
      progress.doubt(infoHash, files)
      ownFiles.unmake(infoHash, files)
    },
    'progress.reset': infoHash => progress.reset(infoHash),
    'progress.resume': infoHash => packResume(progress.resumeOf(infoHash)),
  }
}

function eventHandlers(events: EventRows): HandlersOf<'event'> {
  return {
    'event.append': (atMs, types, payloads) => events.appendAll(atMs, types, payloads),
    'event.read': (since, limit) => events.read(since, limit),
    'event.bounds': () => events.bounds(),
  }
}

function nodeHandlers(node: NodeRows): HandlersOf<'node'> {
  return {
    'node.get': key => node.get(key),
    'node.set': (key, value) => node.set(key, value),
    'node.getOrSet': (key, value) => node.getOrSet(key, value),
  }
}

function updateHandlers(updates: UpdateRows): HandlersOf<'update'> {
  return {
    'update.followed': () => updates.followed(),
    'update.keepFollowed': row => updates.keepFollowed(row),
    'update.dropFollowed': target => updates.dropFollowed(target),
    'update.published': () => updates.published(),
    'update.keepPublished': row => updates.keepPublished(row),
    'update.dropPublished': name => updates.dropPublished(name),
  }
}

function settingsHandlers(settings: SettingsHistoryRows): HandlersOf<'settings'> {
  return {
    'settings.note': (changes, atMs) => settings.note(changes, atMs),
    'settings.list': (before, limit) => settings.list(before, limit),
    'settings.latest': () => settings.latest(),
  }
}

function metadataHandlers(metadata: DiscoveredMetadataRows): HandlersOf<'metadata'> {
  return {
    'metadata.get': infoHash => metadata.get(infoHash),
    'metadata.keep': (infoHash, infoBytes, atMs) => metadata.keep(infoHash, infoBytes, atMs),
  }
}

function feedHandlers(feeds: FeedRows): HandlersOf<'feed'> {
  return {
    'feed.list': () => feeds.list(),
    'feed.add': (channel, url, addedAtMs) => feeds.add(channel, url, addedAtMs),
    'feed.drop': (channel, url) => feeds.drop(channel, url),
    'feed.unseen': (channel, url, items) => feeds.unseen(channel, url, items),
    'feed.checked': (channel, url, check, items) => feeds.checked(channel, url, check, items),
  }
}

function announceHandlers(announces: AnnounceRows): HandlersOf<'announce'> {
  return {
    'announce.trim': atMs => announces.trim(atMs),
    'announce.list': (after, limit) => announces.list(after, limit),
    'announce.keep': rows => announces.keep(rows),
    'announce.settle': row => announces.keep([row]),
  }
}

function fileHandlers(ownFiles: OwnFileRows, seen: SeenFileRows): HandlersOf<'files' | 'seen'> {
  return {
    'files.own': infoHash => ownFiles.list(infoHash),
    'files.noteOwn': (infoHash, runs) => ownFiles.note(infoHash, runs),
    'files.made': infoHash => ownFiles.made(infoHash),
    'files.noteMade': (infoHash, file, mark) => ownFiles.noteMade(infoHash, file, mark),
    'files.keepMade': infoHash => ownFiles.keepMade(infoHash),
    'seen.list': (after, limit) => seen.list(after, limit),
    'seen.keep': files => seen.keep(files),
    'seen.drop': paths => seen.drop(paths),
  }
}

function watchingHandlers(watching: WatchingRows): HandlersOf<'watching'> {
  return {
    'watching.note': note => watching.note(note),
    'watching.of': infoHash => watching.of(infoHash),
    'watching.recent': limit => watching.recent(limit),
    'watching.forget': (infoHash, file) => watching.forget(infoHash, file),
  }
}

function rateHandlers(rates: RateRows): HandlersOf<'rates'> {
  return {
    'rates.read': infoHashes => rates.read(infoHashes),
    'rates.write': rows => rates.write(rows),
  }
}
