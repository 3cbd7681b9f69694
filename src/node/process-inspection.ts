// The debug service, and what it asks of this process. Nothing of that is loaded before it is asked for the first time.

import { join } from 'node:path'
import { errorText } from '../base/errors.ts'
import type { NodeLog } from '../io/process/log.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { VolumeTurns } from '../ports/volumes.ts'
import { Debug, type ProcessInspection } from '../services/diagnostics/debug.ts'
import { DoctorRuns } from '../services/diagnostics/doctor-runs.ts'
import { type HistorySettings, ResourceHistory } from '../services/diagnostics/resource-history.ts'
import type { DoctorsBeside } from './doctor/doctor-beside.ts'
import type { SettingsStore } from './settings/settings-store.ts'
import type { Settings } from './settings/settings-schema.ts'

/** Folder of the CPU profiles, in the state directory. */
const PROFILES = 'profiles'
/** Frames shown of the main thread. */
const MAX_FRAMES = 100

/** The debug service; its history begins with follow(). stop() ends that and a profile that still runs. */
export function makeDebug(parts: {
  readonly stateDir: string
  readonly clock: Clock
  readonly log: NodeLog
  readonly volumes: VolumeTurns
  readonly settings: SettingsStore
}): {
  readonly service: Debug
  follow(settings: Settings): void
  stop(): Promise<void>
} {
  const { stateDir, clock, log, volumes } = parts
  let memoryBytes = 0
  const usage = (): { cpuUs: number; memoryBytes: number } => {
    const { user, system } = process.cpuUsage()
    memoryBytes = residentBytes() ?? memoryBytes
    return { cpuUs: user + system, memoryBytes }
  }
  const history = new ResourceHistory({ clock, usage })
  const inspection = inspectProcess({ stateDir, logFiles: log.files, log: log.part('debug'), volumes })
  let beside: DoctorsBeside | null = null
  const doctor = new DoctorRuns({
    clock,
    examine: async () => {
      beside ??= new (await import('./doctor/doctor-beside.ts')).DoctorsBeside(parts)
      return beside.examine()
    },
  })
  const service = new Debug({ history, inspection, doctor })
  return {
    service,
    follow: settings => history.follow(historySettings(settings)),
    stop() {
      history.stop()
      beside?.stop()
      return service.stop()
    },
  }
}

function historySettings({ resource_monitor: monitor }: Settings): HistorySettings {
  const { enabled, poll_interval: seconds, history_size: samples } = monitor
  return { enabled, intervalMs: seconds * 1000, samples }
}

/** Where the node keeps what is looked at. */
interface InspectionParts {
  readonly stateDir: string
  /** Absolute paths of the log's files, the newest first. */
  readonly logFiles: readonly string[]
  readonly log: Log
  readonly volumes: VolumeTurns
}

/** The facts of this process. */
function inspectProcess({ stateDir, logFiles, log, volumes }: InspectionParts): ProcessInspection {
  return {
    openFiles: async () => (await import('../io/process/process-files.ts')).openFiles(volumes),
    openSockets: async () => (await import('../io/process/process-files.ts')).openSockets(),
    threads: () => {
      // Before anything is waited for: afterwards the stack is another one.
      const stack = stackHere()
      return import('../io/process/thread-stacks.ts').then(({ threadStacks }) => threadStacks(stack))
    },
    memoryDump: async () => (await import('../io/process/heap-snapshot.ts')).takeHeapSnapshot(stateDir),
    logTail: async maxLines => (await import('../io/process/log-tail.ts')).logTail(logFiles, maxLines),
    async startProfile(ended) {
      const { startCpuProfile } = await import('../io/process/cpu-profiler.ts')
      return startCpuProfile({
        folder: join(stateDir, PROFILES),
        ended: file => {
          ended()
          file.then(
            path => log.warn('the profiler ended by itself', { path }),
            (error: unknown) => log.error('the profile could not be written', { error: errorText(error) }),
          )
        },
      })
    },
  }
}

/** The stack of the main thread, without its message and this function. */
function stackHere(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = MAX_FRAMES
  const { stack = '' } = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  return stack.split('\n').slice(2).join('\n')
}

/** Null: it cannot be asked now (the system's file of it cannot be opened). */
function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss()
  } catch {
    return null
  }
}
