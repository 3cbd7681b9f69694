// The trackers of one torrent: who is asked, when, with which event (BEP 3, 12, 31). States: idle -> (start) running ->
// (stop) stopping -> idle. While running, one round at a time walks the tiers until one tracker answers (or one of each
// lane, announce-lanes.ts); then it sleeps in the shared due queue. `completed` and `stopped` go to every tracker that
// heard `started`, once each.

import { errorText } from '../base/errors.ts'
import { infoHashBytes } from '../base/ids.ts'
import type { HashAnnouncer, AnnouncerParams, TrackerRow } from '../ports/announcer.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeptAnnounces } from '../ports/kept-announces.ts'
import type { Log } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { AnnounceEvent, AnnounceReply, AnnounceRequest } from '../wire/tracker/tracker-types.ts'
import type { AnnounceGate } from './announce-gate.ts'
import { AnnounceRecord } from './announce-record.ts'
import { AnnounceSession } from './announce-session.ts'
import { announceLanes, type AnnounceSpread, type Lane } from './announce-lanes.ts'
import type { Due, DueQueue } from './due-queue.ts'
import { TierList } from './tier-list.ts'
import { type TrackerClient, TrackerError } from './tracker-client.ts'
import { nextChanceMs, TrackerEntries } from './tracker-entries.ts'
import { hostOf, type PaceOptions, TrackerEntry } from './tracker-entry.ts'

/** A user may force an announce this often: who asks more often asks a tracker for a ban. */
const FORCE_EVERY_MS = 10_000

/** Trackers that were taken away and are remembered: as many as one torrent may have. */
const MAX_GONE = 256

/** Times and counts of announcing; see trackerDefaults. */
export interface TorrentAnnouncerOptions extends PaceOptions {
  /** Most peers asked for at once. */
  readonly maxNumWant: number
  /** How long stop() waits for a `started` or `completed` that is on its way. */
  readonly stopGraceMs: number
}

/** What all announcers share. */
export interface TorrentAnnouncerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly due: DueQueue
  readonly gate: AnnounceGate
  /** The client for a URL, or null when its scheme is not supported. */
  clientFor(url: string): TrackerClient | null
  /** How long a first announce waits, ms: thousands of seeds do not begin in one moment. */
  startDelayMs(wantsPeers: boolean): number
  /** The port in announces, 0 while it is not known: then `whenPort` sets what waits for it. */
  listenPort(): number
  whenPort(waiting: Due): void
  /** How many trackers to announce a torrent to. */
  spread(): AnnounceSpread
  /** A tracker says at which address it sees us (BEP 24). */
  externalIp?(ip: string, host: string): void
  /** Keeps over restarts when trackers may be asked; absent: not kept. */
  readonly kept?: KeptAnnounces | undefined
}

/** Which of a tracker's times a round keeps to. */
interface RoundPace {
  /** Each in its own time. */
  readonly inTurn: boolean
  readonly urgent: boolean
}

/** The announcing of one torrent. */
export class TorrentAnnouncer implements HashAnnouncer {
  readonly #options: TorrentAnnouncerOptions
  readonly #deps: TorrentAnnouncerDeps
  readonly #params: AnnouncerParams
  /** Made with the first announce: most of many thousands at a start wait long for theirs. */
  #key: number | null = null
  /** What of the entries outlives the process. */
  readonly #outlives: AnnounceRecord
  readonly #tierList: TierList
  readonly #entries = new TrackerEntries()
  /** Trackers that were taken away: who is added again is not asked earlier for that. At most MAX_GONE. */
  #gone: Map<string, TrackerEntry> | null = null
  readonly #roundDue: Due
  /** Ends with the session: everything but farewells hangs on it. */
  #session: AnnounceSession | null = null
  #roundActive = false
  /** The next round does not wait for the interval of trackers that work. */
  #soon = false
  /** A user waits: the next round goes by the trackers' own min intervals. */
  #urgent = false
  /** Once ever: also after a stop, a check, or a piece that was lost. */
  #completedTold: boolean
  /** Keeps `revision` growing when trackers go. */
  #goneRevisions = 0
  #stopping: Promise<void> | null = null
  #startAgain = false

