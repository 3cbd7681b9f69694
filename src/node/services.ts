// The services of a node, made before anything of the engine or the store is there: the HTTP front has them all from
// the first moment, and those that need more answer NotReady until they are given it.

import { AllowedPaths, FreshFiles } from '../io/files/client-paths.ts'
import type { Services } from '../services/api.ts'
import { CallerPaths } from '../services/caller-paths.ts'
import { CoreState } from '../services/diagnostics/state.ts'
import type { NodeStatistics } from '../services/diagnostics/statistics.ts'
import type { Downloads } from '../services/downloads/downloads.ts'
import type { SharingService } from '../services/downloads/bound/bound-api.ts'
import { Sharing } from '../services/downloads/bound/sharing.ts'
import { TorrentInfo } from '../services/downloads/torrent-info.ts'
import { BoundEvents } from '../services/events/bound-events.ts'
import { EventHub } from '../services/events/events.ts'
import { Folders } from '../services/folders/folders.ts'
import { LoginCodes } from '../services/login/login-codes.ts'
import { TorrentMaker } from '../services/making/torrent-maker.ts'
import { BannedPeers } from '../services/peers/banned-peers.ts'
import { SettingRights } from '../services/settings/setting-rights.ts'
import { NodeSettings } from '../services/settings/settings.ts'
import { SettingsChanges } from '../services/settings/settings-changes.ts'
import { SlowMode } from '../services/slow-mode/slow-mode.ts'
import { Watching } from '../services/watching/watching.ts'
import type { NodeChapter } from './chapter.ts'
import { type DownloadServices, makeDownloads } from './download-services.ts'
import type { NodeEnvironment } from './environment.ts'
import type { OpenedChapter } from './kernel.ts'
import { lateImports, lateMetrics, type LateParts } from './late-services.ts'
import { makeDebug } from './process-inspection.ts'
import { allowedFolders, downloadSettings, slowModeSettings } from './settings/service-settings.ts'
import { settingsDocs } from './settings/settings-docs.ts'
import { rightOf } from './settings/settings-rights.ts'
import type { Settings } from './settings/settings-schema.ts'
import { SharedParts } from './shared-parts.ts'
import { FurtherKeys } from './state/further-keys.ts'
import { GivenLinkFile } from './state/given-links.ts'
import { makeStatistics } from './statistics.ts'

/** A chapter that has its services. */
type ChapterOfNode = OpenedChapter & { readonly id: string }

/** The services, and those parts of them that the composition goes on with. */
export interface NodeServices extends Omit<DownloadServices, 'http'> {
  readonly services: Services
  readonly state: CoreState
  readonly events: EventHub
  readonly maker: TorrentMaker
  readonly watching: Watching
  readonly statistics: NodeStatistics
  readonly settingsChanges: SettingsChanges
  readonly slowMode: SlowMode
  readonly keys: FurtherKeys
  readonly links: GivenLinkFile
  readonly chapters: readonly ChapterOfNode[]
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
  const core = makeCore(environment, late)
  const { shared, torrentInfo, ...parts } = core
  const kernel = { ...environment, events: core.events, downloads: core.downloads, torrentInfo, shared }
  const opened = chapters.map(chapter => ({ id: chapter.id, ...chapter.open(kernel) }))
  const stores = chapters.flatMap(({ kept }) => kept.stores)
  const statistics = makeStatistics(environment.stateDir, { ...core, chapters: opened, stores, late })
  const { settings, settingsChanges } = makeSettings(environment, core)
  const slowMode = makeSlowMode(environment, settings, core.events)
  const debug = makeDebug(environment)
  environment.started.add('debug', () => debug.stop())
  const services: Services = {
    downloads: core.downloads,
    torrentMaker: core.maker,
    updates: core.updates,
    watching: core.watching,
    rates: core.rates,
    state: core.state,
    statistics,
    events: core.events,
    keys: core.keys,
    login: new LoginCodes({ ...environment, keys: core.keys }),
    links: core.links,
    sharing: makeSharing(environment, core),
    debug: debug.service,
    torrentInfo,
    imports: lateImports(environment, late, core),
    metrics: lateMetrics(environment, late, () => opened.flatMap(chapter => chapter.metrics?.() ?? [])),
    settings,
    slowMode,
    bannedPeers: new BannedPeers({ settings, current: () => environment.settings.values.network.banned_peers }),
    shutdown: { shutDown },
    callerPaths: new CallerPaths(core.paths),
    folders: makeFolders(environment, core.paths),
  }
  Object.assign(services, ...opened.map(chapter => chapter.services))
  return { ...parts, services, statistics, settingsChanges, slowMode, chapters: opened, followDebug: debug.follow }
}

