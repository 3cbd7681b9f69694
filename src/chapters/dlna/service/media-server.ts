// The media server: one library, one list of devices, and at each chosen interface a listener and an announcer. States:
// made -> (start) running -> (stop) over. Interfaces that come and go are followed by looking at them again.

import { AppError, errorText } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { FurtherListener, FurtherListening } from '../../../http/further-listener.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { EventPost } from '../ports/event-post.ts'
import type { FilmDurations } from '../ports/film-durations.ts'
import type { LanInterface } from '../ports/lan-interfaces.ts'
import type { SsdpNetwork } from '../ports/ssdp-network.ts'
import { SERVICES } from '../wire/services.ts'
import { ActionPlaces } from './action-places.ts'
import { Announcer } from './announcer.ts'
import { sourceProtocols } from './content-directory.ts'
import type { DeviceGrants } from './device-grants.ts'
import type { DlnaInterfaceRecord } from './dlna-api.ts'
import { type LibraryDownloads, MediaLibrary } from './media-library.ts'
import { MediaRequests } from './media-requests.ts'
import { MediaStreams } from './media-streams.ts'
import { ShownDurations } from './shown-durations.ts'
import { Subscriptions } from './subscriptions.ts'

/** Between two looks at the interfaces, and at the downloads while somebody subscribes to changes. */
const LOOK_MS = 15_000
/** Between two tries to serve an interface that cannot be served. */
const MOST_WAIT_MS = 600_000

/** Actions answered at a time, and those that wait: each may make a list of thousands. */
const ACTIONS = { atATime: 4, waiting: 32, ofAddress: 12 }

/** How it is set up. */
export interface MediaServerOptions {
  /** What players call it. */
  readonly name: string
  readonly version: string
  /** 0: a free one, the same as in the last run where that is free. */
  readonly port: number
}

/** What it works with. */
export interface MediaServerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Opened. */
  readonly grants: DeviceGrants
  readonly downloads: LibraryDownloads
  readonly listening: FurtherListening
  readonly network: SsdpNetwork
  readonly post: EventPost
  readonly durations: FilmDurations
  /** The interfaces to be served, as they are now. */
  interfaces(): readonly LanInterface[]
}

/** Why an interface is not served. */
interface Problem {
  readonly text: string
  /** Until the next try, of now and of the clock. */
  readonly waitMs: number
  readonly againMs: number
}

interface Served {
  readonly at: LanInterface
  readonly listener: FurtherListener
  readonly announcer: Announcer
  readonly location: string
}