  constructor(options: TorrentAnnouncerOptions, deps: TorrentAnnouncerDeps, params: AnnouncerParams) {
    this.#options = options
    this.#deps = deps
    this.#params = params
    this.#completedTold = params.completedBefore === true
    this.#outlives = new AnnounceRecord(params.infoHash, deps)
    this.#tierList = new TierList(params.tiers, deps.random)
    for (const url of this.#tierList.order()) this.#addEntry(url)
    this.#roundDue = deps.due.create(() => this.#startRound())
  }

  start(): void {
    if (this.#stopping !== null) this.#startAgain = true
    if (this.#session !== null || this.#stopping !== null) return
    this.#session = new AnnounceSession()
    for (const entry of this.#entries.values()) this.#reset(entry)
    if (this.#entries.size === 0) return
    this.#roundDue.set(this.#deps.startDelayMs(this.#params.wantedPeers() > 0))
  }

  completed(): void {
    if (this.#session === null) return
    for (const entry of this.#entries.values()) {
      const hears = entry.heardStarted || entry.held || entry.inFlight?.event === 'started'
      if (hears && !this.#completedTold) {
        entry.completedDue = true
        void this.#outlives.keep(entry, true)
      }
      this.#tellCompleted(entry)
    }
    this.#completedTold = true
  }

  announceSoon(urgent = false): void {
    if (this.#session === null || this.#roundActive) return
    this.#soon = true
    this.#urgent ||= urgent
    const atMs = nextChanceMs(this.#ordered(), this.#deps.clock.now(), this.#urgent)
    if (atMs !== null) this.#roundDue.set(atMs - this.#deps.clock.now())
  }

  addTiers(tiers: readonly (readonly string[])[]): string[] {
    const added = this.#tierList.add(tiers)
    for (const url of added) this.#addEntry(url)
    // A tracker that answers is enough (BEP 12); without one the new ones are asked at once.
    const { allTiers, allTrackers } = this.#deps.spread()
    const enough = [...this.#entries.values()].some(entry => entry.heardStarted && entry.retryAtMs === 0)
    const wanted = allTiers || allTrackers || !enough
    if (added.length > 0 && this.#session !== null && wanted) this.#roundDue.set(0)
    return added
  }

  remove(urls: readonly string[]): string[] {
    const gone = urls.filter(url => this.#tierList.remove(url))
    this.#forget(gone)
    return gone
  }

  setTiers(tiers: readonly (readonly string[])[]): void {
    const before = this.#tierList.order()
    this.#tierList.set(tiers)
    const after = this.#tierList.order()
    // Those that stay keep what they said and when they may be asked.
    for (const url of after) if (!before.includes(url)) this.#addEntry(url)
    this.#goneRevisions += 1
    this.#forget(before.filter(url => !after.includes(url)))
    if (this.#session !== null && !this.#roundActive) this.#roundDue.set(0)
  }

  /** Takes what is known of trackers that are no more in the list. */
  #forget(gone: readonly string[]): void {
    for (const url of gone) {
      const entry = this.#entries.get(url)
      if (entry === undefined) continue
      this.#entries.delete(url)
      this.#goneRevisions += entry.revision + 2
      this.#gone ??= new Map()
      if (this.#gone.size >= MAX_GONE) this.#gone.clear()
      this.#gone.set(url, entry)
      if (this.#session !== null) void this.#farewellAlone(entry)
    }
    // It may have been the one that was asked for peers.
    if (gone.length > 0 && this.#session !== null && !this.#roundActive) this.#roundDue.set(0)
  }

  announceNow(urls: readonly string[] | null): number {
    const session = this.#session
    if (session === null || this.#deps.listenPort() === 0) return 0
    const nowMs = this.#deps.clock.now()
    const asked = this.#ordered().filter(
      entry =>
        (urls === null || urls.includes(entry.url)) &&
        entry.inFlight === null &&
        entry.retryAtMs !== Number.POSITIVE_INFINITY &&
        // `completed` is for the tracker; everything else waits as long as it asked for.
        !(entry.toldToWait && entry.retryAtMs > nowMs) &&
        (this.#nextEvent(entry) === 'completed' || nowMs >= entry.soonestMs) &&
        nowMs - entry.forcedMs >= FORCE_EVERY_MS,
    )
    for (const entry of asked) {
      entry.forcedMs = nowMs
      void this.#announce(entry, this.#nextEvent(entry), session)
    }
    return asked.length
  }

  tiers(): string[][] {
    return this.#tierList.tiers()
  }

  get revision(): number {
    let revision = this.#entries.size + this.#goneRevisions
    for (const entry of this.#entries.values()) revision += entry.revision
    return revision
  }

  rows(): TrackerRow[] {
    const runs = this.#session !== null
    return this.#tierList
      .tiers()
      .flatMap((urls, tier) => urls.flatMap(url => this.#entries.get(url)?.row(tier, runs) ?? []))
  }

  stop(deadlineMs: number): Promise<void> {
    this.#startAgain = false
    if (this.#stopping !== null) return this.#stopping
    if (this.#session === null) return Promise.resolve()
    this.#session.end()
    this.#session = null
    this.#roundDue.cancel()
    // Thousands of seeds have told no tracker yet when a node ends soon after its start.
    if (!this.#isHeard) return Promise.resolve()
    this.#stopping = this.#farewells(deadlineMs).finally(() => {
      this.#stopping = null
      if (this.#startAgain) this.start()
    })
    return this.#stopping
  }

  /** Some tracker heard of this session, or is hearing of it. */
  get #isHeard(): boolean {
    for (const entry of this.#entries.values()) if (entry.heardStarted || entry.inFlight !== null) return true
    return false
  }

  #addEntry(url: string): void {
    const entry = new TrackerEntry(url)
    if (entry.host === '' || this.#deps.clientFor(url) === null) entry.unusable('this kind of tracker is not supported')
    this.#entries.add(entry)
    const before = this.#gone?.get(url)
    if (before !== undefined) entry.continue(before)
    else this.#outlives.recall(entry)
    this.#gone?.delete(url)
    if (this.#session !== null) this.#reset(entry)
  }

  #reset(entry: TrackerEntry): void {
    entry.reset(this.#deps.clock.now(), () => this.#params.counters())
  }

  #nextEvent(entry: TrackerEntry): AnnounceEvent {
    return entry.nextEvent(this.#params.counters().left === 0)
  }

  #ordered(): TrackerEntry[] {
    return this.#tierList.order().flatMap(url => this.#entries.get(url) ?? [])
  }

  #startRound(): void {
    const session = this.#session
    if (session === null || this.#roundActive) return
    if (this.#deps.listenPort() === 0) {
      this.#deps.whenPort(this.#roundDue)
      return
    }
    this.#roundActive = true
    void this.#round(session)
      .catch((error: unknown) => {
        this.#deps.log.error('announce round failed', { error: errorText(error) })
        return this.#options.defaultIntervalSec * 1_000
      })
      .then(delayMs => {
        this.#roundActive = false
        if (this.#session === null) return
        // Stopped and started again meanwhile: this round was of the old session.
        if (this.#session !== session) this.#roundDue.set(0)
        else if (delayMs !== null) this.#roundDue.set(delayMs)
      })
  }

  /** Asks along every lane. Resolves with the delay until the next round, null for none. */
  async #round(session: AnnounceSession): Promise<number | null> {
    const soon = this.#soon
    const urgent = this.#urgent
    this.#soon = false
    this.#urgent = false
    const tiers = this.#tierList.tiers().map(tier => tier.flatMap(url => this.#entries.get(url) ?? []))
    const lanes = announceLanes(tiers, this.#deps.spread())
    // Where one tracker is enough its own time has come: else there would be no round.
    const inTurn = !soon && (lanes.length > 1 || lanes.some(lane => lane.some(step => step.length > 1)))
    const times = await Promise.all(lanes.map(lane => this.#walk(lane, { inTurn, urgent }, session)))
    const due = times.filter(atMs => atMs !== null)
    return due.length === 0 ? null : Math.min(...due) - this.#deps.clock.now()
  }

  /** Asks step after step until a tracker answers. Answers when the lane is due again, clock ms; null = never. */
  async #walk(lane: Lane<TrackerEntry>, pace: RoundPace, session: AnnounceSession): Promise<number | null> {
    for (const step of lane) {
      if (session.ended) return null
      const times = await Promise.all(step.map(entry => this.#ask(entry, pace, session)))
      const due = times.filter(atMs => atMs !== null)
      if (due.length === 0) continue
      // Who failed beside others that answered is asked again after its back-off.
      const failed = step.filter((entry, at) => times[at] === null && this.#entries.get(entry.url) === entry)
      return Math.min(...due, ...failed.map(entry => entry.retryAtMs))
    }
    return nextChanceMs(lane.flat(), this.#deps.clock.now(), false)
  }

  /** Asks one tracker, if it may be asked. When it is due again, clock ms; null = it does not answer. */
  async #ask(entry: TrackerEntry, { inTurn, urgent }: RoundPace, session: AnnounceSession): Promise<number | null> {
    const { clock } = this.#deps
    // Taken away meanwhile, or backing off.
    if (this.#entries.get(entry.url) !== entry || entry.retryAtMs > clock.now()) return null
    if (inTurn && entry.heardStarted && entry.nextMs > clock.now()) return entry.nextMs
    const earliestMs = urgent ? entry.soonestMs : entry.earliestMs
    if (earliestMs > clock.now()) {
      this.#callKnown(entry)
      return earliestMs
    }
    // An event announce of its own is on its way to it: what that brings is what this round wants.
    if (entry.inFlight !== null) await entry.inFlight.done
    else await this.#announce(entry, this.#nextEvent(entry), session)
    if (session.ended || entry.retryAtMs > clock.now()) return null
    this.#tierList.promote(entry.url)
    return entry.nextMs
  }

  /** While its `started` has to wait, the peers of its last answer are used as the answer. */
  #callKnown(entry: TrackerEntry): void {
    if (entry.heardStarted || this.#params.wantedPeers() === 0) return
    const { peers } = entry.hold
    if (peers.length > 0) this.#params.onPeers(peers, 'tracker')
  }

  #tellCompleted(entry: TrackerEntry): void {
    const session = this.#session
    if (session === null || this.#nextEvent(entry) !== 'completed' || entry.inFlight !== null) return
    void this.#announce(entry, 'completed', session).then(taken => {
      // It stays due; the walk of the tiers that a failure asks for comes back to this tracker.
      if (!taken) this.announceSoon()
    })
  }

  /** One announce to one tracker, with all bookkeeping; never rejects. True when the tracker took it. */
  #announce(entry: TrackerEntry, event: AnnounceEvent, ends: AnnounceSession): Promise<boolean> {
    const abort = new AbortController()
    const unheard = ends.onEnd(() => {
      // A `started` or `completed` on its way is given its grace by stop().
      if (event === null || event === 'stopped') abort.abort()
    })
    const done = this.#exchange(entry, event, abort.signal)
      .catch((error: unknown) => {
        this.#deps.log.error('announce failed unexpectedly', { error: errorText(error) })
        this.#handleFailure(entry, event, new TrackerError('the announce failed inside this node'))
        return false
      })
      .then(taken => {
        unheard()
        entry.inFlight = null
        // Only after a success: a tracker that fails is asked again after its back-off, by a round.
        if (taken) this.#tellCompleted(entry)
        return taken
      })
    entry.inFlight = { event, abort, done }
    return done
  }

  async #exchange(entry: TrackerEntry, event: AnnounceEvent, signal: AbortSignal): Promise<boolean> {
    const client = this.#deps.clientFor(entry.url)
    if (client === null) return false
    const pass = await this.#deps.gate.enter(entry.host, event === 'stopped', signal)
    if (pass === null) return false
    // An announce before its regular time was asked for by a user, who may ask again after a kill.
    const pressing = event !== null || this.#deps.clock.now() < entry.nextMs
    try {
      const request = this.#request(entry, event)
      entry.hold.sent(event, this.#deps.clock.now())
      // A kill in the moment after it left must find it kept; `stopped` has no time to wait for that, and changes
      // nothing.
      const kept = event === 'completed' ? this.#outlives.noteTold(entry, signal) : this.#outlives.keep(entry, pressing)
      if (event !== 'stopped') await kept
      const reply = await client.announce(entry.url, request, signal)
      this.#handleReply(entry, event, reply)
      void this.#outlives.keep(entry, pressing)
      return true
    } catch (error) {
      if (!(error instanceof TrackerError)) throw error
      if (!signal.aborted) this.#handleFailure(entry, event, error)
      else if (event === 'completed' && !error.unheard) entry.completedDue = false
      // Nothing was heard of it: another run says it, if this one cannot.
      if (event === 'completed') void this.#outlives.keep(entry, true)
      return false
    } finally {
      pass.release()
    }
  }

  #request(entry: TrackerEntry, event: AnnounceEvent): AnnounceRequest {
    const wanted = event === 'stopped' ? 0 : this.#params.wantedPeers()
    this.#key ??= Buffer.from(this.#deps.random.bytes(4)).readUInt32BE(0)
    return {
      ...entry.sinceStarted(event, this.#params.counters()),
      infoHash: infoHashBytes(this.#params.infoHash),
      peerId: this.#params.peerId,
      port: this.#deps.listenPort(),
      event,
      numWant: Math.max(0, Math.min(this.#options.maxNumWant, Math.floor(wanted))),
      key: this.#key,
      trackerId: entry.trackerId,
    }
  }

  #handleFailure(entry: TrackerEntry, event: AnnounceEvent, error: TrackerError): void {
    this.#deps.log.debug('announce failed', { host: entry.host, error: error.message })
    const nowMs = this.#deps.clock.now()
    entry.failed(event, error, nowMs, this.#options, this.#deps.random)
    entry.noteNext(this.#deps.clock)
  }

  #handleReply(entry: TrackerEntry, event: AnnounceEvent, reply: AnnounceReply): void {
    const nowMs = this.#deps.clock.now()
    entry.hold.heard(event, reply, this.#params.wantedPeers() > 0, nowMs, this.#options.maxIntervalSec)
    entry.succeeded(event, reply, nowMs, this.#options)
    entry.noteNext(this.#deps.clock)
    if (reply.warning !== null) this.#deps.log.info('tracker warns', { host: entry.host, warning: reply.warning })
    const session = this.#session
    if (reply.externalIp !== null) this.#deps.externalIp?.(reply.externalIp, hostOf(entry.url))
    if (session === null || event === 'stopped') return
    if (reply.peers.length > 0) this.#params.onPeers(reply.peers, 'tracker')
    if (reply.seeders === null || reply.leechers === null) void this.#scrape(entry, session)
  }

  /** Counts for trackers whose announce gives none (BEP 48). One failure is enough to leave it. */
  async #scrape(entry: TrackerEntry, session: AnnounceSession): Promise<void> {
    const client = this.#deps.clientFor(entry.url)
    if (client === null || entry.scrapeUseless) return
    const abort = new AbortController()
    const unheard = session.onEnd(() => abort.abort())
    try {
      await this.#scrapeBy(client, entry, abort.signal)
    } finally {
      unheard()
    }
  }

  async #scrapeBy(client: TrackerClient, entry: TrackerEntry, signal: AbortSignal): Promise<void> {
    const pass = await this.#deps.gate.enter(entry.host, false, signal)
    if (pass === null) return
    try {
      const [counts = null] = await client.scrape(entry.url, [infoHashBytes(this.#params.infoHash)], signal)
      if (counts === null) entry.scrapeUseless = true
      else entry.counted(counts.seeders, counts.leechers)
    } catch (error) {
      if (!signal.aborted) entry.scrapeUseless = true
      this.#deps.log.debug('scrape failed', { host: entry.host, error: errorText(error) })
    } finally {
      pass.release()
    }
  }

  async #farewells(deadlineMs: number): Promise<void> {
    const deadline = new AnnounceSession()
    const entries = [...this.#entries.values()]
    const deadlineDue = this.#deps.due.create(() => deadline.end())
    const graceDue = this.#deps.due.create(() => {
      for (const entry of entries) if (entry.inFlight?.event !== 'stopped') entry.inFlight?.abort.abort()
    })
    deadlineDue.set(deadlineMs)
    graceDue.set(Math.min(deadlineMs, this.#options.stopGraceMs))
    await Promise.all(entries.map(entry => this.#farewell(entry, deadline)))
    deadlineDue.cancel()
    graceDue.cancel()
  }

  /** To a tracker that was taken away while others stay. */
  async #farewellAlone(entry: TrackerEntry): Promise<void> {
    const deadline = new AnnounceSession()
    const due = this.#deps.due.create(() => deadline.end())
    due.set(this.#options.stopGraceMs)
    await this.#farewell(entry, deadline)
    due.cancel()
  }

  async #farewell(entry: TrackerEntry, deadline: AnnounceSession): Promise<void> {
    await entry.inFlight?.done
    if (!entry.heardStarted || deadline.ended) return
    await this.#announce(entry, 'stopped', deadline)
    entry.heardStarted = false
  }
}
