// The one place where all parts meet: made in order, stopped in reverse. The HTTP front comes first, so that /state,
// /events and the list answer while the store and the engine are still being opened.

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, errorText } from '../base/errors.ts'
import { AddressPolicy } from '../io/address-policy.ts'
import { AllowedPaths, FreshFiles } from '../io/client-paths.ts'
import { SystemClock } from '../io/clock.ts'
import { GuardedFetch } from '../io/guarded-fetch.ts'
import { GuardedPost } from '../io/guarded-post.ts'
import { prepareFolder, readSmallFile } from '../io/local-paths.ts'
import type { NodeLog } from '../io/log.ts'
import { makeNetworkStack, type NetworkStack } from '../io/network-stack.ts'
import { SystemRandom } from '../io/random.ts'
import { SharedArena } from '../pools/arena.ts'
import { DATABASE_FILE_NAME } from '../records/database-file.ts'
import type { ClientPaths } from '../ports/new-files.ts'
import type { PieceStores } from '../ports/piece-store.ts'
import type { ProgressJournal } from '../ports/progress-journal.ts'
import type { RecordsStore } from '../records/records-store.ts'
import type { ImportService, MetricsService, Services } from '../services/api.ts'
import { CallerPaths } from '../services/caller-paths.ts'
import { tellCircuitEvents } from '../services/circuit-events.ts'
import { CircuitFigures } from '../services/circuit-figures.ts'
import { type DownloadSettings, Downloads } from '../services/downloads.ts'
import { EventHub } from '../services/events.ts'
import { MetadataPreviews } from '../services/metadata-previews.ts'
import { NodeSettings } from '../services/settings.ts'
import { SettingsChanges } from '../services/settings-changes.ts'
import { NodeStatistics } from '../services/statistics.ts'
import { CoreState } from '../services/state.ts'
import { TorrentMaker } from '../services/torrent-maker.ts'
import { TorrentInfo } from '../services/torrent-info.ts'
import type { Session } from '../torrent/index.ts'
import type { Updates } from '../services/updates.ts'
import { Webhooks, type WebhookSettings } from '../services/webhooks.ts'
import { CountedFetch, sumOf } from '../services/work-counts.ts'
import { databaseBytes } from './database-bytes.ts'
import type { EngineParts } from './engine-parts.ts'
import { logLevels } from './log-levels.ts'
import { makeDebug } from './process-inspection.ts'
import { FurtherKeys } from './further-keys.ts'
import { baseUrls, makeHttpFront } from './http-front.ts'
import { openLinkSecret } from './link-secret.ts'
import { networkOptions } from './network-options.ts'
import { startsAtOnce } from './overlay-options.ts'
import { OverlayParts } from './overlay-parts.ts'
import { switchedOff } from './overlay-switch.ts'
import { ProcessPriority } from './process-priority.ts'
import { settingsDocs } from './settings-docs.ts'
import type { Settings } from './settings-schema.ts'
import { SideServices } from './side-services.ts'
import type { SettingsStore } from './settings-store.ts'
import { makeUpdates } from './updates.ts'
import { holdYoungSpace } from './young-space.ts'

/** What a node is made from; opened by main, closed by main. */
export interface NodeOptions {
  readonly stateDir: string
  readonly settings: SettingsStore
  readonly log: NodeLog
  readonly version: string
}

/** Parts of the time to stop: the engine tells trackers and saves, the others have little left to do. */
const ENGINE_SHARE = 0.6
const HTTP_SHARE = 0.2
const RECORDS_SHARE = 0.15
const OVERLAY_SHARE = 0.05

/** The page of a release tells more than its version. */
const MAX_VERSION_BYTES = 256 * 1024

/** The database takes longer to open than this. */
const FIRST_ANSWER_MS = 10

/** A part that was started, with how it is stopped. */
interface StartedPart {
  readonly name: string
  stop(deadlineMs: number): Promise<unknown>
}

