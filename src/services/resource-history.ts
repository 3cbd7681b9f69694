// Samples of processor time and memory, the newest 720 (decisions part 5). Two numbers each in rings that are made once.

import type { Clock, Timer } from '../ports/clock.ts'
import type { CpuEntry, MemoryEntry } from './debug-api.ts'

/** Between two samples (decisions part 5). */
const INTERVAL_MS = 5000
/** An hour of them (decisions part 5). */
const MAX_SAMPLES = 720

/** What the process has used so far. */
export interface ResourceUsage {
  /** Microseconds of processor time of all threads. */
  readonly cpuUs: number
  /** Bytes in memory. */
  readonly memoryBytes: number
}

/** The history since start(). */
export class ResourceHistory {
  readonly #clock: Clock
  readonly #usage: () => ResourceUsage
  readonly #timesMs = new Float64Array(MAX_SAMPLES)
  readonly #cpu = new Float64Array(MAX_SAMPLES)
  readonly #memory = new Float64Array(MAX_SAMPLES)
  #taken = 0
  #timer: Timer | null = null
  #lastMs = 0
  #lastCpuUs = 0

  constructor(deps: { readonly clock: Clock; readonly usage: () => ResourceUsage }) {
    this.#clock = deps.clock
    this.#usage = deps.usage
  }

  /** The first sample is taken after one interval. */
  start(): void {
    this.#lastMs = this.#clock.now()
    this.#lastCpuUs = this.#usage().cpuUs
    this.#timer ??= this.#clock.every(INTERVAL_MS, () => this.#sample())
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  cpu(): CpuEntry[] {
    return this.#rows().map(at => ({ time: this.#timesMs[at] ?? 0, cpu: this.#cpu[at] ?? 0 }))
  }

  memory(): MemoryEntry[] {
    return this.#rows().map(at => ({ time: this.#timesMs[at] ?? 0, mem: this.#memory[at] ?? 0 }))
  }

  #sample(): void {
    const at = this.#taken++ % MAX_SAMPLES
    const { cpuUs, memoryBytes } = this.#usage()
    const nowMs = this.#clock.now()
    const elapsedMs = Math.max(1, nowMs - this.#lastMs)
    this.#timesMs[at] = Math.round(this.#clock.wallMs())
    this.#cpu[at] = Math.round(((cpuUs - this.#lastCpuUs) / 1000 / elapsedMs) * 10_000) / 100
    this.#memory[at] = memoryBytes
    this.#lastMs = nowMs
    this.#lastCpuUs = cpuUs
  }

  /** Places in the rings, oldest first. */
  #rows(): number[] {
    const count = Math.min(this.#taken, MAX_SAMPLES)
    return Array.from({ length: count }, (_, row) => (this.#taken - count + row) % MAX_SAMPLES)
  }
}