/** The media server: one library, one list of devices, and at each chosen interface a listener and an announcer. */
export class MediaServer {
  readonly #options: MediaServerOptions
  readonly #deps: MediaServerDeps
  readonly #library: MediaLibrary
  readonly #streams: MediaStreams
  readonly #subscriptions: Subscriptions
  readonly #durations: ShownDurations
  readonly #actions = new ActionPlaces(ACTIONS)
  readonly #served = new Map<string, Served>()
  readonly #problems = new Map<string, Problem>()
  /** Why the interfaces cannot be seen; '' = they can. */
  #blind = ''
  #timer: Timer | null = null
  #looking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: MediaServerOptions, deps: MediaServerDeps) {
    this.#options = options
    this.#deps = deps
    const { clock, random, grants, downloads, post, durations } = deps
    const content = SERVICES.find(({ key }) => key === 'content')
    this.#library = new MediaLibrary({
      clock,
      downloads,
      keyOf: infohash => grants.keyOf(infohash),
      changed: () => content !== undefined && this.#subscriptions.changed(content),
    })
    this.#streams = new MediaStreams({ grants, library: this.#library, downloads })
    this.#durations = new ShownDurations({ clock, durations })
    this.#subscriptions = new Subscriptions({
      clock,
      random,
      post,
      variables: ({ key }) => this.#variables(key),
    })
  }

  /** Serves the interfaces that are there, and those that come. */
  async start(): Promise<void> {
    this.#looking = this.#look()
    await this.#looking
    this.#timer = this.#deps.clock.every(LOOK_MS, () => {
      this.#looking = this.#looking.then(() => this.#look())
      if (this.#subscriptions.size > 0) this.#library.current().catch((error: unknown) => this.#say(error))
    })
  }

  /** What is served, and what is in the way. */
  get interfaces(): DlnaInterfaceRecord[] {
    return Array.from(this.#served.values(), ({ at, listener, location }) => {
      return { name: at.name, address: at.ip, port: listener.port, location }
    })
  }

  /** '' = everything is as it should be. */
  get problem(): string {
    if (this.#blind !== '') return this.#blind
    if (this.#problems.size > 0) return Array.from(this.#problems.values(), ({ text }) => text).join(' ')
    return this.#served.size > 0 ? '' : 'No interface to a private network is there that the settings allow.'
  }

  /** Files that a device reads now. */
  streamsOf(device: string): number {
    return this.#streams.countOf(device)
  }

  /** What a device has open ends. */
  cut(device: string, ip: string): void {
    this.#streams.cut(device)
    this.#subscriptions.forget(ip)
  }

  /** Says goodbye and closes everything. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#library.stop()
    this.#subscriptions.stop()
    this.#durations.stop()
    await this.#looking
    await Promise.all(Array.from(this.#served.keys(), ip => this.#close(ip)))
  }

  #variables(key: string): Readonly<Record<string, string | number>> {
    if (key === 'content') return { SystemUpdateID: this.#library.latest.updateId }
    if (key === 'connections')
      return { SourceProtocolInfo: sourceProtocols(), SinkProtocolInfo: '', CurrentConnectionIDs: '0' }
    return {}
  }

  #say(error: unknown): void {
    this.#deps.log.error('the downloads could not be looked at', { error: errorText(error) })
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    try {
      await this.#serveAll(this.#deps.interfaces())
      this.#blind = ''
    } catch (error) {
      if (this.#blind === '')
        this.#deps.log.warn('the interfaces of this machine cannot be seen', { error: errorText(error) })
      this.#blind = `The interfaces of this machine cannot be seen: ${errorText(error)}.`
    }
  }

  async #serveAll(interfaces: readonly LanInterface[]): Promise<void> {
    const present = new Map(interfaces.map(at => [at.ip, at]))
    for (const [ip, { at }] of this.#served) if (present.get(ip)?.bits !== at.bits) await this.#close(ip)
    for (const ip of this.#problems.keys()) if (!present.has(ip)) this.#problems.delete(ip)
    for (const at of present.values())
      if (!this.#served.has(at.ip) && !this.#stopped && this.#isTime(at.ip)) await this.#open(at)
  }

  /** What failed is tried again, less and less often: each try costs the native server memory that it keeps. */
  #isTime(ip: string): boolean {
    return (this.#problems.get(ip)?.againMs ?? 0) <= this.#deps.clock.now()
  }

  async #open(at: LanInterface): Promise<void> {
    try {
      this.#served.set(at.ip, await this.#serve(at))
      this.#problems.delete(at.ip)
      this.#deps.log.info('players in the network are served', { interface: at.name, address: at.ip })
    } catch (error) {
      const before = this.#problems.get(at.ip)
      if (before === undefined)
        this.#deps.log.warn('an interface cannot be served', { interface: at.name, error: errorText(error) })
      const waitMs = before === undefined ? LOOK_MS : Math.min(before.waitMs * 2, MOST_WAIT_MS)
      const againMs = this.#deps.clock.now() + waitMs
      this.#problems.set(at.ip, { text: `${at.name}: ${errorText(error)}`, waitMs, againMs })
    }
  }

  async #serve(at: LanInterface): Promise<Served> {
    const { clock, random, grants, network } = this.#deps
    const { name, version } = this.#options
    const server = `Linux UPnP/1.0 DLNADOC/1.50 Tributary/${version}`
    const requests = new MediaRequests(at, {
      grants,
      library: this.#library,
      streams: this.#streams,
      subscriptions: this.#subscriptions,
      actions: this.#actions,
      durations: this.#durations,
      server,
      description: () => ({ udn: grants.udn, name, version }),
    })
    const identity = {
      udn: grants.udn,
      server,
      get location() {
        return requests.location
      },
    }
    const deps = { clock, random, network, mayAsk: (ip: string) => grants.mayAsk(ip) }
    const announcer = new Announcer(at, identity, deps)
    // The group first, which other programs may have: a listener that is opened in vain costs more.
    await announcer.join()
    let listener: FurtherListener | null = null
    try {
      listener = await this.#listen(at, requests)
      const location = requests.listensAt(listener.port)
      await announcer.start()
      return { at, listener, announcer, location }
    } catch (error) {
      listener?.close()
      await announcer.stop()
      throw error
    }
  }

  /** Links name the port: it stays the same as long as it can. */
  async #listen({ ip }: LanInterface, requests: MediaRequests): Promise<FurtherListener> {
    const { listening, grants } = this.#deps
    const { port } = this.#options
    if (port !== 0) return listening.listenFor({ host: ip, port }, requests)
    const [first] = this.#served.values()
    const before = first?.listener.port ?? grants.port
    const listener = await listening.listenFor({ host: ip, port: before }, requests).catch((error: unknown) => {
      if (before === 0 || !(error instanceof AppError) || error.code !== 'PortTaken') throw error
      return listening.listenFor({ host: ip, port: 0 }, requests)
    })
    if (first === undefined) await grants.keepPort(listener.port)
    return listener
  }

  async #close(ip: string): Promise<void> {
    const served = this.#served.get(ip)
    if (served === undefined) return
    this.#served.delete(ip)
    // Whatever becomes of the goodbye, nobody is answered any more.
    served.listener.close()
    await served.announcer.stop().catch((error: unknown) => {
      this.#deps.log.warn('players were not told goodbye', { interface: served.at.name, error: errorText(error) })
    })
  }
}
