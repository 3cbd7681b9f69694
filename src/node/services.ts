// The services of a node, made before anything of the engine or the store is there: the HTTP front has them all from
// the first moment, and those that need more answer NotReady until they are given it.

import { join } from 'node:path'
import { AllowedPaths, FreshFiles } from '../io/files/client-paths.ts'
import { LoadingMarksFile } from '../io/files/loading-marks-file.ts'
import { prepareFolder, readSmallFile } from '../io/files/local-paths.ts'
import { DATABASE_FILE_NAME } from '../records/database-file.ts'
import type { Services } from '../services/api.ts'
import { CallerPaths } from '../services/caller-paths.ts'
import { Downloads } from '../services/downloads/downloads.ts'
import { EventHub } from '../services/events/events.ts'
import { MetadataPreviews } from '../services/downloads/metadata-previews.ts'
import { SettingRights } from '../services/settings/setting-rights.ts'
import { NodeSettings } from '../services/settings/settings.ts'
import { SettingsChanges } from '../services/settings/settings-changes.ts'
import { CoreState } from '../services/diagnostics/state.ts'
import { type NodeFigures, NodeStatistics } from '../services/diagnostics/statistics.ts'
import { TorrentInfo } from '../services/downloads/torrent-info.ts'
import { TorrentMaker } from '../services/making/torrent-maker.ts'
import type { Updates } from '../services/updates/updates.ts'
import { CountedFetch, sumOf } from '../services/diagnostics/work-counts.ts'
import { lateImports, lateMetrics, type LateParts } from './late-services.ts'
import { databaseBytes } from './state/database-bytes.ts'
import type { NodeChapter } from './chapter.ts'
import type { NodeEnvironment } from './environment.ts'
import type { Kernel, OpenedChapter } from './kernel.ts'
import { SharedParts } from './shared-parts.ts'
import { FurtherKeys } from './state/further-keys.ts'
import { makeSourceFetch } from './outgoing-http.ts'
import { makeDebug } from './process-inspection.ts'
import { allowedFolders, downloadSettings } from './settings/service-settings.ts'
import { rightOf } from './settings/settings-rights.ts'
import { settingsDocs } from './settings/settings-docs.ts'
import type { Settings } from './settings/settings-schema.ts'
import { makeUpdates } from './engine/updates.ts'

/** The services, and those parts of them that the composition goes on with. */
export interface NodeServices {
  readonly services: Services
  readonly state: CoreState
  readonly events: EventHub
  readonly downloads: Downloads
  readonly previews: MetadataPreviews
  readonly maker: TorrentMaker
  readonly updates: Updates
  readonly statistics: NodeStatistics
  readonly settingsChanges: SettingsChanges
  readonly keys: FurtherKeys
  readonly chapters: readonly (OpenedChapter & { readonly id: string })[]
  /** Changed settings of the log of what the process uses. */
  readonly followDebug: (settings: Settings) => void
}

