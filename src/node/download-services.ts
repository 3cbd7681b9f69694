// The services of downloads: what looks at links before one is added, the downloads, and what follows them afterwards.

import { join } from 'node:path'
import { FreshFiles } from '../io/files/client-paths.ts'
import { LoadingMarksFile } from '../io/files/loading-marks-file.ts'
import { identifyFolder } from '../io/files/identify-folder.ts'
import { lookAtFolder, prepareFolder, readSmallFile } from '../io/files/local-paths.ts'
import { CountedFetch } from '../services/diagnostics/work-counts.ts'
import { Downloads } from '../services/downloads/downloads.ts'
import type { DownloadsDeps } from '../services/downloads/downloads-deps.ts'
import { MetadataPreviews } from '../services/downloads/metadata-previews.ts'
import type { EventHub } from '../services/events/events.ts'
import type { Updates } from '../services/updates/updates.ts'
import { makeUpdates } from './engine/updates.ts'
import type { NodeEnvironment } from './environment.ts'
import { type LateParts, LateRates } from './late-services.ts'
import { makeSourceFetch } from './outgoing-http.ts'
import { downloadSettings } from './settings/service-settings.ts'

/** The services of downloads. */
export interface DownloadServices {
  readonly previews: MetadataPreviews
  readonly downloads: Downloads
  readonly updates: Updates
  readonly rates: LateRates
  /** How torrents and feeds are fetched, counted. */
  readonly http: CountedFetch
}

/** Makes them. */
export function makeDownloads(environment: NodeEnvironment, events: EventHub, late: LateParts): DownloadServices {
  const { settings, log, clock, started } = environment
  const fetch = makeSourceFetch(environment)
  started.add('sources', () => fetch.close())
  const http = new CountedFetch(fetch)
  const previews = new MetadataPreviews({
    clock,
    log: log.part('torrentinfo'),
    destination: () => settings.values.download_defaults.saveas,
  })
  const downloads = new Downloads({
    ...filesOf(environment),
    clock,
    log: log.part('downloads'),
    events,
    previews,
    sources: { http, readFile: (file, maxBytes) => readSmallFile(file, maxBytes, environment.volumes) },
    settings: () => downloadSettings(settings.values),
    updates: () => following,
    hidden: () => late.hidden(),
    rates: () => rates,
  })
  const rates = new LateRates({ clock, log: log.part('downloads'), downloads })
  const { updates, following } = followTorrents(environment, events, downloads)
  return { http, previews, downloads, updates, rates }
}

/** Where downloads have their files. */
function filesOf({
  stateDir,
  own,
  volumes,
}: NodeEnvironment): Pick<
  DownloadsDeps,
  'files' | 'volumes' | 'prepareFolder' | 'lookAtFolder' | 'identifyFolder' | 'freeBytes' | 'loadingMarks'
> {
  return {
    files: new FreshFiles(volumes),
    volumes,
    prepareFolder: (folder, use) => prepareFolder(folder, { own, volumes }, use),
    lookAtFolder: folder => lookAtFolder(folder, { own, volumes }),
    identifyFolder: folder => volumes.runInTime(folder, () => identifyFolder(folder)),
    freeBytes: async folder => {
      const { freeBytes } = await import('../io/files/disk-space.ts')
      return volumes.runInTime(folder, () => freeBytes(folder))
    },
    loadingMarks: new LoadingMarksFile(join(stateDir, 'loading.json')),
  }
}

/** Torrents that others publish again, and our own. */
function followTorrents(environment: NodeEnvironment, events: EventHub, downloads: Downloads) {
  const { stateDir, settings, log, clock, random, own, volumes } = environment
  return makeUpdates({
    stateDir,
    clock,
    random,
    log: log.part('updates'),
    events,
    downloads,
    own,
    volumes,
    settings: () => settings.values,
  })
}
