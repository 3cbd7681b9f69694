// The debug use cases: asks the adapters, which are loaded at their first use, and keeps to one dump and one profile at
// a time.

import { AppError } from '../../base/errors.ts'
import type {
  CpuEntry,
  DebugService,
  DoctorReport,
  MemoryDump,
  MemoryEntry,
  OpenFileRecord,
  OpenSocketRecord,
  ProfilerState,
  ThreadRecord,
} from './debug-api.ts'
import type { DoctorRuns } from './doctor-runs.ts'
import type { ResourceHistory } from './resource-history.ts'

/** A CPU profile being taken. */
export interface RunningProfile {
  /** Ends it; the file it was written to. */
  stop(): Promise<string>
}

/** What is found out about the process. */
export interface ProcessInspection {
  openFiles(): Promise<OpenFileRecord[]>
  openSockets(): Promise<OpenSocketRecord[]>
  threads(): Promise<ThreadRecord[]>
  /** See DebugService.memoryDump. */
  memoryDump(): Promise<MemoryDump>
  /** `ended` is called when the profile ends by itself, having grown as long as one may. */
  startProfile(ended: () => void): Promise<RunningProfile>
  /** The last lines of the log file, at most `maxLines`. */
  logTail(maxLines: number): Promise<string>
}

/** See DebugService. */
export class Debug implements DebugService {
  readonly #history: ResourceHistory
  readonly #inspection: ProcessInspection
  readonly #doctor: DoctorRuns
  /** Answers to those who ask at the same time are the same. */
  #threads: Promise<ThreadRecord[]> | null = null
  #dumping = false
  #profile: Promise<RunningProfile> | null = null

  constructor(deps: {
    readonly history: ResourceHistory
    readonly inspection: ProcessInspection
    readonly doctor: DoctorRuns
  }) {
    this.#history = deps.history
    this.#inspection = deps.inspection
    this.#doctor = deps.doctor
  }

  cpuHistory(): CpuEntry[] {
    return this.#history.cpu()
  }

  memoryHistory(): MemoryEntry[] {
    return this.#history.memory()
  }

  openFiles(): Promise<OpenFileRecord[]> {
    return this.#inspection.openFiles()
  }

  openSockets(): Promise<OpenSocketRecord[]> {
    return this.#inspection.openSockets()
  }

  threads(): Promise<ThreadRecord[]> {
    this.#threads ??= this.#inspection.threads().finally(() => {
      this.#threads = null
    })
    return this.#threads
  }

  doctor(): Promise<DoctorReport> {
    return this.#doctor.report()
  }

  log(process: 'core' | 'gui', maxLines: number): Promise<string> {
    return process === 'gui' ? Promise.resolve('') : this.#inspection.logTail(maxLines)
  }

  async memoryDump(): Promise<MemoryDump> {
    if (this.#dumping) throw new AppError('TooManyRequests', 'A memory dump is under way.')
    this.#dumping = true
    try {
      const file = await this.#inspection.memoryDump()
      return { ...file, openReader: () => this.#reader(file) }
    } catch (error) {
      this.#dumping = false
      throw error
    }
  }

  profilerState(): ProfilerState {
    return this.#profile === null ? 'STOPPED' : 'STARTED'
  }

  async startProfiler(): Promise<void> {
    if (this.#profile !== null) throw new AppError('StateConflict', 'The profiler runs already.')
    const starting = this.#inspection.startProfile(() => this.#forget(starting))
    this.#profile = starting
    try {
      await starting
    } catch (error) {
      this.#forget(starting)
      throw error
    }
  }

  async stopProfiler(): Promise<string> {
    const profile = this.#profile
    if (profile === null) throw new AppError('StateConflict', 'The profiler does not run.')
    this.#profile = null
    return (await profile).stop()
  }

  /** Ends a profile that still runs. */
  async stop(): Promise<void> {
    if (this.#profile !== null) await this.stopProfiler()
  }

  #forget(profile: Promise<RunningProfile>): void {
    if (this.#profile === profile) this.#profile = null
  }

  #reader(file: MemoryDump): ReturnType<MemoryDump['openReader']> {
    const reader = file.openReader()
    return {
      waitFor: position => reader.waitFor(position),
      read: (position, length, slot) => reader.read(position, length, slot),
      close: () => {
        reader.close()
        this.#dumping = false
      },
    }
  }
}