/** Its code is loaded when the first key that is bound to a label is used. */
function makeSharing({ settings, clock, log }: NodeEnvironment, { downloads, events }: CoreServices): SharingService {
  const make = (): Sharing =>
    new Sharing({
      downloads,
      labelled: downloads.byLabel,
      eventsOf: has => new BoundEvents(events, has),
      clock,
      log: log.part('sharing'),
      settings: () => downloadSettings(settings.values),
    })
  let made: Sharing | null = null
  return { view: label => (made ??= make()).view(label) }
}

function makeFolders({ settings, volumes }: NodeEnvironment, paths: AllowedPaths): Folders {
  const looks = async () => new (await import('../io/files/listed-folders.ts')).ListedFolders(volumes)
  return new Folders({
    paths,
    looks: { look: async real => (await looks()).look(real) },
    usual: () => settings.values.download_defaults.saveas,
    allowed: () => allowedFolders(settings.values),
  })
}

/** What chapters and the other services are built upon. */
interface CoreServices extends DownloadServices {
  readonly state: CoreState
  readonly events: EventHub
  readonly paths: AllowedPaths
  readonly maker: TorrentMaker
  readonly watching: Watching
  readonly torrentInfo: TorrentInfo
  readonly keys: FurtherKeys
  readonly links: GivenLinkFile
  readonly shared: SharedParts
}

function makeCore(environment: NodeEnvironment, late: LateParts): CoreServices {
  const { stateDir, settings, clock, own, volumes } = environment
  const state = new CoreState(() => volumes.facts())
  const events = makeEvents(environment, state)
  tellOfVolumes(environment, events)
  const found = makeDownloads(environment, events, late)
  const { downloads, previews } = found
  const paths = new AllowedPaths(() => allowedFolders(settings.values), own, volumes)
  return {
    ...found,
    state,
    events,
    paths,
    maker: makeMaker(environment, { events, paths, downloads }),
    watching: new Watching({ clock, downloads }),
    torrentInfo: new TorrentInfo({ clock, previews, downloads }),
    keys: new FurtherKeys(stateDir),
    links: new GivenLinkFile(stateDir, environment.log.part('links')),
    shared: new SharedParts(),
  }
}

function makeEvents({ log, version, clock }: NodeEnvironment, state: CoreState): EventHub {
  return new EventHub({
    log: log.part('events'),
    version,
    started: () => state.started,
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
  })
}

/** A volume stops to answer, or answers again: to the log and to whoever listens. */
function tellOfVolumes({ log, volumes }: NodeEnvironment, events: EventHub): void {
  const diskLog = log.part('disk')
  volumes.onChange(({ mount, stalled, silentMs }) => {
    if (stalled) {
      diskLog.warn('a volume does not answer: its downloads wait, all others go on', { mount })
      return events.emit('volume_stalled', { mount })
    }
    diskLog.warn('a volume answers again', { mount, seconds: Math.round(silentMs / 1000) })
    return events.emit('volume_recovered', { mount, seconds: Math.round(silentMs / 1000) })
  })
}

function makeMaker(
  { clock, log, volumes, version }: NodeEnvironment,
  parts: { readonly events: EventHub; readonly paths: AllowedPaths; readonly downloads: Downloads },
): TorrentMaker {
  return new TorrentMaker({
    ...parts,
    clock,
    log: log.part('createtorrent'),
    files: new FreshFiles(volumes),
    createdBy: `Tributary/${version}`,
  })
}

function makeSettings(
  { settings: source, log }: NodeEnvironment,
  { state, paths }: CoreServices,
): { readonly settings: NodeSettings; readonly settingsChanges: SettingsChanges } {
  const docs = settingsDocs(source)
  const changes = new SettingsChanges({ effective: () => docs.effective(), log: log.part('settings') })
  const rights = new SettingRights(path => rightOf(source.table.rights, path), paths)
  return { settings: new NodeSettings({ source, state, docs, changes, rights }), settingsChanges: changes }
}

function makeSlowMode(
  { settings: source, clock }: NodeEnvironment,
  settings: Pick<NodeSettings, 'change'>,
  events: EventHub,
): SlowMode {
  const slowMode = new SlowMode({
    settings,
    clock,
    tell: (enabled, cause) => events.emit('slow_mode_changed', { enabled, cause }),
    current: () => slowModeSettings(source.values),
  })
  source.onChange(() => slowMode.settingsChanged())
  return slowMode
}
