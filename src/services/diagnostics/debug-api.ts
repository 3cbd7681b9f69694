// What the debug routes see (spec 2.12, 4.11; decisions part 5). Field names of records are the specification's.

import type { Slot } from '../../ports/arena.ts'

/** Spec 2.12. `time`: milliseconds since 1970; `cpu`: per cent of one core since the entry before. */
export interface CpuEntry {
  time: number
  cpu: number
}

/** Spec 2.12. `time`: milliseconds since 1970; `mem`: bytes of the process in memory. */
export interface MemoryEntry {
  time: number
  mem: number
}

/** Spec 2.12. */
export interface OpenFileRecord {
  path: string
  fd: number
}

/**
 * Spec 2.12. `family` and `type` are the numbers of the operating system (2 = IPv4, 10 = IPv6, 1 = Unix; 1 = stream, 2
 * = datagram), 0 where it does not tell. `status`: state of a TCP connection, `NONE` for what has none. Addresses are
 * `ip:port`, a path, or `-`.
 */
export interface OpenSocketRecord {
  family: number
  status: string
  laddr: string
  raddr: string
  type: number
  /** Extra: the descriptor. */
  fd: number
}

/**
 * Spec 2.12. `thread_id` is the operating system's. `frames`: innermost first, `file:line function`; empty for threads
 * that run no JavaScript.
 */
export interface ThreadRecord {
  thread_id: number
  thread_name: string
  frames: string[]
}

/** Spec 2.12. */
export type ProfilerState = 'STARTED' | 'STOPPED'

/** A memory dump; as StreamableFile of services/api.ts. */
export interface MemoryDump {
  readonly name: string
  readonly size: number
  readonly tag: string
  openReader(): {
    waitFor(position: number): number | Promise<number>
    read(position: number, length: number, slot: Slot): Promise<number>
    close(): void
  }
}

/** Extra: one thing that was looked at. `check`: ports, mounts, database, …; `advice`: what to do, '' = nothing. */
export interface DoctorFinding {
  state: 'ok' | 'warning' | 'problem'
  check: string
  /** What was found, of a table that only grows. */
  code: string
  /** What stands in the texts, by name. */
  parameters: { [name: string]: string | number }
  text: string
  advice: string
}

/** Extra: what `tributary doctor` found at `time`, seconds since 1970; healthy = no finding is a problem. */
export interface DoctorReport {
  healthy: boolean
  time: number
  findings: DoctorFinding[]
}

/** Everything under /debug but circuits. */
export interface DebugService {
  /** Oldest first. */
  cpuHistory(): CpuEntry[]
  memoryHistory(): MemoryEntry[]
  openFiles(): Promise<OpenFileRecord[]>
  openSockets(): Promise<OpenSocketRecord[]>
  threads(): Promise<ThreadRecord[]>
  /** Examines in a process of its own; an answer of the last five seconds is given again. Never rejects. */
  doctor(): Promise<DoctorReport>
  /** The last lines of the log of the node (`core`) or of its surface (`gui`, which this node has not: empty). */
  log(process: 'core' | 'gui', maxLines: number): Promise<string>
  /**
   * A V8 heap snapshot; the node is halted while it is made. The caller opens a reader and closes it: the file is gone
   * then. AppErrors TooManyRequests (one is under way), DiskFull, DiskError.
   */
  memoryDump(): Promise<MemoryDump>
  profilerState(): ProfilerState
  /** AppError StateConflict when it runs already. */
  startProfiler(): Promise<void>
  /** The file that holds the profile. AppErrors StateConflict when it does not run, DiskFull, DiskError. */
  stopProfiler(): Promise<string>
}