/** Makes them. `chapters`: opened with the services they build upon; `shutDown`: a client asks the node to stop. */
export function makeServices(
  environment: NodeEnvironment,
  chapters: readonly NodeChapter[],
  late: LateParts,
  shutDown: () => void,
): NodeServices {
  const { stateDir, settings, log, version, clock, own, volumes, started } = environment
  const state = new CoreState(() => volumes.facts())
  const eventsLog = log.part('events')
  const events = new EventHub({
    log: eventsLog,
    version,
    started: () => state.started,
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
  })
  const { http, ...found } = makeDownloads(environment, events, late)
  const diskLog = log.part('disk')
  volumes.onChange(({ mount, stalled, silentMs }) => {
    if (stalled) {
      diskLog.warn('a volume does not answer: its downloads wait, all others go on', { mount })
      return events.emit('volume_stalled', { mount })
    }
    diskLog.warn('a volume answers again', { mount, seconds: Math.round(silentMs / 1000) })
    return events.emit('volume_recovered', { mount, seconds: Math.round(silentMs / 1000) })
  })
  const { downloads, previews, updates } = found
  const paths = new AllowedPaths(() => allowedFolders(settings.values), own, volumes)
  const maker = new TorrentMaker({
    clock,
    log: log.part('createtorrent'),
    events,
    paths,
    files: new FreshFiles(volumes),
    downloads,
    createdBy: `Tributary/${version}`,
  })
  const torrentInfo = new TorrentInfo({ clock, previews, downloads })
  const shared = new SharedParts()
  const kernel: Kernel = { ...environment, events, downloads, torrentInfo, shared }
  const opened = chapters.map(chapter => ({ id: chapter.id, ...chapter.open(kernel) }))
  const statistics = new NodeStatistics({
    databaseBytes: () =>
      storedBytes(
        stateDir,
        chapters.flatMap(({ kept }) => kept.stores),
      ),
    figures: Object.assign({}, ...opened.map(chapter => chapter.figures ?? {})) as NodeFigures,
    metadata: () => sumOf(previews.counts, downloads.metadataCounts),
    sources: () => http.counts,
    overlay: () => late.overlay(),
  })
  const docs = settingsDocs(settings)
  const settingsChanges = new SettingsChanges({ effective: () => docs.effective(), log: log.part('settings') })
  const debug = makeDebug({ stateDir, clock, log, volumes })
  started.add('debug', () => debug.stop())
  const keys = new FurtherKeys(stateDir)
  const services: Services = {
    downloads,
    torrentMaker: maker,
    updates,
    state,
    statistics,
    events,
    keys,
    debug: debug.service,
    torrentInfo,
    imports: lateImports(environment, late, { downloads, paths }),
    metrics: lateMetrics(environment, late, () => opened.flatMap(chapter => chapter.metrics?.() ?? [])),
    settings: new NodeSettings({
      source: settings,
      state,
      docs,
      changes: settingsChanges,
      rights: new SettingRights(path => rightOf(settings.table.rights, path), paths),
    }),
    shutdown: { shutDown },
    callerPaths: new CallerPaths(paths),
  }
  return {
    ...found,
    services: Object.assign(services, ...opened.map(chapter => chapter.services)) as Services,
    state,
    events,
    maker,
    statistics,
    settingsChanges,
    keys,
    chapters: opened,
    followDebug: debug.follow,
  }
}

/** Bytes of all stores on the disk. */
async function storedBytes(stateDir: string, others: readonly string[]): Promise<number> {
  const files = [DATABASE_FILE_NAME, ...others].map(name => databaseBytes(join(stateDir, name)))
  return (await Promise.all(files)).reduce((sum, bytes) => sum + bytes, 0)
}

/** Downloads, with what looks at links before them and follows them after. */
function makeDownloads(environment: NodeEnvironment, events: EventHub, late: LateParts) {
  const { stateDir, settings, log, clock, random, own, volumes, started } = environment
  const fetch = makeSourceFetch(environment)
  started.add('sources', () => fetch.close())
  const http = new CountedFetch(fetch)
  const previews = new MetadataPreviews({
    clock,
    log: log.part('torrentinfo'),
    destination: () => settings.values.download_defaults.saveas,
  })
  const downloads = new Downloads({
    clock,
    log: log.part('downloads'),
    events,
    previews,
    files: new FreshFiles(volumes),
    volumes,
    prepareFolder: (folder, use) => prepareFolder(folder, { own, volumes }, use),
    sources: { http, readFile: (file, maxBytes) => readSmallFile(file, maxBytes, volumes) },
    settings: () => downloadSettings(settings.values),
    freeBytes: async folder => {
      const { freeBytes } = await import('../io/files/disk-space.ts')
      return volumes.runInTime(folder, () => freeBytes(folder))
    },
    updates: () => following,
    loadingMarks: new LoadingMarksFile(join(stateDir, 'loading.json')),
    hidden: () => late.hidden(),
  })
  const { updates, following } = makeUpdates({
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
  return { http, previews, downloads, updates }
}
