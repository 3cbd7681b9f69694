// The way of every call on a download's files into libuv's threads, kept apart by volume (decision 0470). Which volume
// a path lies on is said by the table of mounts, never by touching it. Invariants: calls to volumes that do not answer
// hold at most half of the threads (one more for each that stops while the half is held); a stalled volume has no new
// call but one, and only when none is out; the volume of the state directory is not held back by others.

import { statfs } from 'node:fs/promises'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { StoreVolume, VolumeChange, VolumeFacts, VolumeTurns, VolumeWatch } from '../../ports/volumes.ts'
import { type Mount, mountOf } from './mounts.ts'
import { type Call, SLOW_MS, Volume } from './volume.ts'

/** Threads of libuv unless UV_THREADPOOL_SIZE says otherwise. */
const DEFAULT_THREADS = 4
/** Calls to the volume of the state directory at a time: more bring nothing (decision 0110). */
const OWN_LANES = 3
/** The table of mounts is read again at most so often. */
const MOUNTS_MS = 1000
/** Paths whose volume is remembered. */
const MAX_PATHS = 4096
/** A job of a worker, or a flush, that takes longer is a reason to ask the volume. */
const JOB_MS = 1000

/** See VolumeLanes. */
export interface VolumeLanesOptions {
  /** Threads of libuv. */
  readonly threads?: number
  /** On whose volume the node itself lives; null: nothing is held apart. */
  readonly statePath: string | null
}

/** What the lanes ask of others. */
export interface VolumeLanesDeps {
  readonly clock: Clock
  /** What is mounted at the start. */
  readonly mounts: readonly Mount[]
  /** What is mounted now. */
  readMounts(): Promise<readonly Mount[]>
  /** Asks the volume of a path for something that no cache answers; default statfs. */
  readonly probe?: (path: string) => Promise<unknown>
}

/** Threads of libuv as the environment sets them. */
export function libuvThreads(env: Readonly<Record<string, string | undefined>>): number {
  const set = Number.parseInt(env['UV_THREADPOOL_SIZE'] ?? '', 10)
  return Number.isNaN(set) ? DEFAULT_THREADS : Math.min(1024, Math.max(1, set))
}

/** Lanes that know no volumes: all paths count to one. */
export function plainLanes(clock: Clock): VolumeLanes {
  return new VolumeLanes({ statePath: null }, { clock, mounts: [], readMounts: () => Promise.resolve([]) })
}

/** The way of every call on a download's files into libuv's threads, kept apart by volume (decision 0470). */
export class VolumeLanes implements VolumeWatch, VolumeTurns {
  readonly #clock: Clock
  readonly #deps: VolumeLanesDeps
  /** Most threads of volumes but that of the state directory. */
  readonly #half: number
  readonly #ownLanes: number
  readonly #statePath: string | null
  readonly #volumes = new Map<string, Volume>()
  readonly #byPath = new Map<string, Volume>()
  /** Volumes that calls wait for, whose turn is next first. */
  readonly #line = new Set<Volume>()
  readonly #listeners = new Set<(change: VolumeChange) => void>()
  readonly #probes = new Map<Volume, string>()
  #mounts: readonly Mount[]
  #mountsMs: number
  #reading: Promise<void> | null = null
  #timer: Timer | null = null

  constructor(options: VolumeLanesOptions, deps: VolumeLanesDeps) {
    const threads = options.threads ?? DEFAULT_THREADS
    this.#clock = deps.clock
    this.#deps = deps
    this.#half = Math.max(1, Math.floor(threads / 2))
    this.#ownLanes = Math.max(1, Math.min(OWN_LANES, threads - 1))
    this.#statePath = options.statePath
    this.#mounts = deps.mounts
    this.#mountsMs = deps.clock.now()
  }

