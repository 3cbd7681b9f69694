// A pure relay on loopback: one process that only passes cells of others on, between two ends that are one other
// process. The relay is ours, or any other program that speaks the protocol; its CPU is read from the kernel.

import { join } from 'node:path'
import { LineProcess } from '../../../../bench/lib/line-process.ts'
import { processCost } from '../../../../bench/lib/process-cost.ts'

const DRIVER = join(import.meta.dirname, 'relay-process.js')
/** Of all circuits together: enough that the relay always finds a cell waiting. */
const WINDOW = 512
const PAYLOAD = 1_000

/** One stretch of relaying. */
export interface RelayRun {
  readonly circuits: number
  readonly seconds: number
  /** Towards the originator: a layer goes on; else one goes off. */
  readonly back: boolean
}

/** What a relay did, and what that cost it. */
export interface RelayCost {
  readonly cellsPerSec: number
  /** Payloads of 1,000 bytes, MB = 10^6. */
  readonly mbPerSec: number
  /** Microseconds of CPU of the relay's process for each cell. */
  readonly usPerCell: number
}

/** The ends of circuits through one relay. */
export class RelayBetween {
  readonly #driver: LineProcess
  readonly #pid: number

  private constructor(driver: LineProcess, pid: number) {
    this.#driver = driver
    this.#pid = pid
  }

  /** `port`, `pid`: the relay's. Rejects when it does not answer. */
  static async start(port: number, pid: number): Promise<RelayBetween> {
    const driver = new LineProcess(DRIVER, { relay: port })
    try {
      await driver.next()
      return new RelayBetween(driver, pid)
    } catch (error) {
      await driver.stop()
      throw error
    }
  }

  async run(run: RelayRun): Promise<RelayCost> {
    this.#driver.tell('relay', { ...run, window: WINDOW })
    await this.#driver.next()
    const before = processCost(this.#pid).cpuSec
    const done = await this.#driver.next()
    const spentUs = (processCost(this.#pid).cpuSec - before) * 1e6
    const cells = Number(done['cells'])
    const cellsPerSec = (cells / Number(done['ms'])) * 1_000
    if (cells === 0) throw new Error('no cell came through the relay')
    return { cellsPerSec, mbPerSec: (cellsPerSec * PAYLOAD) / 1e6, usPerCell: spentUs / cells }
  }

  stop(): Promise<void> {
    return this.#driver.stop()
  }
}
