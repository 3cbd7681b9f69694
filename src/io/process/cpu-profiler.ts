// A CPU profile over all threads that run JavaScript: the main thread and every worker, also those that start
// meanwhile. Written as one .cpuprofile file, in portions. One that is not stopped ends by itself, so that it does not
// grow for ever.

import { mkdir, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { diskError } from '../files/disk-errors.ts'
import { type CpuProfile, joinProfiles, type ThreadProfile } from './joined-profile.ts'
import { type InspectedThread, ThreadInspector } from './thread-inspector.ts'

/** Microseconds between two samples of a thread. */
const SAMPLE_US = 1000
/** At most 300,000 samples a thread. */
const LIMIT_MS = 5 * 60_000
/** A thread in native code hands its profile out when it is back. */
const ANSWER_LIMIT_MS = 3000
/** Files kept, the newest. */
const MAX_FILES = 10
/** Members of an array written at a time: a millisecond. */
const PORTION = 2000
const SUFFIX = '.cpuprofile'

/** A profile under way. */
export interface ProfileRun {
  /** Ends it; the path of its file. AppErrors DiskFull, DiskError. The second call gives the same. */
  stop(): Promise<string>
}

/** Where it goes, and what to call when it ends by itself. */
export interface CpuProfilerOptions {
  /** Folder for the files; made. */
  readonly folder: string
  /** Milliseconds after which it ends by itself; default five minutes. */
  readonly limitMs?: number
  /** It ended by itself: its file, or why there is none. */
  ended(file: Promise<string>): void
}

/** Starts profiling; settles when the main thread is sampled. */
export async function startCpuProfile(options: CpuProfilerOptions): Promise<ProfileRun> {
  const run = new CpuProfileRun(options)
  await run.start()
  return run
}

class CpuProfileRun implements ProfileRun {
  readonly #options: CpuProfilerOptions
  readonly #inspector: ThreadInspector
  readonly #workers: InspectedThread[] = []
  #timer: NodeJS.Timeout | null = null
  #file: Promise<string> | null = null

  constructor(options: CpuProfilerOptions) {
    this.#options = options
    this.#inspector = new ThreadInspector(worker => {
      this.#workers.push(worker)
      void begin(worker).catch(() => undefined)
    })
  }

  async start(): Promise<void> {
    try {
      await begin(this.#inspector.main)
    } catch (error) {
      this.#inspector.close()
      throw error
    }
    const { limitMs = LIMIT_MS, ended } = this.#options
    this.#timer = setTimeout(() => ended(this.stop()), limitMs).unref()
  }

  stop(): Promise<string> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#file ??= this.#finish()
    return this.#file
  }

  async #finish(): Promise<string> {
    const threads = [this.#inspector.main, ...this.#workers]
    const profiles = await Promise.all(threads.map(profileOf))
    this.#inspector.close()
    return writeProfile(
      this.#options.folder,
      profiles.filter(profile => profile !== null),
    )
  }
}

async function begin(thread: InspectedThread): Promise<void> {
  await Promise.all([
    thread.request('Profiler.enable'),
    thread.request('Profiler.setSamplingInterval', { interval: SAMPLE_US }),
    thread.request('Profiler.start'),
  ])
}

/** Null for a thread that has ended meanwhile, or does not answer. */
async function profileOf(thread: InspectedThread): Promise<ThreadProfile | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(resolve, ANSWER_LIMIT_MS, null)
  })
  const answer = await Promise.race([thread.request('Profiler.stop').catch(() => null), late])
  clearTimeout(timer)
  const { profile } = (answer ?? {}) as { profile?: CpuProfile }
  return profile === undefined ? null : { name: thread.name, profile }
}

async function writeProfile(folder: string, threads: readonly ThreadProfile[]): Promise<string> {
  // Sorts by time.
  const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}${SUFFIX}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await forgetOld(folder)
    const handle = await open(path, 'wx', 0o600)
    try {
      for (const text of textOf(threads)) await handle.write(text)
    } finally {
      await handle.close()
    }
    return path
  } catch (error) {
    await unlink(path).catch(() => undefined)
    throw diskError(error, path)
  }
}

async function forgetOld(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter(name => name.endsWith(SUFFIX)).toSorted()
  for (const name of files.slice(0, Math.max(0, files.length - MAX_FILES + 1))) await unlink(join(folder, name))
}

/** The JSON in portions, so that no turn of the event loop makes all of it. */
function* textOf(threads: readonly ThreadProfile[]): Generator<string, void> {
  const { nodes, startTime, endTime, samples, timeDeltas } = joinProfiles(threads)
  yield `{"startTime":${startTime},"endTime":${endTime}`
  for (const [name, list] of Object.entries({ nodes, samples, timeDeltas })) {
    yield `,"${name}":[`
    for (let at = 0; at < list.length; at += PORTION) {
      const portion = JSON.stringify(list.slice(at, at + PORTION)).slice(1, -1)
      yield at === 0 ? portion : `,${portion}`
    }
    yield ']'
  }
  yield '}'
}
