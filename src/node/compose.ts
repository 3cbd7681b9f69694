// The one place where all parts meet: made in order, stopped in reverse. The HTTP front comes first, so that /state,
// /events and the list answer while the store and the engine are still being opened.

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, errorText } from '../base/errors.ts'
import { AddressPolicy } from '../io/net/address-policy.ts'
import { SystemClock } from '../io/clock.ts'
import { collectSoon, giveBackMemory } from '../io/process/give-back.ts'
import { nativePart } from '../io/native-part.ts'
import { checkMachineCodeOnce, comparedServer } from '../io/process/machine-code.ts'
import { mountsNow } from '../io/files/mounts.ts'
import { makeNetworkStack } from '../io/net/network-stack.ts'
import { StateFiles } from '../io/files/own-files.ts'
import { SystemRandom } from '../io/random.ts'
import { libuvThreads, VolumeLanes } from '../io/files/volume-lanes.ts'
import { SharedArena } from '../pools/arena.ts'
import type { ProgressJournal } from '../ports/progress-journal.ts'
import { DATABASE_FILE_NAME } from '../records/database-file.ts'
import type { RecordsStore } from '../records/records-store.ts'
import type { HiddenOnes } from '../services/downloads/downloads-deps.ts'
import { Webhooks } from '../services/events/webhooks.ts'
import { sharesOf, shortageText } from './engine/descriptor-shares.ts'
import type { OverlayNetwork } from '../ports/overlay-network.ts'
import { allHidden, type EngineAdditions } from './engine/engine-additions.ts'
import type { EngineParts } from './engine/engine-parts.ts'
import type { NodeChapter } from './chapter.ts'
import type { NodeEnvironment, NodeOptions } from './environment.ts'
import { baseUrls, makeHttpFront } from './http-front.ts'
import { openLinkSecret } from './state/link-secret.ts'
import { logLevels } from './settings/log-levels.ts'
import { networkOptions } from './engine/network-options.ts'
import { type FurtherListening, type HttpServer, routeTable } from '../http/index.ts'
import { makeVersionFetch, makeWebhookPost } from './outgoing-http.ts'
import { ProcessPriority } from './process-priority.ts'
import { webhookSettings } from './settings/service-settings.ts'
import { makeServices, type NodeServices } from './services.ts'
import type { Settings } from './settings/settings-schema.ts'
import { SideServices } from './side-services.ts'
import { StartedParts } from './started-parts.ts'
import { StartMemory } from './start-memory.ts'
import { holdYoungGeneration } from './young-generation.ts'

/** Of the time that the engine is waited for, ms: what it takes to close when its sessions have ended late. */
const ENGINE_REST_MS = 150
/** Parts of the time to stop: the engine tells trackers and saves, the others have little left to do. */
const HTTP_SHARE = 0.2
const RECORDS_SHARE = 0.15

/** What is kept of it for a part, whatever others take that do not end. */
const KEPT = { engine: 0.35, records: RECORDS_SHARE, http: 0.15 } as const

/** The database takes longer to open than this. */
const FIRST_ANSWER_MS = 10

/** One node. start() once, stop() once; stop() works after a failed start too. */
export class TributaryNode {
  /** Resolves when a part died that the node cannot be without. */
  readonly failed: Promise<Error>
  /** Resolves when a client asked the node to stop. */
  readonly stopAsked: Promise<void>
  readonly #environment: NodeEnvironment
  readonly #chapters: readonly NodeChapter[]
  readonly #priority: ProcessPriority
  readonly #rangeArena: SharedArena
  readonly #parts: NodeServices
  readonly #upgradeGivenUp = new AbortController()
  /** Where the native server lies; compared while everything else is made. */
  readonly #nativeServer: Promise<string | null>
  #engine: EngineParts | null = null
  #journal: ProgressJournal | null = null
  #hidden: HiddenOnes | null = null
  #fail: (error: Error) => void = () => undefined
  #askToStop: () => void = () => undefined

