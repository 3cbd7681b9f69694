// Samples of processor time and memory, two numbers each, the newest of them (decisions part 5; settings
// resource_monitor). Samples cost a few microseconds and no growing memory while no client asks for them.

import type { Clock, Timer } from '../../ports/clock.ts'
import type { CpuEntry, MemoryEntry } from './debug-api.ts'

/** What the process has used so far. */
export interface ResourceUsage {
  /** Microseconds of processor time of all threads. */
  readonly cpuUs: number
  /** Bytes in memory. */
  readonly memoryBytes: number
}

/** How samples are taken. */
export interface HistorySettings {
  /** False: none are taken, those there are go. */
  readonly enabled: boolean
  /** Between two samples. */
  readonly intervalMs: number
  /** Samples kept, at least 1. */
  readonly samples: number
}

/** Decisions part 5. */
export const HISTORY_DEFAULTS: HistorySettings = { enabled: true, intervalMs: 5000, samples: 720 }

interface Sample {
  readonly time: number
  readonly cpu: number
  readonly mem: number
}

/** The history since follow() was called first. */
export class ResourceHistory {
  readonly #clock: Clock
  readonly #usage: () => ResourceUsage
  /** The oldest first from place `#next` on, once it is full. */
  #samples: Sample[] = []
  #next = 0
  #settings: HistorySettings = { ...HISTORY_DEFAULTS, enabled: false }
  #timer: Timer | null = null
  #lastMs = 0
  #lastCpuUs = 0

  constructor(deps: { readonly clock: Clock; readonly usage: () => ResourceUsage }) {
    this.#clock = deps.clock
    this.#usage = deps.usage
  }

  /** Takes samples so from now on; the first after one interval. Those there are stay, as many as are kept. */
  follow(settings: HistorySettings): void {
    const before = this.#settings
    this.#settings = settings
    if (settings.samples !== before.samples || !settings.enabled) {
      this.#samples = settings.enabled ? this.#inOrder().slice(-settings.samples) : []
      this.#next = 0
    }
    if (settings.enabled === (this.#timer !== null) && settings.intervalMs === before.intervalMs) return
    this.stop()
    if (!settings.enabled) return
    this.#lastMs = this.#clock.now()
    this.#lastCpuUs = this.#usage().cpuUs
    this.#timer = this.#clock.every(settings.intervalMs, () => this.#take())
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  cpu(): CpuEntry[] {
    return this.#inOrder().map(({ time, cpu }) => ({ time, cpu }))
  }

  memory(): MemoryEntry[] {
    return this.#inOrder().map(({ time, mem }) => ({ time, mem }))
  }

  #take(): void {
    const { cpuUs, memoryBytes } = this.#usage()
    const nowMs = this.#clock.now()
    const elapsedMs = Math.max(1, nowMs - this.#lastMs)
    const cpu = Math.round(((cpuUs - this.#lastCpuUs) / 1000 / elapsedMs) * 10_000) / 100
    this.#lastMs = nowMs
    this.#lastCpuUs = cpuUs
    const sample = { time: Math.round(this.#clock.wallMs()), cpu, mem: memoryBytes }
    if (this.#samples.length < this.#settings.samples) {
      this.#samples.push(sample)
      return
    }
    this.#samples[this.#next] = sample
    this.#next = (this.#next + 1) % this.#settings.samples
  }

  #inOrder(): Sample[] {
    return [...this.#samples.slice(this.#next), ...this.#samples.slice(0, this.#next)]
  }
}