/** One node. start() once, stop() once; stop() works after a failed start too. */
export class TributaryNode {
  /** Resolves when a part died that the node cannot be without. */
  readonly failed: Promise<Error>
  /** Resolves when a client asked the node to stop. */
  readonly stopAsked: Promise<void>
  readonly #options: NodeOptions
  readonly #clock = new SystemClock()
  readonly #priority: ProcessPriority
  readonly #random = new SystemRandom()
  readonly #keys: FurtherKeys
  readonly #policy: AddressPolicy
  readonly #stack: NetworkStack
  readonly #sourceFetch: GuardedFetch
  readonly #rangeArena: SharedArena
  readonly #state = new CoreState()
  readonly #statistics: NodeStatistics
  readonly #events: EventHub
  readonly #settingsChanges: SettingsChanges
  readonly #previews: MetadataPreviews
  readonly #downloads: Downloads
  readonly #maker: TorrentMaker
  readonly #updates: Updates
  readonly #services: Services
  readonly #upgradeGivenUp = new AbortController()
  /** In the order they were started. */
  readonly #started: StartedPart[] = []
  #engine: EngineParts | null = null
  #overlay: OverlayParts | null = null
  #journal: ProgressJournal | null = null
  #fail: (error: Error) => void = () => undefined
  readonly #followDebug: (settings: Settings) => void
  #askToStop: () => void = () => undefined