  /**
   * `chapters`: what is built upon the core, those that others need first. Throws AppErrors InvalidSetting, and
   * MachineCodeChanged where a device is to be kept to with code that is not what this version was made with.
   */
  constructor(options: NodeOptions, chapters: readonly NodeChapter[]) {
    this.#chapters = chapters
    const { settings, log } = options
    this.#nativeServer = comparedServer(settings.values.disk.hash !== 'node')
    // Heard of when it is to be loaded.
    this.#nativeServer.catch(() => undefined)
    this.failed = new Promise(resolve => {
      this.#fail = resolve
    })
    this.stopAsked = new Promise(resolve => {
      this.#askToStop = resolve
    })
    this.#priority = new ProcessPriority(log)
    this.#environment = environmentOf(options)
    this.#rangeArena = new SharedArena({ id: 'range', bytes: settings.values.disk.range_arena_bytes })
    const late = {
      engine: () => this.#engine,
      overlay: () => this.#overlays(),
      journal: () => this.#journal,
      hidden: () => this.#hidden,
    }
    this.#parts = makeServices(this.#environment, chapters, late, () => this.#askToStop())
  }

  /**
   * Starts every part; settles when all downloads are loaded. `listening` is called as soon as the interface answers.
   * AppErrors PortTaken, StateUnreadable and whatever else stands in the way; then stop() is still to be called.
   */
  async start(listening: (baseUrls: readonly string[]) => void): Promise<void> {
    this.#followFirst()
    this.#parts.followDebug(this.#environment.settings.values)
    const shortage = shortageText(this.#environment.settings.values)
    if (shortage !== null) this.#environment.log.warn(shortage)
    const front = await this.#makeHttp()
    listening(await this.#startHttp(front))
    // Threads that are made from here on have it too.
    this.#priority.follow(this.#environment.settings.values.resource_monitor.cpu_priority)
    const loading = loadEngine()
    // Heard of below, when the database is among what is stopped.
    loading.catch(() => undefined)
    const records = await this.#openRecords()
    const { startEngine } = await loading
    const release = holdYoungGeneration()
    await this.#load(records, startEngine, front).finally(release)
    this.#parts.state.markStarted()
    this.#giveBackLater(records)
    this.#parts.events.emit('tribler_started')
  }

  /** What only the start has used: V8's own part first, of which the second time finds whole pages free. */
  #giveBackLater(records: RecordsStore): void {
    const { clock, settings, started } = this.#environment
    if (settings.values.disk.hash === 'node') return
    const collect = (): void => {
      collectSoon()
      records.rest(nativePart)
    }
    const memory = new StartMemory({
      clock,
      busyMs: () => performance.eventLoopUtilization().active,
      steps: [collect, collect, () => void giveBackMemory()],
    })
    memory.start()
    started.add('memory of the start', async () => memory.stop())
  }

  async #load(
    records: RecordsStore,
    startEngine: typeof import('./engine/engine-parts.ts').startEngine,
    listening: FurtherListening,
  ): Promise<void> {
    const { settings, started } = this.#environment
    const { events, downloads, previews, maker, updates, rates, settingsChanges } = this.#parts
    await events.open(records.events)
    started.add('events', () => events.close())
    await this.#startWebhooks(records)
    await downloads.openStore(records.downloads)
    this.#parts.watching.open(records.watching)
    await rates.start(records.rates)
    started.add('rates', () => rates.stop())
    await records.announces.load()
    this.#openForStore(records)
    const engine = await this.#startEngine(records, startEngine)
    previews.start(engine.session, records.metadata, engine.anonymous)
    void settingsChanges.open(records.settingsHistory)
    started.add('previews', () => previews.stop())
    started.add('downloads', () => downloads.stop())
    maker.start({ contents: engine.contents, journal: records.progress })
    started.add('torrents being made', () => maker.stop())
    await downloads.load(engine.session, engine.anonymous)
    this.#follow(settings.values, (_settings, changed) => {
      if (changed.includes('disk.scrub_days')) downloads.scrubDaysChanged()
    })
    await updates.start(records.updates, engine.items)
    started.add('updates', () => updates.stop())
    this.#startSideServices(records)
    for (const chapter of this.#parts.chapters) {
      this.#environment.started.add(chapter.id, limitMs => chapter.stop(limitMs), chapter.kept)
      void chapter.start({ records, engine, listening, rangeArena: this.#rangeArena })
    }
  }

  async #startEngine(
    records: RecordsStore,
    startEngine: typeof import('./engine/engine-parts.ts').startEngine,
  ): Promise<EngineParts> {
    const { stateDir, settings, version, log, clock, random, policy, stack, own, volumes, started } = this.#environment
    const { state, statistics, downloads } = this.#parts
    const given = settings.values
    const engine = await startEngine(
      { stateDir, settings: given, version },
      {
        clock,
        random,
        log,
        policy,
        stack,
        own,
        volumes,
        rangeArena: this.#rangeArena,
        additions: await this.#engineAdditions(),
        journal: records.progress,
        contents: records.contents,
        values: records.values,
        announces: records.announces,
        events: downloads.engineEvents,
        onRepeatedLoss: () => this.#fail(new AppError('WorkerLost', 'Worker threads died again and again.')),
      },
    )
    // A thousand trackers' worth of farewells takes what there is.
    const stopIn = (limitMs: number, mostMs: number): number => Math.max(limitMs * KEPT.engine, mostMs - ENGINE_REST_MS)
    started.add('engine', (limitMs, mostMs) => engine.stop(stopIn(limitMs, mostMs)), KEPT.engine)
    // It may take long until all downloads are loaded.
    this.#follow(given, engine.follow)
    state.setPort('libtorrent~port', engine.session.listenPort)
    state.setNetwork(engine.network)
    statistics.setNetwork(engine.counts)
    this.#engine = engine
    this.#journal = records.progress
    return engine
  }

  /** What ends after the engine: what its downloads go through. */
  #openForStore(records: RecordsStore): void {
    for (const { id, storeOpened } of this.#parts.chapters) {
      const stop = storeOpened?.(records)
      if (stop !== undefined) this.#environment.started.add(`${id}, below the engine`, limitMs => stop(limitMs))
    }
  }

  async #engineAdditions(): Promise<EngineAdditions> {
    const { chapters } = this.#parts
    const hidden = await Promise.all(chapters.flatMap(chapter => chapter.hidden?.() ?? []))
    this.#hidden = allHidden(hidden)
    const makers = await Promise.all(chapters.flatMap(chapter => chapter.anonymous?.() ?? []))
    return { hidden, anonymous: makers[0] ?? null }
  }

  #overlays(): OverlayNetwork | null {
    for (const { network } of this.#parts.chapters) if (network !== undefined) return network()
    return null
  }

  #startSideServices(records: RecordsStore): void {
    const { settings, log, version, clock, random, own, volumes, started } = this.#environment
    const { events, downloads } = this.#parts
    const sides = new SideServices({
      clock,
      random,
      log,
      version,
      own,
      volumes,
      events,
      downloads,
      seen: records.seenFiles,
      values: records.values,
      switchSlow: enabled => this.#parts.slowMode.switchBySchedule(enabled),
      settings: () => settings.values,
      makeHttp: () => makeVersionFetch(this.#environment),
    })
    started.add('side services', () => sides.stop())
    void sides.follow()
    this.#follow(settings.values, () => void sides.follow())
  }

  async #startWebhooks(records: RecordsStore): Promise<void> {
    const { settings, log, clock, random, started } = this.#environment
    const webhooks = new Webhooks({
      clock,
      random,
      log: log.part('webhooks'),
      http: makeWebhookPost(this.#environment),
      events: records.events,
      values: records.values,
      follow: (since, deliver) => this.#parts.events.follow(since, deliver),
      settings: () => webhookSettings(settings.values),
    })
    started.add('webhooks', () => webhooks.stop())
    await webhooks.start()
    this.#follow(settings.values, (_settings, changed) => {
      if (changed.some(path => path.startsWith('webhooks.'))) void webhooks.settingsChanged()
    })
  }

  /** Where the dashboard signs a browser in, once: what follows the address of the node. For the owner's eyes alone. */
  loginPath(): string {
    return `/#/login/${this.#parts.services.login.offer({ scopes: ['owner'], anywhere: false }).code}`
  }

  /** Ends a start that is upgrading the store: that may take minutes, and goes on with the next start. */
  giveUpUpgrade(): void {
    if (this.#parts.state.upgrading) this.#upgradeGivenUp.abort()
  }

  /**
   * Stops every part, the newest first. Never rejects; what fails or is late is logged. False: something was cut off.
   */
  stop(limitMs: number): Promise<boolean> {
    return this.#environment.started.stopWithin(limitMs)
  }

  /** An error nobody caught: to the log, to /state and to whoever listens. The node goes on. */
  noteException(error: unknown): void {
    this.#environment.log.error('unhandled exception', { error })
    const name = error instanceof Error ? error.name : 'Error'
    this.#parts.events.emit('tribler_exception', {
      text: this.#parts.state.noteException(`${name}: ${errorText(error)}`),
    })
  }

  async #makeHttp(): Promise<HttpServer> {
    const { settings, log, version, stateDir, clock, random } = this.#environment
    const { services, keys, links } = this.#parts
    return makeHttpFront(settings.values.api, {
      rangeArena: this.#rangeArena,
      clock,
      random,
      log: log.part('http'),
      routes: routeTable(
        () => this.#chapters.flatMap(chapter => chapter.routes()),
        this.#chapters.map(({ events }) => events),
      ),
      services,
      furtherKeys: keys,
      givenLinks: links,
      version,
      linkSecret: await openLinkSecret(stateDir),
      maxConnections: sharesOf(settings.values).http,
      onException: error => this.noteException(error),
    })
  }

  async #startHttp(server: HttpServer): Promise<string[]> {
    const { settings, started } = this.#environment
    const { state } = this.#parts
    const { api } = settings.values
    started.add('http', deadlineMs => server.stop(deadlineMs * HTTP_SHARE), KEPT.http)
    const ports = await server.start(await this.#nativeServer)
    if (ports.http !== null) state.setPort('http_api~port', ports.http)
    if (ports.https !== null) state.setPort('https_api~port', ports.https)
    // Streams are read there; clients of the interface look for them under this name.
    state.setPort('video_server~port', ports.http ?? ports.https ?? 0)
    return baseUrls(api, ports)
  }

  async #openRecords(): Promise<RecordsStore> {
    const path = join(this.#environment.stateDir, DATABASE_FILE_NAME)
    const store = await import('../records/records-store.ts')
    const records = await store.RecordsStore.open({
      path,
      signal: this.#upgradeGivenUp.signal,
      onFatal: error => this.#fail(error),
      onUpgrade: ({ id, type, text }) => {
        this.#parts.state.markUpgrading(type !== 'upgrader_finished')
        this.#parts.events.publishLogged(id, type, text === null ? null : { text })
      },
    })
    const { started } = this.#environment
    started.add('records', deadlineMs => records.close(deadlineMs * RECORDS_SHARE), KEPT.records)
    return records
  }

  /** Calls `follow` at every change of settings; now too when there was one since a part was made with `known`. */
  #follow(known: Settings, follow: (settings: Settings, changed: readonly string[]) => void): void {
    const { settings } = this.#environment
    settings.onChange((changed, values) => follow(values, changed))
    if (settings.values !== known) follow(settings.values, [])
  }

  /** Parts that are there from the first moment. */
  #followFirst(): void {
    const { settings: store, policy, log } = this.#environment
    this.#follow(store.values, settings => {
      policy.setAllowed(settings.network.allow_private)
      this.#priority.follow(settings.resource_monitor.cpu_priority)
      this.#parts.followDebug(settings)
      log.setLevel(settings.general.log_level, logLevels(settings.general.log_levels))
    })
  }
}