  /** Calls that wait for their turn. */
  get waiting(): number {
    let sum = 0
    for (const volume of this.#volumes.values()) sum += volume.waiting
    return sum
  }

  /**
   * Runs `call`, which works on files below `path`, when its volume has a turn. It must not ask for another turn
   * inside. Waits as long as it takes. AppError PoolBusy: too many wait already.
   */
  async run<T>(path: string, call: () => Promise<T>, flush = false): Promise<T> {
    const volume = this.volumeOf(path)
    const waits = volume.waiting > 0 || this.#room(volume) <= 0
    const begun = waits ? await this.#turn(volume, flush) : volume.begin(this.#clock.now(), flush)
    this.#watch()
    try {
      return await call()
    } finally {
      this.#answered(volume, begun)
    }
  }

  /** Flushes a file below `path`: one flush of a volume at a time. */
  flush<T>(path: string, call: () => Promise<T>): Promise<T> {
    const volume = this.volumeOf(path)
    if (!volume.own) this.#probes.set(volume, path)
    return volume.flushes.run(() => (volume.own ? call() : this.run(path, call, true)))
  }

  /**
   * As run(), for callers that cannot wait: AppError VolumeStalled in time. What the call does may still be done later.
   */
  runInTime<T>(path: string, call: () => Promise<T>): Promise<T> {
    const volume = this.volumeOf(path)
    let given = false
    // A caller that has gone wants nothing done any more.
    const wanted = (): Promise<T> => (given ? Promise.reject(volume.error()) : call())
    return this.#inTime(volume, this.run(path, wanted), () => {
      given = true
    })
  }

  inTime<T>(path: string, work: Promise<T>): Promise<T> {
    return this.#inTime(this.volumeOf(path), work)
  }

  #inTime<T>(volume: Volume, work: Promise<T>, givenUp?: () => void): Promise<T> {
    if (volume.own) return work
    return new Promise((resolve, reject) => {
      const ended = volume.patient({
        sinceMs: this.#clock.now(),
        giveUp: error => {
          givenUp?.()
          reject(error)
        },
      })
      work.finally(ended).then(resolve, reject)
      this.#watch()
    })
  }

  /** Counts a job that a worker does on files below `path`: when it takes long the volume is asked. */
  async watchJob<T>(path: string, job: Promise<T>): Promise<T> {
    const end = this.beginJob(path)
    try {
      return await job
    } finally {
      end()
    }
  }

  /** As watchJob(), until the answered call is made. */
  beginJob(path: string): () => void {
    const volume = this.volumeOf(path)
    const end = volume.beginJob(this.#clock.now())
    if (!volume.own) this.#probes.set(volume, path)
    this.#watch()
    return end
  }

  /** The volume of `path` for a store; `maxBytes`: what may be on its way to it at a time. */
  storeVolume(path: string, maxBytes: number): StoreVolume {
    const volume = (): Volume => this.volumeOf(path)
    const now = (): number => this.#clock.now()
    const nextAnswer = (): Promise<void> => {
      this.#watch()
      return volume().nextAnswer(now())
    }
    return {
      get answers() {
        return volume().readersGo(now())
      },
      get takesMore() {
        return volume().takesMore(now(), maxBytes)
      },
      get stalled() {
        return volume().stalled
      },
      nextAnswer,
      inTime: work => this.#inTime(volume(), work),
    }
  }

  /** The volume of an absolute path. */
  volumeOf(path: string): Volume {
    if (this.#clock.now() - this.#mountsMs >= MOUNTS_MS) void this.refresh()
    const known = this.#byPath.get(path)
    if (known !== undefined) return known
    const volume = this.#find(path)
    if (this.#byPath.size >= MAX_PATHS) this.#byPath.clear()
    this.#byPath.set(path, volume)
    return volume
  }

  /** Reads the table of mounts again; before the use of paths that a client just named. */
  refresh(): Promise<void> {
    this.#mountsMs = this.#clock.now()
    this.#reading ??= this.#deps.readMounts().then(
      mounts => this.#take(mounts),
      () => undefined,
    )
    return this.#reading.finally(() => {
      this.#reading = null
    })
  }

  isOwn(path: string): boolean {
    return this.volumeOf(path).own
  }

  stalledAt(path: string): string | null {
    const volume = this.volumeOf(path)
    return volume.stalled ? volume.mount : null
  }

  facts(): VolumeFacts[] {
    const now = this.#clock.now()
    return [...this.#volumes.values()].map(volume => ({
      mount: volume.mount,
      stalled: volume.stalled,
      silentMs: volume.silentMs(now),
      calls: volume.calls,
      waiting: volume.waiting,
      stateDirectory: volume.own,
    }))
  }

  onChange(listener: (change: VolumeChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #find(path: string): Volume {
    const mount = mountOf(path, this.#mounts)
    const key = mount === null ? '' : mount.device || mount.point
    const known = this.#volumes.get(key)
    if (known !== undefined) return known
    const home = this.#statePath === null ? null : mountOf(this.#statePath, this.#mounts)
    const own = this.#statePath === null || mount === null || (home !== null && home.device === mount.device)
    const volume = new Volume(mount?.point ?? '/', own, this.#clock.now())
    this.#volumes.set(key, volume)
    return volume
  }

  #take(mounts: readonly Mount[]): void {
    if (JSON.stringify(mounts) === JSON.stringify(this.#mounts)) return
    this.#mounts = mounts
    this.#byPath.clear()
    for (const [key, volume] of this.#volumes) if (!volume.busy && volume.readers === 0) this.#volumes.delete(key)
  }

  /** Further calls that a volume may have out. */
  #room(volume: Volume): number {
    if (volume.own) return this.#ownLanes - volume.calls
    let [out, stuck] = [0, 0]
    for (const other of this.#volumes.values()) {
      if (other.own) continue
      out += other.calls
      stuck += other.stuck
    }
    // What is stuck counts against the half, but a volume that may be well does not wait for others: one call is let
    // go.
    const room = volume.stuck > 0 ? this.#half - out : Math.max(1, this.#half - stuck) - (out - stuck)
    return Math.min(volume.room(this.#half), room)
  }

  #turn(volume: Volume, flush: boolean): Promise<Call> {
    return new Promise(go => {
      volume.enqueue({ flush, go })
      this.#line.add(volume)
      this.#watch()
    })
  }

  #answered(volume: Volume, begun: Call): void {
    const now = this.#clock.now()
    const silentMs = volume.silentMs(now)
    if (volume.end(begun, now, this.#half)) this.#tell({ mount: volume.mount, stalled: false, silentMs })
    this.#goOn()
  }

  /** Lets go who has a turn now: one of each volume, round and round. */
  #goOn(): void {
    let idle = 0
    for (const volume of this.#line) {
      // What is put back comes round again.
      this.#line.delete(volume)
      const room = this.#room(volume) > 0
      if (room) volume.next(this.#clock.now())
      idle = room ? 0 : idle + 1
      if (volume.waiting > 0) this.#line.add(volume)
      if (idle > this.#line.size) return
    }
  }

  #tell(change: VolumeChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  #watch(): void {
    if (this.#timer !== null) return
    this.#timer = this.#clock.after(SLOW_MS, () => {
      this.#timer = null
      this.#look()
    })
  }

  #look(): void {
    const now = this.#clock.now()
    let busy = false
    for (const volume of this.#volumes.values()) {
      if (volume.look(now)) this.#tell({ mount: volume.mount, stalled: true, silentMs: volume.silentMs(now) })
      this.#probe(volume, now)
      busy ||= volume.busy
    }
    this.#goOn()
    if (busy) this.#watch()
  }

  /** A worker may be stuck where no call of ours is, and a flush says nothing for half a minute. */
  #probe(volume: Volume, now: number): void {
    const path = this.#probes.get(volume)
    if (path === undefined || volume.workMs(now) < JOB_MS || volume.asked) return
    const probe = this.#deps.probe ?? statfs
    this.run(path, () => probe(path)).catch(() => undefined)
  }
}