  constructor(options: NodeOptions) {
    this.#options = options
    const { settings, log, version } = options
    this.failed = new Promise(resolve => {
      this.#fail = resolve
    })
    this.#priority = new ProcessPriority(log)
    this.stopAsked = new Promise(resolve => {
      this.#askToStop = resolve
    })
    this.#keys = new FurtherKeys(options.stateDir)
    this.#policy = new AddressPolicy(settings.values.network.allow_private)
    const clock = this.#clock
    this.#stack = makeNetworkStack(networkOptions(settings.values.libtorrent), {
      clock,
      random: this.#random,
      log: log.part('network'),
      policy: this.#policy,
    })
    this.#started.push({ name: 'network', stop: () => Promise.resolve(this.#stack.stop()) })
    const { resolver, route } = this.#stack.trackers
    this.#sourceFetch = new GuardedFetch(
      { userAgent: `Tributary/${version}` },
      { policy: this.#policy, resolver, route },
    )
    this.#rangeArena = new SharedArena({ id: 'range', bytes: settings.values.disk.range_arena_bytes })
    const http = new CountedFetch(this.#sourceFetch)
    const sources = { http, readFile: readSmallFile }
    this.#events = new EventHub({
      log: log.part('events'),
      version,
      started: () => this.#state.started,
      now: () => clock.now(),
    })
    this.#previews = new MetadataPreviews({
      clock,
      log: log.part('torrentinfo'),
      destination: () => settings.values.download_defaults.saveas,
    })
    this.#downloads = new Downloads({
      clock,
      log: log.part('downloads'),
      events: this.#events,
      sources,
      previews: this.#previews,
      settings: () => downloadSettings(settings.values),
      prepareFolder,
      freeBytes: async folder => (await import('../io/disk-space.ts')).freeBytes(folder),
      files: new FreshFiles(),
      updates: () => following,
    })
    const { updates, following } = makeUpdates({
      ...{ stateDir: options.stateDir, clock, random: this.#random, log: log.part('updates') },
      ...{ events: this.#events, downloads: this.#downloads, settings: () => settings.values },
    })
    this.#updates = updates
    const paths = new AllowedPaths(() => allowedFolders(settings.values))
    this.#maker = new TorrentMaker({
      clock,
      log: log.part('createtorrent'),
      events: this.#events,
      paths,
      files: new FreshFiles(),
      downloads: this.#downloads,
      createdBy: `Tributary/${version}`,
    })
    this.#statistics = new NodeStatistics({
      databaseBytes: () => databaseBytes(join(options.stateDir, DATABASE_FILE_NAME)),
      metadata: () => sumOf(this.#previews.counts, this.#downloads.metadataCounts),
      sources: () => http.counts,
      overlay: () => this.#overlay?.facts ?? null,
    })
    const docs = settingsDocs(settings)
    this.#settingsChanges = new SettingsChanges({ effective: () => docs.effective(), log: log.part('settings') })
    const metrics = this.#makeMetrics()
    const imports = this.#makeImports(paths)
    const debug = makeDebug({ stateDir: options.stateDir, clock, log })
    this.#followDebug = debug.follow
    this.#started.push({ name: 'debug', stop: () => debug.stop() })
    this.#services = {
      downloads: this.#downloads,
      torrentInfo: new TorrentInfo({ clock, previews: this.#previews, downloads: this.#downloads }),
      torrentMaker: this.#maker,
      imports: { run: async (...asked) => (await imports()).run(...asked) },
      updates,
      settings: new NodeSettings({ source: settings, state: this.#state, docs, changes: this.#settingsChanges }),
      state: this.#state,
      statistics: this.#statistics,
      events: this.#events,
      shutdown: { shutDown: () => this.#askToStop() },
      debug: debug.service,
      circuits: new CircuitFigures({
        overlay: () => this.#overlay?.facts ?? null,
        randomSlots: () => settings.values.tunnel_community.random_slots,
        forbiddenBy: () => switchedOff(settings.values),
        startFailure: () => circuitFailure(this.#engine),
      }),
      metrics: { families: async () => (await metrics()).families() },
      callerPaths: new CallerPaths(paths),
      keys: this.#keys,
    }
  }

  /**
   * Starts every part; settles when all downloads are loaded. `listening` is called as soon as the interface answers.
   * AppErrors PortTaken, StateUnreadable and whatever else stands in the way; then stop() is still to be called.
   */
  async start(listening: (baseUrls: readonly string[]) => void): Promise<void> {
    this.#followFirst()
    this.#followDebug(this.#options.settings.values)
    listening(await this.#startHttp())
    // Threads that are made from here on have it too.
    this.#priority.follow(this.#options.settings.values.resource_monitor.cpu_priority)
    const [records, { startEngine }] = await Promise.all([this.#openRecords(), loadEngine()])
    const release = holdYoungSpace()
    await this.#load(records, startEngine).finally(release)
    this.#state.markStarted()
    this.#events.emit('tribler_started')
  }

  async #load(records: RecordsStore, startEngine: typeof import('./engine-parts.ts').startEngine): Promise<void> {
    const { settings } = this.#options
    await this.#events.open(records.events)
    this.#started.push({ name: 'events', stop: () => this.#events.close() })
    const webhooks = this.#makeWebhooks(records)
    this.#started.push({ name: 'webhooks', stop: () => webhooks.stop() })
    await webhooks.start()
    this.#follow(settings.values, (_settings, changed) => {
      if (changed.some(path => path.startsWith('webhooks.'))) void webhooks.settingsChanged()
    })
    await this.#downloads.openStore(records.downloads)
    const given = settings.values
    const overlay = this.#makeOverlay(records)
    const engine = await startEngine(
      { stateDir: this.#options.stateDir, settings: given, version: this.#options.version },
      {
        clock: this.#clock,
        random: this.#random,
        log: this.#options.log,
        policy: this.#policy,
        stack: this.#stack,
        rangeArena: this.#rangeArena,
        journal: records.progress,
        contents: records.contents,
        values: records.values,
        events: this.#downloads.engineEvents,
        circuits: overlay,
        onRepeatedLoss: () => this.#fail(new AppError('WorkerLost', 'Worker threads died again and again.')),
      },
    )
    this.#started.push({ name: 'engine', stop: deadlineMs => engine.stop(deadlineMs * ENGINE_SHARE) })
    // It may take long until all downloads are loaded.
    this.#follow(given, engine.follow)
    this.#state.setPort('libtorrent~port', engine.session.listenPort)
    this.#state.setNetwork(engine.network)
    this.#statistics.setNetwork(engine.counts)
    this.#engine = engine
    this.#journal = records.progress
    this.#previews.start(engine.session, records.metadata, engine.anonymous)
    void this.#settingsChanges.open(records.settingsHistory)
    this.#started.push({ name: 'previews', stop: () => this.#previews.stop() })
    this.#started.push({ name: 'downloads', stop: () => this.#downloads.stop() })
    this.#maker.start({ contents: engine.contents, journal: records.progress })
    this.#started.push({ name: 'torrents being made', stop: () => this.#maker.stop() })
    await this.#downloads.load(engine.session, engine.anonymous)
    void overlay.startIfAsked(startsAtOnce(settings.values))
    await this.#updates.start(records.updates, engine.items)
    this.#started.push({ name: 'updates', stop: () => this.#updates.stop() })
    const sides = this.#makeSideServices(records)
    this.#started.push({ name: 'side services', stop: () => sides.stop() })
    void sides.follow()
    this.#follow(settings.values, () => void sides.follow())
  }

  /** Circuits end after the engines that use them. */
  #makeOverlay({ values }: RecordsStore): OverlayParts {
    const { settings, log, stateDir } = this.#options
    const overlay = new OverlayParts({
      ...{ stateDir, values, clock: this.#clock, random: this.#random, log: log.part('overlay'), stack: this.#stack },
      settings: () => settings.values,
    })
    this.#overlay = overlay
    const logged = log.part('circuits')
    const ended = tellCircuitEvents(overlay.facts, { clock: this.#clock, events: this.#events, log: logged })
    this.#started.push({
      name: 'overlay',
      stop: async deadlineMs => {
        ended()
        await overlay.stop(deadlineMs * OVERLAY_SHARE)
      },
    })
    return overlay
  }

  #makeSideServices(records: RecordsStore): SideServices {
    const { settings, log, version } = this.#options
    const { resolver, route } = this.#stack.trackers
    return new SideServices({
      ...{ clock: this.#clock, random: this.#random, log, version, events: this.#events, downloads: this.#downloads },
      ...{ seen: records.seenFiles, values: records.values, settings: () => settings.values },
      makeHttp: () =>
        new GuardedFetch(
          { userAgent: `Tributary/${version}`, maxBytes: MAX_VERSION_BYTES },
          { policy: this.#policy, resolver, route },
        ),
    })
  }

  /** Made when somebody asks for figures. */
  #makeMetrics(): () => Promise<MetricsService> {
    const { version, stateDir } = this.#options
    let made: Promise<MetricsService> | null = null
    const make = async (): Promise<MetricsService> => {
      const { makeMetrics } = await import('./metrics.ts')
      const metrics = makeMetrics({
        ...{ clock: this.#clock, version, engine: () => this.#engine, overlay: () => this.#overlay?.facts ?? null },
        databaseBytes: () => databaseBytes(join(stateDir, DATABASE_FILE_NAME)),
      })
      this.#started.push({ name: 'metrics', stop: () => Promise.resolve(metrics.stop()) })
      return metrics.service
    }
    return () => (made ??= make())
  }

  /** Made when somebody imports. */
  #makeImports(paths: ClientPaths): () => Promise<ImportService> {
    const { log } = this.#options
    let made: Promise<ImportService> | null = null
    const make = async (session: Session, stores: PieceStores, journal: ProgressJournal): Promise<ImportService> => {
      const { makeImports } = await import('./imports.ts')
      const imports = makeImports({
        ...{ clock: this.#clock, random: this.#random, log: log.part('import'), stores, journal, paths, prepareFolder },
        ...{ downloads: this.#downloads, room: () => session.room() },
      })
      this.#started.push({ name: 'imports', stop: () => imports.stop() })
      return imports
    }
    return () => {
      if (this.#engine === null || this.#journal === null) throw new AppError('NotReady')
      return (made ??= make(this.#engine.session, this.#engine.stores, this.#journal))
    }
  }

  #makeWebhooks(records: RecordsStore): Webhooks {
    const { settings, log, version } = this.#options
    const { resolver, route } = this.#stack.trackers
    return new Webhooks({
      clock: this.#clock,
      random: this.#random,
      log: log.part('webhooks'),
      http: new GuardedPost(
        { userAgent: `Tributary/${version}`, localIp: null },
        { policy: this.#policy, resolver, route },
      ),
      events: records.events,
      values: records.values,
      follow: (since, deliver) => this.#events.follow(since, deliver),
      settings: () => webhookSettings(settings.values),
    })
  }

  /** Ends a start that is upgrading the store: that may take minutes, and goes on with the next start. */
  giveUpUpgrade(): void {
    if (this.#state.upgrading) this.#upgradeGivenUp.abort()
  }

  /** Stops every part, the newest first. Never rejects; what fails or is late is logged. */
  async stop(limitMs: number): Promise<void> {
    for (const part of this.#started.splice(0).reverse()) {
      try {
        await part.stop(limitMs)
      } catch (error) {
        this.#options.log.error('a part did not stop cleanly', { name: part.name, error })
      }
    }
  }

  /** An error nobody caught: to the log, to /state and to whoever listens. The node goes on. */
  noteException(error: unknown): void {
    this.#options.log.error('unhandled exception', { error })
    const name = error instanceof Error ? error.name : 'Error'
    this.#events.emit('tribler_exception', { text: this.#state.noteException(`${name}: ${errorText(error)}`) })
  }

  async #startHttp(): Promise<string[]> {
    const { settings, log, version, stateDir } = this.#options
    const { api } = settings.values
    const server = makeHttpFront(api, {
      ...{ rangeArena: this.#rangeArena, clock: this.#clock, random: this.#random, log: log.part('http') },
      ...{ services: this.#services, furtherKeys: this.#keys, version, linkSecret: await openLinkSecret(stateDir) },
      onException: error => this.noteException(error),
    })
    this.#started.push({ name: 'sources', stop: () => this.#sourceFetch.close() })
    this.#started.push({ name: 'http', stop: deadlineMs => server.stop(deadlineMs * HTTP_SHARE) })
    const ports = await server.start()
    if (ports.http !== null) this.#state.setPort('http_api~port', ports.http)
    if (ports.https !== null) this.#state.setPort('https_api~port', ports.https)
    // Streams are read there; clients of the interface look for them under this name.
    this.#state.setPort('video_server~port', ports.http ?? ports.https ?? 0)
    return baseUrls(api, ports)
  }

  async #openRecords(): Promise<RecordsStore> {
    const path = join(this.#options.stateDir, DATABASE_FILE_NAME)
    const store = await import('../records/records-store.ts')
    const records = await store.RecordsStore.open({
      path,
      signal: this.#upgradeGivenUp.signal,
      onFatal: error => this.#fail(error),
      onUpgrade: ({ id, type, text }) => {
        this.#state.markUpgrading(type !== 'upgrader_finished')
        this.#events.publishLogged(id, type, text === null ? null : { text })
      },
    })
    this.#started.push({ name: 'records', stop: deadlineMs => records.close(deadlineMs * RECORDS_SHARE) })
    return records
  }

  /** Calls `follow` at every change of settings; now too when there was one since a part was made with `known`. */
  #follow(known: Settings, follow: (settings: Settings, changed: readonly string[]) => void): void {
    const { settings } = this.#options
    settings.onChange((changed, values) => follow(values, changed))
    if (settings.values !== known) follow(settings.values, [])
  }

  /** Parts that are there from the first moment. */
  #followFirst(): void {
    this.#follow(this.#options.settings.values, settings => {
      this.#policy.setAllowed(settings.network.allow_private)
      this.#priority.follow(settings.resource_monitor.cpu_priority)
      this.#followDebug(settings)
      this.#options.log.setLevel(settings.general.log_level, logLevels(settings.general.log_levels))
    })
  }
}

/** The engine, which the first answer does without: loaded while the database opens, when who waited has been answered. */
async function loadEngine(): Promise<typeof import('./engine-parts.ts')> {
  await delay(FIRST_ANSWER_MS)
  return import('./engine-parts.ts')
}

/** How circuits that are wanted failed at last, of any number of hops; '' = they did not. */
function circuitFailure(engine: EngineParts | null): string {
  const failures = [1, 2, 3].map(hops => engine?.anonymous.facts(hops).lastFailure ?? '')
  return failures.find(failure => failure !== '') ?? ''
}

function downloadSettings({ download_defaults: defaults, libtorrent }: Settings): DownloadSettings {
  return {
    anonymityEnabled: defaults.anonymity_enabled,
    numberHops: defaults.number_hops,
    safeSeedingEnabled: defaults.safeseeding_enabled,
    saveAs: defaults.saveas,
    maxDownloadRate: libtorrent.max_download_rate,
    maxUploadRate: libtorrent.max_upload_rate,
    seedingMode: defaults.seeding_mode,
    seedingRatio: defaults.seeding_ratio,
    seedingMinutes: defaults.seeding_time,
    completedDir: defaults.completed_dir,
    torrentFolder: defaults.torrent_folder,
    trackersFile: defaults.trackers_file,
    checkAfterComplete: libtorrent.check_after_complete,
  }
}

/** Folders that keys of limited scope may name paths in (decisions part 1). */
function allowedFolders({ general, download_defaults, watch_folder }: Settings): string[] {
  const { directory } = watch_folder
  return [download_defaults.saveas, ...(directory === '' ? [] : [directory]), ...general.allowed_paths]
}

function webhookSettings({ webhooks }: Settings): WebhookSettings {
  return { urls: webhooks.urls, types: new Set(webhooks.events), secret: webhooks.secret }
}