/**
 * The engine, which the first answer does without: loaded while the database opens, when who waited has been answered.
 * Rejects with AppError MachineCodeChanged where machine code that it may load is not what this version was made with.
 */
async function loadEngine(): Promise<typeof import('./engine/engine-parts.ts')> {
  await delay(FIRST_ANSWER_MS)
  checkMachineCodeOnce(['koffi', 'sodium-native'])
  return import('./engine/engine-parts.ts')
}

function environmentOf(options: NodeOptions): NodeEnvironment {
  const { settings, log } = options
  const clock = new SystemClock()
  const random = new SystemRandom()
  const policy = new AddressPolicy(settings.values.network.allow_private)
  const parts = { clock, random, log: log.part('network'), policy }
  const network = networkOptions(settings.values.libtorrent)
  // The stack loads koffi at once where it keeps to a device; other nodes compare it after the first answer.
  if (network.bindTo.some(({ kind }) => kind === 'device')) checkMachineCodeOnce(['koffi'])
  const stack = makeNetworkStack(network, parts)
  const started = new StartedParts(log)
  started.add('network', () => Promise.resolve(stack.stop()))
  const { stateDir } = options
  const real = realpathSync(stateDir)
  const volumes = new VolumeLanes(
    { threads: libuvThreads(process.env), statePath: real },
    // At once: the table lies in memory, and a client that names a folder waits for it.
    { clock, mounts: mountsNow(), readMounts: () => Promise.resolve(mountsNow()) },
  )
  const own = new StateFiles({ stateDir, real }, () => settings.values.watch_folder.directory, volumes)
  return { ...options, clock, random, policy, stack, own, volumes, started }
}
